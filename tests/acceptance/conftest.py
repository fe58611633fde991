"""Fixtures of the acceptance tests: the real archives, their manifest, their tallies, and the program."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from bookbuilder import Tally


@pytest.fixture(scope="session")
def chess_archive(corpus: Path) -> Path:
    """The archive of 20,483 chess games."""
    return corpus / "data" / "chess" / "pgnmentor_sample20k_dev.pgn.zst"


@pytest.fixture(scope="session")
def players_archive(corpus: Path) -> Path:
    """The archive of 184,344 chess games."""
    return corpus / "data" / "chess" / "pgnmentor_players_dev.pgn.zst"


@pytest.fixture(scope="session")
def xqf_archive(corpus: Path) -> Path:
    """The archive of 35,967 XQF files."""
    return corpus / "data" / "xiangqi" / "xqf" / "walker8088_cchess_all.tar.gz"


@pytest.fixture(scope="session")
def manifest(xqf_archive: Path) -> pd.DataFrame:
    """The content of each XQF file as found by an independent reader, by the SHA-1 in its name."""
    with pa.input_stream(xqf_archive.with_name("manifest.csv.zst"), compression="zstd") as stream:
        return pd.read_csv(io.BytesIO(stream.read())).set_index("sha1")


@pytest.fixture(scope="session")
def xiangqi_tally(xqf_archive: Path) -> Tally:
    """The tally of the XQF archive: whole games from the start position, mirrors folded."""
    return Tally.from_archives(xqf_archive)


@pytest.fixture(scope="session")
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """A function that runs the command line in a new process, like a user."""

    def run(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "bookbuilder", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options
        )

    return run


@pytest.fixture
def output(tmp_path: Path) -> Iterator[Path]:
    """A path for output, in a new directory that must be empty after the test."""
    directory = tmp_path / "output"
    directory.mkdir()
    yield directory / "new"
    assert not list(directory.iterdir())
