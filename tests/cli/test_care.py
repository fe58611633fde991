"""`coverage` and `calibrate`: answers, pictures, limits and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE


@pytest.fixture(scope="module")
def archive(data: Path) -> Path:
    return data / "chess_selfplay.pgn"


@pytest.fixture(scope="module")
def store(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "s"
    assert run("tally", archive, "-o", path, "--max-ply", 10, "--max-games", 200, "--quiet").code == 0
    return path


@pytest.fixture(scope="module")
def book(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "a.book"
    assert run("build", *ABSOLUTE, store, "-o", path, "--min-win-rate", "0.4", "--min-games", 2).code == 0
    return path


def test_coverage_in_all_formats(book: Path, archive: Path, tmp_path: Path) -> None:
    answer = json.loads(run("coverage", book, archive, "--max-ply", 12, "--quiet", "--json").out)
    assert answer["games"] == 2000
    assert answer["games_followed"] == answer["plies"][1]["inside"]
    assert 0 < answer["plies_share"] < answer["known_share"] < 1
    picture = tmp_path / "coverage.png"
    ran = run("coverage", book, archive, "--max-ply", 12, "--plot", picture)
    assert "still in the book" in ran.out
    assert picture.stat().st_size > 5000
    csv = run("coverage", book, archive, "--max-ply", 12, "--csv").out.splitlines()
    assert csv[0] == "ply,left,ended,inside,inside_share"
    assert len(csv) == 14
    assert run("coverage", book, archive, "--player", "nobody", "--quiet").code == 1


def test_calibrate_splits_by_year_or_by_game(tmp_path: Path) -> None:
    archive = tmp_path / "games.pgn"
    archive.write_text(
        "".join(
            f'[Event "e"]\n[Date "{year}.0{1 + number % 9}.01"]\n[Result "{result}"]\n\n'
            f"1. {move} {result}\n\n"
            for year in range(2001, 2011)
            for number, (move, result) in enumerate(
                [("e4", "1-0"), ("e4", "0-1"), ("e4", "1-0"), ("d4", "0-1"), ("d4", "1/2-1/2")] * 2
            )
        )
    )
    words = ["calibrate", archive, "--min-games", 5, "--dedupe", "off", "--quiet", "--json"]
    answer = json.loads(run(*words, "--split", "2006").out)
    assert (answer["games_before"], answer["games_later"]) == (50, 50)
    assert {each["moves"] for each in answer["points"]} == {2}
    usual = json.loads(run(*words).out)
    assert (usual["split"], usual["games_later"]) == ("2009", 20)
    by_game = json.loads(run(*words, "--split", "games", "--axis", "prior").out)
    assert (by_game["games_before"], by_game["games_later"]) == (100, 100)
    picture = tmp_path / "calibration.svg"
    ran = run(*words[:-2], "--axis", "min-win-rate", "--plot", picture)
    assert "Best: --min-win-rate" in ran.out
    even = run("calibrate", archive, "--axis", "min-games", "--dedupe", "off").out
    assert "No value is better than another." in even, "the rows are equal"
    assert "<svg" in picture.read_text()
    assert run(*words, "--split", "2030").code == 2


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
