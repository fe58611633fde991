"""The verdict on one position: that of a selection, row by row."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bookbuilder.schema import REASONS
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.position_verdict import judge_position
from bookbuilder.selection.select import select


@pytest.mark.parametrize(("min_win_rate", "min_games"), [("0.55", 1), ("0", 0), ("1/3", 5), ("1", 2)])
def test_a_position_is_judged_as_by_a_selection_of_all(make_tally, min_win_rate, min_games) -> None:
    tally = make_tally(7, 600)
    selection = select(tally, min_win_rate=min_win_rate, min_games=min_games)
    newest_year = int(count_candidates(tally, "positions").year_max.max())
    for row in selection.table.to_pylist():
        verdict = judge_position(
            tally._rows_at(row["key"], row["lock"]),
            min_win_rate=Fraction(min_win_rate),
            min_games=min_games,
            newest_year=newest_year,
        )
        assert verdict == (row["quality"], row["kept"], row["reason"])
        assert verdict.reason in REASONS


def test_a_position_that_the_tally_does_not_have_is_beyond_its_plies() -> None:
    verdict = judge_position([], min_win_rate=Fraction(1, 2), min_games=1, newest_year=2020)
    assert verdict == (None, False, "beyond-ply")
