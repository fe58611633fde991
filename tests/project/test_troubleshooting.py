"""docs/troubleshooting.md: programs print the messages that the page explains."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest
from support.cli_runner import run
from support.stand_ins import link_archives

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
BAD_GAMES = (
    '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Ke5 1-0\n\n[Event "b"]\n[Result "1-0"]\n\n1. e4 Ke5 1-0\n'
)
STORE = "tally games.pgn -o chess.store --max-ply 40 --quiet"
BOOK = "build chess.store -o chess.book --quiet"
CASES = {
    "is not valid TOML": "--config notes.txt build games.pgn -o a.bin",
    "no command has this name": "--config tables.toml build games.pgn -o a.bin",
    "not written, no move is kept": "build games.pgn -o a.bin --min-games 5000",
    "exists already; give another name or --force": "build games.pgn -o chess.book",
    "has no answer to": "build games.pgn -o b.bin",
    "of weight 0": "build games.pgn -o c.bin",
    "unknown suffix of a book": "build games.pgn -o book.xyz",
    "CTG is neither read nor written": "build games.pgn -o book.ctg",
    "is a format for xiangqi": "build games.pgn -o book.obk",
    "truncated:": "show cut.book",
    "no such file or directory": "build missing.pgn -o d.bin",
    "holds text without PGN tags or moves": "build notes.txt -o d.bin",
    "games were rejected": "games check bad.pgn",
    "holds xiangqi games": "tally xiangqi.zip -o chess.store",
    "does not keep the names of players": "build chess.store --player Morphy -o d.bin",
    "expected a tally store": "threshold chess.book",
    "URLs are read and written by tasks": "tally s3://bucket/games.pgn -o e.store",
    "is not legal here": "show chess.store --moves 'e4 e4'",
    "bad chess FEN": "show chess.store --fen 8/8",
    "expected a number from 0 to 1; did you mean": "build games.pgn -o d.bin --min-win-rate 55",
    "the sides of chess are white and black": "build games.pgn -o d.bin --for red",
    "No such file or directory": "engine match ./missing bundled --game chess --games 2 --limit nodes=1",
}
"""A command that prints each message."""
ELSEWHERE = {"another process is writing this store", "not enough memory"}
"""Messages that tests of faults provoke."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands read."""
    place = tmp_path_factory.mktemp("mistakes")
    link_archives(place, ROOT / "data")
    (place / "bad.pgn").write_text(BAD_GAMES, encoding="utf-8")
    (place / "notes.txt").write_text("hello\n", encoding="utf-8")
    (place / "tables.toml").write_text("[biuld]\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for line in (STORE, BOOK):
            assert run(*line.split()).code == 0
    (place / "cut.book").write_bytes((place / "chess.book").read_bytes()[:60_000])
    return place


def test_page_and_cases_have_the_same_messages() -> None:
    assert set(re.findall(r"^### `(.+)`$", PAGE, re.MULTILINE)) == set(CASES) | ELSEWHERE


@pytest.mark.parametrize("message", CASES)
def test_command_prints_message(message: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    ran = run(*shlex.split(CASES[message]))
    assert message in " ".join((ran.err + ran.out).split())


def test_moves_of_weight_0_never_won_or_drew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    lost = {}
    for weight in ("score", "games"):
        ran = run(*f"build chess.store -o {weight}.csv --weight {weight} --json --quiet".split())
        assert ran.code == 0, ran.err
        rows = list(csv.DictReader((folder / f"{weight}.csv").read_text(encoding="utf-8").splitlines()))
        lost[weight] = [row for row in rows if row["weight"] == "0"]
    assert lost["score"]
    assert {(row["wins"], row["draws"]) for row in lost["score"]} == {("0", "0")}
    assert not lost["games"]
