"""Checks of books: the graph of a small book by hand, figures by a scripted engine, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.scripted_judge import best_of, command, score_of

from bookbuilder import Evals, Position, Tally
from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource, TallyMoves
from bookbuilder.engine.check import Figures, check_figures
from bookbuilder.engine.evaluate.plan import Played, plan_of, play_book
from bookbuilder.tally.store.reading import OpenStore

BOOK = {"": (("e2e4", 3), ("d2d4", 1)), "e2e4 e7e5": (("g1f3", 1),), "d2d4": (("d7d5", 1), ("g8f6", 4))}
GAMES = ["1. e4 e5", "1. e4 e5", "1. e4 c5", "1. d4 d5"]


def after(line: str) -> Position:
    """The position after moves."""
    position = Position("chess")
    for move in line.split():
        position = position.play(position.parse_move(move))
    return position


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


def figures(sources: tuple[MoveSource, MoveSource], scores: dict[str, int]) -> Figures:
    """Figures of White."""
    played = play_book(*sources, 0, most=50, fold=False)
    return check_figures(played, evals_of(scores), limit_cp=100)


def test_figures_are_weighted_by_visits(sources: tuple[MoveSource, MoveSource]) -> None:
    scores = {"": 30, "e2e4": -20, "d2d4": 120, "e2e4 e7e5": 40, "e2e4 e7e5 g1f3": -30, "e2e4 c7c5": 25}
    found = figures(sources, scores)
    # Losses: e4 10 (visits 0.75), d4 150 (0.25), Nf3 10 (0.5).
    assert (found.moves, found.checked) == (3, pytest.approx(1.0))
    assert found.mean_loss_cp == pytest.approx((7.5 + 37.5 + 5) / 1.5)
    assert found.blunders == pytest.approx(1000 * 0.25 / 1.5)
    assert (found.exit_cp, found.exits_checked) == (25, 0.25)
    assert [(move.move, move.loss_cp, move.line) for move in found.losing] == [("d2d4", 150, ())]


@pytest.fixture
def store(chess_pgn: Path, tmp_path: Path) -> Path:
    """A small store."""
    assert run("tally", chess_pgn, "-o", tmp_path / "a.store", "--quiet").code == 0
    return tmp_path / "a.store"


@pytest.mark.parametrize("suffix", ["book", "bin"])
def test_command_agrees_with_the_scripted_engine(store: Path, tmp_path: Path, suffix: str) -> None:
    book, evals = tmp_path / f"b.{suffix}", tmp_path / "b.evals"
    assert run("build", store, "-o", book, "--preset", "own-games", "--quiet").code == 0
    usual = [
        "book",
        "check",
        book,
        "--against",
        store,
        "--engine",
        command(tmp_path / "log"),
        "--nodes",
        "100",
    ]
    ran = run(*usual, "--blunder", "60", "--evals", evals, "--json", "--quiet")
    assert ran.code == 0, ran.err
    owners = json.loads(ran.out)["owners"]
    assert [each["owner"] for each in owners] == ["first", "second"]
    for each in owners:
        # Moves of rare lines are not checked.
        assert each["checked"] == pytest.approx(1.0, abs=1e-4)
        for move in each["losing"]:
            here = after(" ".join(move["line"]))
            loss = score_of(here) + score_of(here.play(here.parse_move(move["move"])))
            assert (move["loss_cp"], move["best"]) == (loss, best_of(here))
            assert loss > 60
    assert len(Evals.read(evals)) > 0
    again = run(*usual, "--evals", evals, "--max-loss", "0")
    assert again.code == 1
    assert "lose more than 0 centipawns; the worst is" in again.err
    assert "value at the main exits, cp" in again.out
