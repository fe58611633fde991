"""Real games go through the formats that we write and come back with moves, result, start and players."""

from __future__ import annotations

import csv
import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.corpus

Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def through(program: Program, tmp_path: Path) -> Callable[[Path, str], tuple[Path, Path]]:
    """A function that converts an archive to a format and back to its own; returns both outputs."""

    def convert(archive: Path, suffix: str) -> tuple[Path, Path]:
        there, back = tmp_path / f"there{suffix}", tmp_path / f"back{'.zip' if suffix == '.pgn' else '.pgn'}"
        for source, target in ((archive, there), (there, back)):
            ran = program("games", "convert", source, "--game", "xiangqi", "-o", target, "--quiet")
            assert ran.returncode == 0, ran.stderr
        return there, back

    return convert


def lines(program: Program, archive: Path) -> list[str]:
    """Start, moves and result of each game that converts."""
    ran = program("games", "convert", archive, "--game", "xiangqi", "--to", "lines", "--quiet")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def players(program: Program, archive: Path) -> list[tuple[str, str]]:
    """The players of each game."""
    ran = program("games", "list", archive, "--game", "xiangqi", "--csv", "--quiet")
    rows = csv.DictReader(io.StringIO(ran.stdout))
    return [(row["first_player"], row["second_player"]) for row in rows]


def pgn(program: Program, archive: Path) -> str:
    """All games that convert, with variations and comments, as PGN."""
    return program("games", "convert", archive, "--game", "xiangqi", "--to", "pgn", "--quiet").stdout


def check_xqf(program: Program, archive: Path, there: Path, back: Path) -> int:
    """Check an archive of XQF that went to PGN and back to XQF; return its number of games."""
    before = lines(program, archive)
    assert lines(program, there) == before
    assert lines(program, back) == before
    assert players(program, back) == players(program, there)
    return len(before)


def test_xqf_to_pgn_to_xqf_keeps_games_and_players(
    corpus: Path, program: Program, through: Callable[[Path, str], tuple[Path, Path]]
) -> None:
    sample = corpus / "data" / "xiangqi" / "xqf" / "sample"
    assert check_xqf(program, sample, *through(sample, ".pgn")) > 2_250


@pytest.mark.slow
def test_all_of_xqf_to_pgn_to_xqf_keeps_games_and_players(
    xqf_archive: Path, program: Program, through: Callable[[Path, str], tuple[Path, Path]]
) -> None:
    assert check_xqf(program, xqf_archive, *through(xqf_archive, ".pgn")) > 35_850


def test_pgn_to_xqf_to_pgn_keeps_games_and_players(
    corpus: Path, program: Program, through: Callable[[Path, str], tuple[Path, Path]]
) -> None:
    archive = corpus / "data" / "xiangqi" / "pgn_gbk" / "sample"
    there, back = through(archive, ".zip")
    before = lines(program, archive)
    assert len(before) == 305
    assert lines(program, there) == before
    assert lines(program, back) == before
    # XQF has 15 bytes for a name.
    for names, cut in zip(players(program, archive), players(program, back), strict=True):
        assert all(name.startswith(part.rstrip("?")) for name, part in zip(names, cut, strict=True))


@pytest.mark.parametrize("share", ["sample", pytest.param("all", marks=pytest.mark.slow)])
def test_xqf_to_xqf_keeps_variations_comments_and_texts(
    corpus: Path, xqf_archive: Path, program: Program, tmp_path: Path, share: str
) -> None:
    archive = xqf_archive.with_name("sample") if share == "sample" else xqf_archive
    again = tmp_path / "again.zip"
    assert program("games", "convert", archive, "-o", again, "--quiet").returncode == 0
    before = pgn(program, archive)
    assert before.count("(1. ") > 0
    assert pgn(program, again) == before
