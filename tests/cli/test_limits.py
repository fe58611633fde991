"""`--max-games` of `coverage` and `calibrate`."""

from __future__ import annotations

import json
from pathlib import Path

from support.cli_runner import run
from support.selections import ABSOLUTE


def test_coverage_compares_the_first_games(chess_pgn: Path, tmp_path: Path) -> None:
    book = tmp_path / "a.book"
    assert run("build", *ABSOLUTE, chess_pgn, "-o", book, "--min-win-rate", 0, "--quiet").code == 0
    words = ("coverage", book, chess_pgn, "--json", "--quiet")
    assert json.loads(run(*words, "--max-games", 4).out)["games"] == 4
    assert json.loads(run(*words).out)["games"] == 6


def test_calibrate_reads_the_first_games(chess_pgn: Path) -> None:
    """The archive has one game for each of the years 2001 to 2006."""
    words = ("calibrate", chess_pgn, "--split", 2003, "--min-games", 1, "--json", "--quiet")
    for limit, expected in ((4, (2, 2)), (3, (2, 1)), (6, (2, 4))):
        answer = json.loads(run(*words, "--max-games", limit).out)
        assert (answer["games_before"], answer["games_later"]) == expected
    assert run(*words, "--max-games", 2).code == 2
