"""The margin compared with fractions: of columns, of numbers, and of small real games."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.selection.thresholds import keeps_margin
from bookbuilder.tally.tally import Tally

SIZES = [10, 10**4, 2**62]
# The margin is the only rule.
ALONE = {"min_games": 0, "min_share": None, "max_ply": None, "own_lines": False, "sharpen": None}


def holds(part: int, whole: int, of: tuple[int, int], margin: Fraction, prior: int) -> bool:
    """Whether the ratio of a move, with the prior, is at most the margin below that of its position."""
    of_part, of_whole = of
    if of_whole == 0 or whole + prior == 0:
        return True
    ratio = Fraction(of_part, of_whole)
    return (part + prior * ratio) / Fraction(whole + prior) >= ratio - margin


@st.composite
def standings(draw: Any) -> tuple[int, int, int, int]:
    """Wins and games of a move, and of a position, of small and of large numbers."""
    most = draw(st.sampled_from(SIZES))
    whole, of_whole = draw(st.integers(0, most)), draw(st.integers(0, most))
    return draw(st.integers(0, whole)), whole, draw(st.integers(0, of_whole)), of_whole


MARGINS = (
    st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 50), Fraction(1, 10**30 + 7)])
    | st.fractions(0, 1, max_denominator=500)
    | st.integers(0, 10**19).map(lambda n: Fraction(n, 10**19))
)


@given(st.lists(standings(), min_size=1, max_size=20), MARGINS, st.sampled_from([0, 1, 20, 10**6, 2**52]))
@settings(max_examples=300)
def test_margin_is_exact_for_columns_and_numbers(rows, margin, prior) -> None:
    expected = [holds(part, whole, of, margin, prior) for part, whole, *of in rows]
    columns = [np.array(column, np.uint64) for column in zip(*rows, strict=True)]
    assert keeps_margin(*columns, margin=margin, prior=prior).tolist() == expected
    assert [keeps_margin(*row, margin=margin, prior=prior) for row in rows] == expected


@given(st.integers(1, 2**30), st.integers(1, 2**30), st.integers(-1, 1), st.integers(0, 2))
def test_margin_is_exact_at_the_limit(scale, games, off_by, prior) -> None:
    # The position's ratio is 1/2, the margin 1/50: 12 of 25 games stand exactly at the limit.
    part, whole = 12 * games + off_by, 25 * games
    row = (part, whole, scale, 2 * scale)
    expected = holds(part, whole, (scale, 2 * scale), Fraction(1, 50), prior)
    assert keeps_margin(*row, margin=Fraction(1, 50), prior=prior) == expected
    columns = [np.array([each], np.uint64) for each in row]
    assert keeps_margin(*columns, margin=Fraction(1, 50), prior=prior).tolist() == [expected]


def test_limit_itself_passes_and_large_counts_are_told_apart() -> None:
    half = 2**61
    for part, expected in ((half, True), (half - 1, False)):
        columns = [np.array([each], np.uint64) for each in (part, 2 * half, half, 2 * half)]
        assert keeps_margin(*columns, margin=Fraction(0), prior=0).tolist() == [expected]


@pytest.fixture(scope="module")
def tally(data) -> Tally:
    """Four hundred games of our own, twelve plies of each."""
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12, limit=400)


class Counted:
    """The counts of a tally, summed row by row, from the view of the side that is asked about."""

    def __init__(self, tally: Tally) -> None:
        self.rows = tally.to_arrow().to_pylist()
        graph = tally_graph(tally)
        self.parent, self.child = graph.parent.tolist(), graph.child.tolist()
        self.sums: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self.moved: defaultdict[int, int] = defaultdict(int)
        for place, row in enumerate(self.rows):
            for index, name in enumerate(("games", "first_wins", "draws", "second_wins")):
                self.sums[self.parent[place]][index] += row[name]
            self.moved[self.parent[place]] += row["games"] if row["move"] else 0
        self.edges = [place for place, child in enumerate(self.child) if child < len(self.sums)]

    @staticmethod
    def of_side(counts: list[int], side: int) -> tuple[int, int, int]:
        """Wins, draws and losses of a side."""
        _, first, draws, second = counts
        return (first, draws, second) if side == 0 else (second, draws, first)

    def judged(self, place: int, basis: str) -> list[int]:
        """The counts that judge the move of a row."""
        if basis == "reached":
            return self.sums[self.child[place]]
        return [self.rows[place][name] for name in ("games", "first_wins", "draws", "second_wins")]

    def keeps(self, place: int, basis: str, *, margin: Any, prior: int, by: str) -> bool:
        """Whether the move of a row holds the margin."""
        side = self.rows[place]["mover"]
        part, whole = self.points(self.of_side(self.judged(place, basis), side), by)
        of = self.points(self.of_side(self.sums[self.parent[place]], side), by)
        return holds(part, whole, of, Fraction(str(margin)), prior * (1 if by == "p" else 2))

    @staticmethod
    def points(results: tuple[int, int, int], by: str) -> tuple[int, int]:
        """The two terms of P, or of the score in half points."""
        wins, draws, losses = results
        return (wins, wins + losses) if by == "p" else (2 * wins + draws, 2 * (wins + draws + losses))


@pytest.fixture(scope="module")
def counted(tally) -> Counted:
    return Counted(tally)


RULES = [
    {"margin": "0.02", "prior": 20, "by": "p"},
    {"margin": 0, "prior": 0, "by": "p"},
    {"margin": "0.1", "prior": 3, "by": "p"},
    {"margin": "0.02", "prior": 20, "by": "score"},
    {"margin": "1/7", "prior": 0, "by": "score"},
]


@pytest.mark.parametrize("basis", ["reached", "played"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_moves_equal_a_computation_with_fractions(tally, counted, basis, rules) -> None:
    found = select(tally, shape="moves", basis=basis, **ALONE, **rules).table.column("reason").to_pylist()
    for place in counted.edges:
        expected = "" if counted.keeps(place, basis, **rules) else "below-margin"
        assert found[place] == expected
    assert {"", "below-margin"} <= set(found)


@pytest.mark.parametrize("basis", ["reached", "played"])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_positions_are_kept_by_one_move_that_holds(tally, counted, basis, rules) -> None:
    chosen = select(tally, basis=basis, **ALONE, **rules).to_pandas()
    expected = {counted.child[place] for place in counted.edges if counted.keeps(place, basis, **rules)}
    root = tally_graph(tally).root
    assert set(np.flatnonzero(chosen.kept).tolist()) == expected - {root}
    assert (chosen.reason == "below-margin").any()


def test_higher_margin_keeps_no_fewer(tally) -> None:
    before = None
    for margin in ("0", "0.01", "0.05", "0.3", "1"):
        now = np.asarray(select(tally, **ALONE, margin=margin).table.column("kept"))
        assert before is None or (now >= before).all()
        before = now
    # No ratio is more than 1 below another.
    off = np.asarray(select(tally, **ALONE, margin=None, connected=False, top=1000).table.column("kept"))
    assert (before == off).all()


def test_rules_are_asked_in_order(tally) -> None:
    limits = {
        "min_games": 3,
        "min_win_rate": "0.45",
        "min_share": "0.05",
        "margin": "0.02",
        "top": 2,
        "own_lines": False,
    }
    verdicts = select(tally, shape="moves", max_ply=6, **limits).to_pandas()
    order = ["no-move", "beyond-ply", "below-games", "below-p", "below-share", "below-margin", "not-top", ""]
    assert set(verdicts.reason) == set(order)
    for place, name in enumerate(("min_games", "min_win_rate", "min_share", "margin"), 2):
        # Without a rule, rows that it dropped get the reason of a later one, all others keep theirs.
        off = {"min_games": 0, "min_win_rate": 0, "min_share": None, "margin": None}[name]
        loose = select(tally, shape="moves", max_ply=6, **{**limits, name: off}).to_pandas()
        dropped = verdicts.reason == order[place]
        assert loose.reason[dropped].isin(order[place + 1 :]).all()
        earlier = verdicts.reason.isin(order[:place])
        assert (loose.reason[earlier] == verdicts.reason[earlier]).all()


def test_opponent_has_no_margin(tally, counted) -> None:
    rules = {"margin": "0.02", "prior": 20, "by": "p"}
    chosen = select(tally, shape="moves", for_side="second", opponent_min_games=0, **ALONE, **rules)
    reasons = chosen.table.column("reason").to_pylist()
    for place in counted.edges:
        is_own = counted.rows[place]["mover"] == 1
        holds_margin = not is_own or counted.keeps(place, "played", **rules)
        assert reasons[place] == ("" if holds_margin else "below-margin")
    assert SelectionOptions(for_side="first").opponent.margin is None
