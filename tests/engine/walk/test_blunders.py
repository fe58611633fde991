"""Blunders of books: visits computed by hand, losses of a scripted judge, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support.cli_runner import run
from support.foreign_books import tally_of, usual_book
from support.scripted_judge import best_of, command, score_of

from bookbuilder import Position, Tally
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.play import TallyMoves, open_book_moves
from bookbuilder.engine.match.match import parse_engine
from bookbuilder.engine.match.player import EngineSpec, ThinkLimit
from bookbuilder.engine.walk.blunders import Blunder, BlunderOptions, Blunders, corrected, find_blunders
from bookbuilder.games.position import Game
from bookbuilder.tally.store.reading import OpenStore

BOOK = {"": (("e2e4", 3), ("d2d4", 1)), "e2e4 e7e5": (("g1f3", 1),), "d2d4": (("d7d5", 1), ("g8f6", 4))}
GAMES = ["1. e4 e5", "1. e4 e5", "1. e4 c5", "1. d4 d5"]


@contextmanager
def unseen(_what: str, _total: int) -> Iterator[object]:
    """Progress that nobody sees."""
    yield lambda _done: None


def after(line: str) -> Position:
    """The position after moves."""
    position = Position("chess")
    for move in line.split():
        position = position.play(position.parse_move(move))
    return position


def judge(log: Path, game: Game = "chess") -> EngineSpec:
    """The scripted judge."""
    limit = ThinkLimit(nodes=100)
    return parse_engine(command(log, game), game, name="judge", options=(), limit=limit)


def found(tmp_path: Path, **options) -> Blunders:
    """Search the small book for blunders."""
    records = []
    for line, moves in BOOK.items():
        here = after(line)
        for move, weight in moves:
            code = here.parse_move(move)
            records.append(
                here.key.to_bytes(8, "big") + code.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)
            )
    (tmp_path / "a.bin").write_bytes(b"".join(sorted(records, key=lambda record: record[:8])))
    (tmp_path / "a.pgn").write_text("\n\n".join(f'[Result "*"]\n\n{game} *' for game in GAMES))
    store = OpenStore(Tally.from_archives(tmp_path / "a.pgn").save(tmp_path / "a.store", force=True))
    book, replies = open_book_moves(tmp_path / "a.bin", "chess"), TallyMoves(store, "chess", fold=False)
    return find_blunders(book, replies, judge(tmp_path / "log"), BlunderOptions(**options), unseen)  # type: ignore[arg-type]


# White reaches e4 e5 with 3/4 of its own moves and 2/3 of the replies, Black d4 with 1/4 of the games.
VISITS = {
    ("first", "", "e2e4"): 3 / 4,
    ("first", "", "d2d4"): 1 / 4,
    ("first", "e2e4 e7e5", "g1f3"): 3 / 4 * 2 / 3,
    ("second", "d2d4", "d7d5"): 1 / 4 * 1 / 5,
    ("second", "d2d4", "g8f6"): 1 / 4 * 4 / 5,
}


def expected_losses() -> dict[tuple[str, str, str], int]:
    """The losses of all moves of the small book."""
    return {
        (owner, line, move): 0
        if best_of(after(line)) == move
        else score_of(after(line)) + score_of(after(f"{line} {move}"))
        for owner, line, move in VISITS
    }


@pytest.mark.parametrize("limit", [1, 50, 100, 200])
def test_moves_that_lose_more_than_the_limit(tmp_path: Path, limit: int) -> None:
    blunders = found(tmp_path, limit_cp=limit)
    losses = {place: loss for place, loss in expected_losses().items() if loss > limit}
    assert {(each.owner, " ".join(each.line), each.move): each.loss_cp for each in blunders.found} == losses
    assert blunders.moves == len(VISITS)
    assert blunders.least_visits == pytest.approx(1 / 20)
    for each in blunders.found:
        here = after(" ".join(each.line))
        assert each.visits == pytest.approx(VISITS[each.owner, " ".join(each.line), each.move])
        assert (each.best, each.value_cp) == (best_of(here), score_of(here))


def test_losses_of_the_small_book_differ() -> None:
    losses = expected_losses().values()
    assert min(losses) < 50 < max(losses)


def test_most_visited_moves_are_checked(tmp_path: Path) -> None:
    two = found(tmp_path, limit_cp=1, most=2)
    assert (two.moves, two.least_visits) == (2, pytest.approx(1 / 2))
    assert {(each.owner, each.move) for each in two.found} <= {("first", "e2e4"), ("first", "g1f3")}
    best = found(tmp_path, limit_cp=1, pick="best")
    # e4 always, then Nf3 after two of three replies; d4 by the opponent in a quarter of the games.
    assert (best.moves, best.least_visits) == (3, pytest.approx(1 / 4))


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_command_lists_blunders(game: Game, tmp_path: Path) -> None:
    write_moves(tmp_path / "a.csv", usual_book(game))
    tally_of(game).save(tmp_path / "a.store")
    engine = ("--engine", command(tmp_path / "log", game))
    arguments = ("none", tmp_path / "a.csv", "--against", tmp_path / "a.store", *engine, "--walks", 2)
    asked = ("--blunders", 60, "--positions", 20, "--verify-nodes", 500, "--quiet")
    answer = json.loads(run("engine", "walk", *arguments, *asked, "--json").out)
    (blunders,) = answer["blunders"]
    assert (blunders["book"], blunders["moves"]) == (str(tmp_path / "a.csv"), 20)
    assert (answer["limit_cp"], answer["verify_nodes"]) == (60, 500)
    assert all(each["loss_cp"] > 60 for each in blunders["found"])
    text = run("engine", "walk", *arguments, *asked).out
    count = len(blunders["found"])
    assert f"a.csv: {count} of the 20 most visited moves lose more than 60 cp at 500 nodes" in text
    without = run("engine", "walk", *arguments, "--quiet")
    assert "lose more" not in without.out


def test_what_the_moves_of_the_judge_seem_to_lose_is_subtracted() -> None:
    own = Blunder(owner="first", line=(), move="e2e4", best="e2e4", value_cp=30, loss_cp=40, visits=1.0)
    other = replace(own, move="d2d4", loss_cp=130)
    assert [each.loss_cp for each in corrected([*[own] * 30, other])] == [0] * 30 + [90]
    # Too few tell nothing.
    assert [each.loss_cp for each in corrected([*[own] * 29, other])] == [0] * 29 + [130]
