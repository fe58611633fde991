"""Exact thresholds and shares, and exact comparison of ratios with them.

A threshold is a fraction a/b, and W/N ≥ a/b is computed as b·W ≥ a·N, in integers. The upper Wilson bound of
W/N needs no root: it is below t exactly where W/N < t and N·(t − W/N)² > z²·t·(1 − t). Columns compute both
sides in floating point first, and in integers only where the two are too close.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Z_SQUARED: Final = Fraction("2.705543454095404")
"""The square of the normal distribution's one-sided 95 % quantile."""

_Counts: TypeAlias = npt.NDArray[Any]
_Mask: TypeAlias = npt.NDArray[np.bool_]

_LARGEST: Final = 0xFFFF_FFFF_FFFF_FFFF
# The two sides of the test of a bound are exact to a few units of 2⁻⁵³. Where they differ by less than this
# share, integers decide.
_DOUBT: Final = 1e-9


def passes(wins: _Counts, losses: _Counts, threshold: Fraction) -> _Mask:
    """Return whether W / (W + L) ≥ threshold, exactly; true where W + L = 0.

    Wins and losses are uint64 arrays, whose sum fits in 64 bits.
    """
    return at_least(wins, wins + losses, threshold)


def at_least(part: _Counts, whole: _Counts, threshold: Fraction) -> _Mask:
    """Return whether part / whole ≥ threshold, exactly; true where the whole is 0.

    Both are uint64 arrays; the part is nowhere above the whole.
    """
    over, under = threshold.numerator, threshold.denominator
    answer: _Mask
    if under * int(whole.max(initial=1)) <= _LARGEST:
        # part ≤ whole and a ≤ b, so no product is above b · max(whole), and nothing wraps.
        answer = np.uint64(under) * part >= np.uint64(over) * whole
        return answer
    # A threshold of many digits: compute what each distinct whole needs in Python's integers.
    wholes, place = np.unique(whole, return_inverse=True)
    needed = np.array([math.ceil(Fraction(over * each, under)) for each in wholes.tolist()], dtype=np.uint64)
    answer = part >= needed[place]
    return answer


def proved_worse(
    part: _Counts, whole: _Counts, of_part: _Counts, of_whole: _Counts, *, margin: Fraction, prior: int
) -> _Mask:
    """Return whether a move's ratio is proved to be more than a margin below that of its position, exactly.

    The move's ratio is drawn towards the position's r = of_part / of_whole by `prior` games. The move is
    worse where the upper Wilson bound of the result, one-sided 95 %, is below r − margin. In integers, with
    r − margin = T/D and E = T·(whole + prior) − D·(part + prior·r), that is

        E > 0 and E² > z²·T·(D − T)·(whole + prior)

    `part` of `whole` are the wins among the wins and losses of the move, `of_part` of `of_whole` those of its
    position. `prior` games are added at the ratio of the position. It is false where that is undefined.
    """
    over, under = margin.numerator, margin.denominator

    def sides(won: Any, games: Any, of_won: Any, of_games: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
        """Return the two terms of E, and T·(D − T)·(whole + prior)."""
        scale = under * of_games
        limit = under * of_won - over * of_games
        total = games + prior
        return limit * total, under * (won * of_games + prior * of_won), limit * (scale - limit) * total

    columns = [np.asarray(column) for column in (part, whole, of_part, of_whole)]
    need, have, spread = sides(*(column.astype(np.float64) for column in columns))
    root = np.sqrt(np.maximum(float(Z_SQUARED) * spread, 0))
    answer: _Mask = (need > 0) & (need - have > root) & (columns[3] > 0)
    unsure = (need > 0) & (np.abs(need - have - root) <= _DOUBT * (need + have))
    for row in np.flatnonzero(unsure).tolist():
        exact_need, exact_have, exact = sides(*(int(column[row]) for column in columns))
        excess = exact_need - exact_have
        answer[row] = excess > 0 and excess * excess > Z_SQUARED * exact
    return answer
