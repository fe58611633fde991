"""Each point of the curve equals the count of the selection with the same options."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support.selections import LITERATURE

from bookbuilder.analysis.threshold import GRID, threshold_curve
from bookbuilder.errors import SelectionError
from bookbuilder.selection.select import select
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.tally import Tally


def test_default_grid_is_twentieths() -> None:
    assert GRID[:2] == (0, Fraction(1, 20))
    assert GRID[-1] == 1
    assert len(GRID) == 21


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


def test_curve_falls_with_p_and_with_the_minimum_count(make_tally) -> None:
    curve = threshold_curve(make_tally(7, 800))
    wide = curve.pivot_table(index="p", columns="min_games", values="positions")
    assert (wide.diff().iloc[1:] <= 0).all(axis=None)
    assert (wide.diff(axis=1).iloc[:, 1:] <= 0).all(axis=None)


def test_threshold_zero_keeps_all_except_roots(make_tally) -> None:
    tally = make_tally(8, 500)
    frame = tally.to_pandas().groupby(["key", "lock"])["ply"].min()
    curve = threshold_curve(tally, min_games=[1])
    assert curve.positions.iloc[0] == int((frame > 0).sum())
    assert curve.usage_share.iloc[0] == 1.0


def test_grid_is_sorted_and_each_threshold_counted_once(make_tally) -> None:
    curve = threshold_curve(make_tally(), grid=["0.5", 0.1, Fraction(1, 2)], min_games=[2, 1])
    assert curve[["p", "min_games"]].to_numpy().tolist() == [[0.1, 2], [0.5, 2], [0.1, 1], [0.5, 1]]


def test_empty_tally_keeps_nothing() -> None:
    curve = threshold_curve(Tally.empty(TallyOptions(game="chess")))
    assert (curve.positions == 0).all()
    assert np.isnan(curve.usage_share).all()


@pytest.mark.parametrize("options", [{"grid": []}, {"min_games": [-1]}, {"grid": ["2"]}])
def test_invalid_options_are_rejected(make_tally, options) -> None:
    with pytest.raises(SelectionError, match="expected"):
        threshold_curve(make_tally(), **options)
