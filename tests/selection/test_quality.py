"""The default quality and custom formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bookbuilder.errors import SelectionError
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.quality import blended_quality, checked_quality


@pytest.fixture
def candidates(make_tally) -> Candidates:
    return count_candidates(make_tally(11, 800), "positions")


def test_quality_equals_its_formula(candidates) -> None:
    c, year = candidates, candidates.year_max.astype(float)
    found = blended_quality(c)
    for row in range(len(c)):
        w, l, n, m = (float(each[row]) for each in (c.wins, c.losses, c.games, c.marks))  # noqa: E741
        rating = c.rating_sum[row] / c.rated[row] if c.rated[row] else 2300.0
        # An unknown year weighs as much as an age at which the term is 1/2.
        age = year.max() - year[row] if year[row] else 20.0
        blend = 50 * (w + 5) / (w + l + 10) + 20 * n / (n + 50) + 15 * (1 + m / (abs(m) + 3)) / 2
        blend += 10 * np.clip((rating - 1800) / 1000, 0, 1) + 5 * 20 / (20 + age)
        assert abs(found[row] - (31 * blend / 100)) <= 0.5 + 1e-9


@pytest.mark.parametrize("better", ["wins", "games", "marks", "rating_sum", "year_max"])
def test_quality_never_falls_when_a_count_improves(candidates, better) -> None:
    known = replace(
        candidates,
        rated=np.full_like(candidates.rated, 1),
        rating_sum=np.full_like(candidates.rating_sum, 2000),
        year_max=np.minimum(np.maximum(candidates.year_max, 1900), 2024),
    )
    known.year_max[0] = 2026
    step = {"year_max": 2, "rating_sum": 40}.get(better, 1)
    column = getattr(known, better)
    raised = column + column.dtype.type(step)
    raised[0] = column[0]
    before, after = blended_quality(known), blended_quality(replace(known, **{better: raised}))
    assert (after >= before).all()
    assert (after > before).any()


def test_losses_never_raise_quality(candidates) -> None:
    more = replace(candidates, losses=candidates.losses + np.uint64(1))
    assert (blended_quality(more) <= blended_quality(candidates)).all()


def test_quality_uses_most_of_its_range() -> None:
    def one(**columns: int) -> int:
        names = [name for name in Candidates.__dataclass_fields__ if name not in ("move", "scale")]
        values = {name: np.array([columns.get(name, 0)], np.int64) for name in names}
        return int(blended_quality(Candidates(move=None, **values))[0])

    best = one(wins=10**6, games=10**6, marks=50, rated=1, rating_sum=2850, year_max=2026)
    worst = one(losses=10**6, games=1, marks=-50, rated=1, rating_sum=1000, year_max=0)
    assert (worst, best) == (1, 31)


def test_custom_quality_is_rounded_halves_up() -> None:
    assert checked_quality([0, 0.5, 1.49, 30.5], 4).tolist() == [0, 1, 1, 31]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "expected 3 numbers"),
        ([1, 2, 32], "row 2 is 32.0"),
        ([1, -1, 3], "row 1 is -1.0"),
        ([1, float("nan"), 3], "row 1 is nan"),
        (["a", "b", "c"], "expected numbers from 0 to 31"),
        (5, "expected 3 numbers"),
    ],
)
def test_custom_quality_out_of_range_is_rejected(values, message) -> None:
    with pytest.raises(SelectionError, match=message):
        checked_quality(values, 3)
