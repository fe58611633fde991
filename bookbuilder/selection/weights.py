"""Weights of counts: how much a game counts by its age and its players' ratings.

Weighted counts are whole parts of a game (`SCALE` parts are one game), so that later comparisons are exact.

For each row (position, move) a tally keeps the first and the last year and the sum of the movers' ratings,
but not those of each game. So all games of a row have the same weight: by the middle of the row's years, and
by the mean of its known ratings. The weight is exact for a row of one year or one game. To weight each game
by its own year, count each year into its own store.

| weight | a game of a row counts |
|---|---|
| half life h | 2^(−age / h); age in years before the tally's newest year; unknown year: 1/2 |
| rating half r | 2^(−d / r), at most 1; d: points of its mean rating below the tally's mean; unknown: 1/2 |
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder.ratios import Counts
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.thresholds import as_years
from bookbuilder.tally.tally import Tally

__all__ = ["SCALE", "weighted_counts"]

SCALE: Final = 1 << 16
"""Parts of a game in which weighted counts are given."""

_COUNTS: Final = ("games", "first_wins", "draws", "second_wins", "paired", "surplus")
# Enough digits that every machine rounds a weight to the same whole part.
_EXACT: Final = Context(prec=30)


def weighted_counts(tally: Tally, options: SelectionOptions) -> tuple[dict[str, Counts], int]:
    """Return the counts of each row that games have a weight in, and the parts of a game that they count.

    These are games, first_wins, draws, second_wins, paired and surplus.

    Args:
        tally: any tally.
        options: `half_life` and `rating_half` apply; without them there is one part to a game.
    """
    counts = {name: tally.column(name) for name in _COUNTS}
    if options.half_life is None and options.rating_half is None:
        return counts, 1
    weight = np.full(len(tally), SCALE, dtype=np.uint64)
    if options.half_life is not None:
        weight = weight * _by_age(tally, as_years(options.half_life)) // np.uint64(SCALE)
    if options.rating_half is not None:
        weight = weight * _by_rating(tally, options.rating_half) // np.uint64(SCALE)
    return {name: column * weight.astype(column.dtype) for name, column in counts.items()}, SCALE


def _by_age(tally: Tally, half_life: Fraction) -> npt.NDArray[np.uint64]:
    year_min, year_max = (tally.column(name).astype(np.int64) for name in ("year_min", "year_max"))
    newest = int(year_max.max(initial=0))
    # In half years, so that the middle of two years is a whole number; one half life for an unknown year.
    half_years = 2 * newest - year_min - year_max
    return _halved(half_years, 2 * half_life, unknown=year_max == 0)


def _by_rating(tally: Tally, points: int) -> npt.NDArray[np.uint64]:
    rating_sum, rated = (tally.column(name).astype(np.int64) for name in ("rating_sum", "rated"))
    mean = int(rating_sum.sum()) // max(int(rated.sum()), 1)
    below = np.maximum(mean - rating_sum // np.maximum(rated, 1), 0)
    return _halved(below, Fraction(points), unknown=rated == 0)


def _halved(
    distance: npt.NDArray[np.int64], half: Fraction, *, unknown: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint64]:
    """Return SCALE · 2^(−distance / half) for each row, rounded; SCALE / 2 where it is unknown."""
    distance = np.where(unknown, 0, distance)
    longest = int(distance.max(initial=0))
    table = np.empty(longest + 1, dtype=np.uint64)
    for each in range(longest + 1):
        exponent = _EXACT.divide(Decimal(-each * half.denominator), Decimal(half.numerator))
        part = _EXACT.multiply(_EXACT.power(Decimal(2), exponent), Decimal(SCALE))
        table[each] = int(part.to_integral_value())
    return np.where(unknown, np.uint64(SCALE // 2), table[distance])
