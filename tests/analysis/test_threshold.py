"""Each point of the curve equals the count of the selection with the same options."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.selections import LITERATURE

from bookbuilder.analysis.threshold import GRID, threshold_curve
from bookbuilder.errors import SelectionError
from bookbuilder.selection.select import select


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_ply": 12},
        # Denominators whose common multiple times a count leaves 64 bits.
        {"grid": ["0.333333333333", "0.55", Fraction(1, 9_999_991), Fraction(5, 9), "1"]},
    ],
)
@pytest.mark.parametrize("seed", [5, 6])
def test_every_point_equals_the_selection(make_tally, options, seed) -> None:
    tally = make_tally(seed, 600)
    grid = options.get("grid", GRID)
    curve = threshold_curve(tally, min_games=[0, 1, 4], **options)
    assert len(curve) == 3 * len(grid)
    rules = {name: value for name, value in options.items() if name != "grid"}
    at = {(row.p, row.min_games): row for row in curve.itertuples()}
    whole = select(tally, LITERATURE, min_win_rate=0, min_games=0, **rules)
    visits = int(whole.to_pandas().query("kept").reached.sum())
    for p in grid:
        for least in (0, 1, 4):
            kept = (
                select(tally, LITERATURE, min_win_rate=p, min_games=least, **rules).to_pandas().query("kept")
            )
            point = at[float(Fraction(p)), least]
            assert point.positions == len(kept)
            assert point.usage_share == int(kept.reached.sum()) / visits


@pytest.mark.parametrize("options", [{"grid": []}, {"min_games": [-1]}, {"grid": ["2"]}])
def test_invalid_options_are_rejected(make_tally, options) -> None:
    with pytest.raises(SelectionError, match="expected"):
        threshold_curve(make_tally(), **options)
