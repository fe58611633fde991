"""The verdict on one position equals the row of a selection of the whole tally."""

from __future__ import annotations

import pytest

from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.engine_view import OF_ENGINE
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.position_verdict import judge_position
from bookbuilder.selection.presets import preset
from bookbuilder.selection.select import select


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_win_rate": "0", "min_games": 0},
        {"min_win_rate": "1/3", "min_games": 5, "max_ply": 3},
        {"min_win_rate": "1", "min_games": 2, "side": "second"},
        {"min_win_rate": "0.4", "confident": True, "undefined_p": "drop"},
        {"min_win_rate": "0.123456789012345678901", "confident": True, "min_score": "45%"},
        {"for_side": "first", "min_win_rate": "0.6", "opponent_min_win_rate": "0.2", "opponent_min_games": 3},
    ],
)
def test_verdict_on_a_position_is_that_of_the_selection(make_tally, options) -> None:
    tally, given = make_tally(7, 600), preset("literature", **options)
    newest_year = int(count_candidates(tally, "positions").year_max.max())
    for row in select(tally, given).table.to_pylist():
        key, lock, *engine = (row.pop(name) for name in ("key", "lock", *OF_ENGINE))
        assert engine == [None] * len(OF_ENGINE)
        assert judge_position(tally._source.rows_at(key, lock), given, newest_year=newest_year) == row


def test_position_without_rows_has_no_verdict() -> None:
    assert judge_position([], SelectionOptions(), newest_year=2020) is None
