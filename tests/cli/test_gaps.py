"""Reach and gaps on the command line: the end of `build`, `book info` and `book gaps`."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import chess.polyglot
import pytest
from support.cli_runner import run

RULES = ("--preset", "literature", "--min-win-rate", "0.45", "--min-games", "3")


@pytest.fixture(scope="module")
def store(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "s"
    assert run("tally", data / "chess_selfplay.pgn", "-o", path, "--max-ply", 16, "--quiet").code == 0
    return path


@pytest.fixture(scope="module")
def book(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "a.bin"
    assert run("build", store, "-o", path, *RULES, "--quiet").code == 0
    return path


def test_gaps_are_positions_without_answer(book: Path, store: Path) -> None:
    ran = run("book", "gaps", book, "--against", store, "--side", "white", "--rows", 5, "--json")
    answer = json.loads(ran.out)
    assert 0 < len(answer["gaps"]) <= 5
    with chess.polyglot.open_reader(book) as reader:
        for gap in answer["gaps"]:
            board = chess.Board()
            for move in gap["moves"]:
                assert board.turn == chess.BLACK or reader.find_all(board)
                board.push_uci(move)
            assert not list(reader.find_all(board))
            assert gap["share"] > 0.02
