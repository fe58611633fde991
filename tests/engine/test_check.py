"""Checks of books: the graph of a small book by hand, figures by a scripted engine, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.cli_runner import run
from support.lines import after
from support.scripted_judge import best_of, command, score_of

from bookbuilder import Evals, Tally, as_position, check_book
from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource, TallyMoves
from bookbuilder.engine.check import owner_exits, owner_moves
from bookbuilder.engine.evaluate.plan import Played, plan_of, play_book
from bookbuilder.tally.store.reading import OpenStore

BOOK = {"": (("e2e4", 3), ("d2d4", 1)), "e2e4 e7e5": (("g1f3", 1),), "d2d4": (("d7d5", 1), ("g8f6", 4))}
GAMES = ["1. e4 e5", "1. e4 e5", "1. e4 c5", "1. d4 d5"]


@pytest.fixture
def sources(tmp_path: Path) -> tuple[MoveSource, MoveSource]:
    """The small book, and the moves of the games."""
    records = []
    for line, moves in BOOK.items():
        here = after(line)
        for move, weight in moves:
            code = here.parse_move(move)
            head = here.key.to_bytes(8, "big") + code.to_bytes(2, "big")
            records.append(head + weight.to_bytes(2, "big") + bytes(4))
    (tmp_path / "a.bin").write_bytes(b"".join(sorted(records, key=lambda record: record[:8])))
    (tmp_path / "a.pgn").write_text("\n\n".join(f'[Result "*"]\n\n{game} *' for game in GAMES))
    store = OpenStore(Tally.from_archives(tmp_path / "a.pgn").save(tmp_path / "a.store", force=True))
    return open_book(tmp_path / "a.bin", game="chess"), TallyMoves(store, "chess", fold=False)


def by_line(played: Played) -> dict[str, float]:
    """The reach of each position, by its line."""
    return {node.line: node.reach for node in played.plan.targets}


def test_owner_plays_by_weight_and_the_opponent_by_frequency(sources: tuple[MoveSource, MoveSource]) -> None:
    white, black = (play_book(*sources, side, most=50, fold=False) for side in range(2))
    assert by_line(white) == pytest.approx(
        {
            "": 1.0,
            "e2e4": 0.75,
            "d2d4": 0.25,
            "e2e4 e7e5": 0.5,
            "e2e4 c7c5": 0.25,
            "d2d4 d7d5": 0.25,
            "e2e4 e7e5 g1f3": 0.5,
        }
    )
    assert {node.line for node in white.plan.targets if node.is_exit} == {"e2e4 c7c5", "d2d4 d7d5"}
    assert white.own_visits == pytest.approx(1.5)
    assert {node.line for node in black.plan.targets if node.is_exit} == {"e2e4"}
    assert black.own_visits == pytest.approx(0.25)
    assert sum(move.share for move in black.plan.moves if move.is_own) == pytest.approx(0.25)


def test_plan_has_each_position_and_move_of_both_owners_once(sources: tuple[MoveSource, MoveSource]) -> None:
    games = [play_book(*sources, side, most=50, fold=False) for side in range(2)]
    plan = plan_of(games, fold=False)
    lines = {*by_line(games[0]), *by_line(games[1])}
    assert {target.line for target in plan.targets} == lines
    for move in plan.moves:
        before, end = plan.targets[move.before], plan.targets[move.after]
        assert before.position.play(move.code) == end.position
    assert len(plan.moves) == len({(move.before, move.code) for move in plan.moves})


def evals_of(scores: dict[str, int]) -> Evals:
    """Evaluations of lines."""
    import pyarrow as pa

    from bookbuilder.schema import EVALS

    rows = []
    for line, score in scores.items():
        key, lock = after(line).stored(False)
        rows.append({"key": key, "lock": lock, "engine": "E", "limit": "nodes=9", "nodes": 9, "score": score})
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "chess")


def test_moves_and_exits_have_losses_and_values(sources: tuple[MoveSource, MoveSource]) -> None:
    played = play_book(*sources, 0, most=50, fold=False)
    evals = evals_of(
        {"": 30, "e2e4": -20, "d2d4": 120, "e2e4 e7e5": 40, "e2e4 e7e5 g1f3": -30, "e2e4 c7c5": 25}
    )
    moves = owner_moves(played, evals)[["line", "move", "loss_cp", "visits"]].to_numpy().tolist()
    assert moves == [["", "e4", 10, 0.75], ["1. e4 e5", "Nf3", 10, 0.5], ["", "d4", 150, 0.25]]
    exits = owner_exits(played, evals)
    assert {*exits["line"]} == {"1. e4 c5", "1. d4 d5"}
    known = exits.dropna()[["line", "value_cp", "reach"]].to_numpy().tolist()
    assert known == [["1. e4 c5", 25, 0.25]]


@pytest.fixture
def store(chess_pgn: Path, tmp_path: Path) -> Path:
    """A small store."""
    assert run("tally", chess_pgn, "-o", tmp_path / "a.store", "--quiet").code == 0
    return tmp_path / "a.store"


@pytest.mark.parametrize(("suffix", "against"), [("book", True), ("bin", True), ("bin", False)])
def test_command_agrees_with_the_scripted_engine_and_with_python(
    store: Path, tmp_path: Path, suffix: str, against: bool
) -> None:
    book, evals, engine = tmp_path / f"b.{suffix}", tmp_path / "b.evals", command(tmp_path / "log")
    assert run("build", store, "-o", book, "--preset", "own-games", "--quiet").code == 0
    usual = ["book", "check", book, "--engine", engine, "--nodes", "100", "--evals", evals]
    usual += ["--against", store] if against else []
    ran = run(*usual, "--json", "--quiet")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["losing"]
    for move in told["losing"]:
        here = as_position(move["after"] or "startpos", "chess")
        code = here.parse_move(move["move"])
        loss = score_of(here) + score_of(here.play(code))
        assert (move["loss_cp"], here.parse_move(move["best"])) == (loss, here.parse_move(best_of(here)))
        assert loss > 60
    assert len(Evals.read(evals)) > 0
    again = run(*usual, "--max-loss", "0")
    assert again.code == 1
    assert "lose more than 0 centipawns; the worst is" in again.err
    assert "value at the main exits, cp" in again.out
    if not against:
        return
    check = check_book(book, Tally.open(store), nodes=100, engine=engine)
    figures, moves, exits = check.figures(), check.moves(), check.exits()
    for word, owner in told["owners"].items():
        # Moves of rare lines are not checked.
        assert owner["checked"] == pytest.approx(1.0, abs=1e-4)
        assert figures[word].tolist() == pytest.approx([*pd.Series(owner, dtype=float)], nan_ok=True)
        own, known = moves[moves["owner"] == word], exits[exits["owner"] == word].dropna()
        mean = np.average(own["loss_cp"], weights=own["visits"])
        rare = own["visits"][own["loss_cp"] > 60].sum() / own["visits"].sum()
        shown = (len(own), mean, 1000 * rare, known["reach"].sum())
        names = ("moves", "mean_loss_cp", "blunders", "exits_checked")
        assert shown == pytest.approx(tuple(owner[name] for name in names))
