"""Backed-up and expected values: against a search of every line, by hand, and in books."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.cli_runner import run

from bookbuilder import Evals, Tally, as_position, explain, select, write_book
from bookbuilder.book.open import open_book
from bookbuilder.errors import SelectionError
from bookbuilder.evals.table import Valued
from bookbuilder.games.position import Game
from bookbuilder.schema import EVALS
from bookbuilder.selection.engine import back_up
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import SelectionOptions

KEEP_ALL = {"min_games": 1, "margin": None}
GAMES = (
    ("1. e4 e5 2. Nf3 Nc6", ("1-0", "0-1") * 5),
    ("1. e4 e5 2. Bc4 Nf6", ("1-0", "0-1") * 5),
    ("1. e4 c5 2. Nf3 d6", ("1/2-1/2",) * 10),
    ("1. d4 d5 2. c4 e6", ("1-0", "1/2-1/2", "0-1") * 4),
)


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    """The tally of these games."""
    path = tmp_path_factory.mktemp("backup") / "a.pgn"
    games = [(line, result) for line, results in GAMES for result in results]
    path.write_text("".join(f'[Result "{result}"]\n\n{line} {result}\n\n' for line, result in games))
    return Tally.from_archives(path)


def evals_of(scores: Mapping[str, int], best: Mapping[str, str] | None = None, game: Game = "chess") -> Evals:
    """Return evaluations of lines, for the side to move."""
    rows = []
    for line, score in scores.items():
        here = as_position(line, game)
        code = here.stored_move(here.parse_move((best or {})[line]), True) if line in (best or {}) else None
        key, lock = here.stored(game == "xiangqi")
        known = {"engine": "E", "network": None, "limit": "nodes=9", "depth": 9, "nodes": 9}
        rows.append({"key": key, "lock": lock, **known, "score": score, "best": code})
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), game)


@pytest.mark.parametrize(("limit", "reason"), [(91, ""), (90, ""), (89, "below-value")])
def test_losses_by_value_are_limited(tally: Tally, limit: int, reason: str) -> None:
    evals = evals_of({"1.e4 e5": 30, "1.e4 e5 2.Nf3": 80, "1.e4 e5 2.Bc4": -10}, {"1.e4 e5": "Bc4"})
    for shape in ("moves", "positions"):
        chosen = select(tally, evals=evals, max_loss=limit, veto=1000, shape=shape, **KEEP_ALL)
        assert chosen.origin is not None
        rows = explain(tally, chosen, "1.e4 e5").set_index("san")
        assert rows.loc["Nf3", "reason"] == reason
        assert rows.loc["Bc4", "reason"] == ""
        assert not reason or "-80 cp, is too low" in rows.loc["Nf3", "why"]


@pytest.mark.parametrize("suffix", ["bin", "book"])
def test_loss_scale_moves_weights_alike_in_every_format(tally: Tally, tmp_path: Path, suffix: str) -> None:
    evals = evals_of({"1.e4 e5": 30, "1.e4 e5 2.Nf3": 10, "1.e4 e5 2.Bc4": -10}, {"1.e4 e5": "Bc4"})
    here = as_position("1.e4 e5", "chess")
    shares = []
    for scale in (0, 20):
        shape = "moves" if suffix == "bin" else "positions"
        chosen = select(tally, evals=evals, loss_scale=scale, sharpen=1, shape=shape, **KEEP_ALL)
        write_book(chosen, tmp_path / f"a.{suffix}")
        offered = {
            here.san(each.code): each.weight
            for each in open_book(tmp_path / f"a.{suffix}", game="chess").choices(here)
        }
        shares.append(offered["Nf3"] / offered["Bc4"])
    assert shares[0] == pytest.approx(1.0)
    assert shares[1] == pytest.approx(np.exp(-1), rel=0.1)


def test_expected_value_is_the_mean_by_own_weights_and_by_games(tally: Tally) -> None:
    evals = evals_of({"1.e4": -20, "1.e4 e5": 30, "1.e4 e5 2.Nf3": -40, "1.e4 e5 2.Bc4": 0, "1.d4": 8})
    for shape in ("moves", "positions"):
        chosen = select(tally, evals=evals, loss_scale=0, sharpen=1, shape=shape, **KEEP_ALL)
        expected = {
            line: explain(tally, chosen, line).set_index("san")["expected"].to_dict()
            for line in ("startpos", "1.e4", "1.e4 e5")
        }
        assert expected["1.e4 e5"] == {"Nf3": 40, "Bc4": 0}
        # White draws 2. Nf3 and 2. Bc4 with weight 10 each: 20. Black has played e5 in 20 games and c5, which
        # counts as 1. e4 itself, in 10.
        assert expected["startpos"] == {"e4": pytest.approx((20 * 20 + 10 * 20) / 30), "d4": -8}
        # White has played 2. Nf3 and 2. Bc4 in 10 games each.
        assert expected["1.e4"]["e5"] == pytest.approx(-20)


class _Random:
    """A random graph of positions with circles, as a tally of chess would have it."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.count = rng.randint(2, 9)
        edges = sorted(
            {(rng.randrange(self.count), rng.randrange(self.count)) for _ in range(rng.randint(1, 16))}
        )
        # Sides alternate: an even number is the first side's move.
        self.edges = [(a, b) for a, b in edges if (a + b) % 2]
        self.score = [rng.randint(-100, 100) for _ in range(self.count)]
        self.best = [rng.randrange(len(self.edges) + 2) for _ in range(self.count)]

    def expected(self, number: int) -> float:
        """The value of a position by looking at every line of as many plies as there are positions."""

        @cache
        def value(here: int, plies: int) -> float:
            own = [(row, after) for row, (before, after) in enumerate(self.edges) if before == here]
            if not own:
                return self.score[here]
            if plies == 0:
                return 0.0
            found = [-value(after, plies - 1) for _, after in own]
            is_followed = any(row + 1 == self.best[here] for row, _ in own)
            return max(found if is_followed else [*found, self.score[here]])

        return value(number, 3 * self.count)


@pytest.mark.parametrize("seed", range(60))
def test_values_are_those_of_a_search_of_every_line(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _Random(seed)
    edges = np.array(made.edges, np.int64).reshape(-1, 2)
    starts = np.searchsorted(edges[:, 0], np.arange(made.count))
    graph = Graph(starts=starts, parent=edges[:, 0], child=edges[:, 1], placed=pa.table({}), root=0)
    score, best = np.array(made.score, np.float64), np.array(made.best, np.uint16)
    none = np.zeros(made.count, np.uint64)
    valued = Valued(score, none, best, score, none, best, best)

    class _Rows:
        game = "chess"

        def column(self, name: str) -> np.ndarray:
            assert name == "move"
            return np.arange(1, len(made.edges) + 1, dtype=np.uint16)

    found = back_up(valued, _Rows(), graph)  # type: ignore[arg-type]
    assert found.tolist() == [made.expected(number) for number in range(made.count)]


# Red's chariot takes an advisor with check, and steps to and fro with check, Black's general with it.
CHECKS = ["a0a1", "b9c7", "a1d1", "h9g7", "d1d9", "e9e8", "d9d8", "e8e9", "d8d9", "e9e8"]


def test_xiangqi_values_know_who_loses_a_perpetual(tmp_path: Path) -> None:
    lines = [CHECKS[:9], *(CHECKS[:8],) * 2, CHECKS, [*CHECKS[:6], "d9d7"]]
    tags = '[Game "Chinese Chess"]\n[Format "ICCS"]\n[Result "1/2-1/2"]\n'
    moves = [" ".join(f"{move[:2]}-{move[2:]}".upper() for move in line) for line in lines]
    (tmp_path / "x.pgn").write_text("".join(f"{tags}\n{line} 1/2-1/2\n\n" for line in moves))
    tally = Tally.from_archives(tmp_path / "x.pgn", game="xiangqi")
    around = {" ".join(CHECKS[:count]): CHECKS[count] for count in range(6, 10) if count < len(CHECKS)}
    # Stepping aside loses 100 centipawns, and stopping the checks one move later 300.
    scores = dict.fromkeys(around, 0) | {" ".join(CHECKS[:8]): -300, " ".join([*CHECKS[:6], "d9d7"]): 100}
    evals = evals_of(scores, around, "xiangqi")
    chosen = select(tally, evals=evals, shape="moves", **KEEP_ALL)
    here = " ".join(CHECKS[:6])
    rows = explain(tally, chosen, here).set_index("move")
    # For ever would be a draw, but Red loses by it: Red may not go round, and must step aside.
    assert rows["value"].to_dict() == {"d9d8": -300, "d9d7": -100}
    assert explain(tally, chosen, " ".join(CHECKS[:5])).set_index("move").loc["e9e8", "value"] == 100


def test_bundle_of_options_needs_evaluations(tally: Tally, tmp_path: Path) -> None:
    for change in ({"max_loss": 30}, {"loss_scale": 30}):
        with pytest.raises(SelectionError, match="expected evals"):
            select(tally, **change)
    path = tmp_path / "a.evals"
    evals_of({"1.e4 e5": 30}).write(path)
    options = SelectionOptions(evals=path, max_loss=40, loss_scale=25)
    again = SelectionOptions.from_json(options.to_json())
    assert (again.max_loss, again.loss_scale) == (40, 25)
    ran = run("build", tmp_path / "none.pgn", "--max-loss", 30, "-o", tmp_path / "b.bin")
    assert ran.code == 2


def test_move_that_loses_nothing_is_not_dropped_as_worse(tmp_path: Path) -> None:
    games = {"1. e4 e5": ("1-0",) * 900, "1. d4 d5": ("0-1",) * 120, "1. f3 e5": ("0-1",) * 80}
    path = tmp_path / "a.pgn"
    text = [f'[Result "{r}"]\n\n{line} {r}\n\n' for line, results in games.items() for r in results]
    path.write_text("".join(text), encoding="utf-8")
    tally = Tally.from_archives(path)
    for score, reason in ((0, ""), (-25, "proved-worse")):
        evals = evals_of({"startpos": 0, "1.e4": 0, "1.f3": -score}, {"startpos": "e4"})
        rows = explain(tally, select(tally, evals=evals, shape="moves"), "startpos").set_index("san")
        assert rows.loc["f3", "reason"] == reason
