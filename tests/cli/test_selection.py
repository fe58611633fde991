"""Options of selection and presets: each gives the selection of `select`, and the recipe repeats it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE, LITERATURE

import bookbuilder as bb
from bookbuilder.book.book import Book
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

# Options of the command line, with the equal options of `select`.
OPTIONS = [
    (["--min-win-rate", "0.4"], {"min_win_rate": "0.4"}),
    (["--min-score", "45%"], {"min_score": "0.45"}),
    (["--min-share", "0.05"], {"min_share": "5%"}),
    (["--top", "2"], {"top": 2}),
    (["--connected", "--min-win-rate", "0.3"], {"connected": True, "min_win_rate": "0.3"}),
    (
        ["--side", "first", "--opponent-min-share", "2%", "--margin", "1%"],
        {"for_side": "first", "opponent_min_share": "2%", "margin": "1%"},
    ),
    (["--sharpen", "2"], {"sharpen": 2}),
]


@pytest.fixture(scope="module")
def archive(data: Path) -> Path:
    return data / "chess_selfplay.pgn"


@pytest.fixture(scope="module")
def store(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some games, counted up to ply 12."""
    path = tmp_path_factory.mktemp("stores") / "s"
    assert run("tally", archive, "-o", path, "--max-ply", 12, "--max-games", 150, "--quiet").code == 0
    return path


@pytest.mark.parametrize(("words", "options"), OPTIONS, ids=lambda each: " ".join(each)[:40])
def test_options_select_as_in_python_and_by_recipe(
    tmp_path: Path, store: Path, words: list[str], options: dict[str, object]
) -> None:
    first, again, direct = tmp_path / "a.book", tmp_path / "b.book", tmp_path / "c.book"
    ran = run("build", *ABSOLUTE, store, "-o", first, *words, "--json")
    assert ran.code == 0, ran.err
    Book.write(direct, select(Tally.open(store), LITERATURE, **options))
    assert first.read_bytes() == direct.read_bytes()
    assert run("build", "--recipe", first, "-o", again).code == 0
    assert again.read_bytes() == first.read_bytes()
    verdicts = json.loads(ran.out)["verdicts"]
    assert verdicts["kept"] == len(Book.open(first))


def test_explain_lists_every_move_and_writes_nothing(tmp_path: Path, store: Path) -> None:
    rules = ["--min-win-rate", "0.5", "--min-games", "3", "--min-share", "5%", "--connected"]
    ran = run("build", *ABSOLUTE, store, "--explain", "e4", *rules, "--json")
    assert ran.code == 0, ran.err
    explained = json.loads(ran.out)["explained"]
    assert explained["fen"].split()[1] == "b"
    reasons = {move["reason"] for move in explained["moves"]}
    assert "below-games" in reasons
    assert all(move["why"] for move in explained["moves"])
    assert sum(move["share"] for move in explained["moves"]) == pytest.approx(1)
    assert "few games" in run("build", *ABSOLUTE, store, "--explain", "startpos moves e2e4", *rules).out
    fen = explained["fen"]
    assert (
        json.loads(run("build", *ABSOLUTE, store, "--explain", fen, *rules, "--json").out)["explained"]
        == explained
    )
    assert run("build", *ABSOLUTE, store).code == 2
    both = run("build", *ABSOLUTE, store, "--explain", "startpos", "-o", tmp_path / "a.book", "--json")
    assert json.loads(both.out)["bytes"] == (tmp_path / "a.book").stat().st_size


@pytest.mark.parametrize("suffix", ["bin", "book"])
def test_build_with_an_engine_is_a_build_with_its_evaluations(
    tmp_path: Path, store: Path, suffix: str
) -> None:
    first, again = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    search = ("build", store, "-o", first, "--engine", "bundled", "--minutes", 0.02, "-j", 1, "--force")
    # Each run adds to the evaluations. A busy machine needs some until the moves of a position have values.
    for _ in range(20):
        ran = run(*search, "--json")
        assert ran.code == 0, ran.err
        engine = json.loads(ran.out)["engine"]
        assert engine["searched"] > 0
        if engine["loss_cp"] is not None:
            break
    assert engine["loss_cp"] <= engine["loss_without_cp"]
    evals = f"{first}.evals"
    assert engine["evals"] == evals
    assert run("build", store, "-o", again, "--evals", evals, "-q").code == 0
    assert again.read_bytes() == first.read_bytes()
    assert [path.name for path in tmp_path.glob("*.journal")] == []
    assert "searches chose; by them a move loses" in run(*search).out


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
