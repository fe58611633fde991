"""The default quality and custom formulas."""

from __future__ import annotations

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
