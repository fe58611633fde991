"""A tally on a cluster whose network loses packets and is cut, and whose workers are killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from backports import zstd
from support.bad_cluster import BadCluster, Faults, bad_cluster
from support.namespaces import require_namespaces

from bookbuilder.archives.find import find_archives
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.grow import grow

pytest.importorskip("distributed", reason='needs the extra "cluster"')

RUNS: Final = int(os.environ.get("RUNS", "3"))
FIRST: Final = int(os.environ.get("FIRST_RUN", "0"))
LOST_PERCENT: Final = 3
PATIENCE: Final = 400
"""Seconds after which a command hangs; a run takes about one minute."""
GAMES: Final = 60
"""Games of an archive; `--task` is smaller, so each archive is a task."""
ARCHIVE: Final = "data/chess/pgnmentor_sample20k_dev.pgn.zst"


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(entry.relative_to(directory)): entry.read_bytes()
        for entry in directory.rglob("*")
        if entry.is_file()
    }


@pytest.fixture(scope="module")
def archives(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """20,483 games in 342 archives, so that there are many tasks."""
    folder = tmp_path_factory.mktemp("archives")
    with zstd.open(corpus / ARCHIVE) as stream:
        games = stream.read().split(b"[Event ")[1:]
    for number, start in enumerate(range(0, len(games), GAMES)):
        text = b"".join(b"[Event " + game for game in games[start : start + GAMES])
        (folder / f"{number:04}.pgn").write_bytes(text)
    return folder


@pytest.fixture(scope="module")
def expected(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the store of one process."""
    store = tmp_path_factory.mktemp("alone") / "store"
    grow(store, find_archives([archives]), TallyOptions(game="chess", max_ply=40))
    return files(store)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BadCluster]:
    """A scheduler and four workers on hosts that lose packets."""
    require_namespaces()
    with bad_cluster(tmp_path_factory.mktemp("hosts"), lost_percent=LOST_PERCENT) as cluster:
        time.sleep(8)  # the workers start
        yield cluster


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_bad_network_changes_no_byte(cluster, archives, expected, tmp_path, seed) -> None:
    store = tmp_path / "store"
    words = ["tally", archives, "-o", store, "--game", "chess", "--task", "4KiB", "--quiet"]
    command = [sys.executable, "-P", "-m", "bookbuilder", *map(str, words), "--cluster", cluster.address]
    outcome = cluster.run(command, Faults.of_seed(seed), patience=PATIENCE)
    print(f"seed {seed}: {outcome}, {cluster.lost()} packets lost so far")
    assert (outcome.code, outcome.errors) == (0, ""), outcome
    time.sleep(3)  # what workers still do that were cut off
    assert files(store) == expected
