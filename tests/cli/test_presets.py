"""Presets and relative thresholds on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run

import bookbuilder as bb


@pytest.fixture(scope="module")
def store(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some games, counted up to ply 12, which is less than the presets go."""
    path = tmp_path_factory.mktemp("stores") / "s"
    archive = data / "chess_selfplay.pgn"
    assert run("tally", archive, "-o", path, "--max-ply", 12, "--max-games", 150, "--quiet").code == 0
    return path


def test_side_chooses_the_repertoire(tmp_path: Path, store: Path) -> None:
    books = {}
    for words in ((), ("--side", "white"), ("--side", "first"), ("--side", "black")):
        path = tmp_path / f"{'_'.join(words)}.book"
        name = () if words else ("--preset", "repertoire")
        assert run("build", store, "-o", path, *name, *words).code == 0
        books[words[1:]] = path.read_bytes()
    # Without a side it is the first one's.
    assert books[()] == books["white",] == books["first",] != books["black",]
    assert bb.Book.open(path).recipe["preset"] == "repertoire"
    assert bb.Book.open(path).recipe["selection"]["for_side"] == "second"


def test_book_for_a_player_has_the_games_of_that_side(tmp_path: Path) -> None:
    games = tmp_path / "games.pgn"
    tags = '[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. {} e5 1-0\n\n'
    pairs = [("Ann", "Bob", "e4")] * 4 + [("Bob", "Ann", "d4")] * 3 + [("Bob", "Cid", "c4")] * 3
    games.write_text("".join(tags.format(*pair) for pair in pairs))
    for side, moves in (("black", {"d4"}), ("white", {"e4"})):
        words = ("--player", "Ann", "--side", side, "--explain", "startpos", "--json")
        told = json.loads(run("build", games, *words).out)["explained"]
        assert {row["san"] for row in told["moves"]} == moves
    both = run("build", games, "--player", "Ann", "--explain", "startpos", "--json")
    assert {row["san"] for row in json.loads(both.out)["explained"]["moves"]} == {"e4", "d4"}
