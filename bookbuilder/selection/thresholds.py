"""Exact thresholds, shares and spans, and exact comparison of ratios with them.

A threshold is a fraction a/b, and W/N ≥ a/b is computed as b·W ≥ a·N, in integers. The lower Wilson bound
needs no root: it is at least t exactly where W/N ≥ t and N·(W/N − t)² ≥ z²·t·(1 − t). Columns compute both
sides in floating point first, and in integers only where the two are too close.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from operator import ge
from typing import Final, TypeAlias

from bookbuilder.errors import SelectionError
from bookbuilder.ratios import Column

__all__ = [
    "Z_SQUARED",
    "Share",
    "as_fraction",
    "as_margin",
    "as_share",
    "as_years",
    "at_least",
    "bound_at_least",
    "keeps_margin",
    "passes",
]

Share: TypeAlias = str | Decimal | Fraction | int | float
"""A number from 0 to 1. A float means the decimal that it prints as: 0.55 is 55/100."""

Z_SQUARED: Final = Fraction("3.841458820694124")
"""The square of the normal distribution's two-sided 95 % quantile: that of chi-square with one degree."""

_LARGEST: Final = 0xFFFF_FFFF_FFFF_FFFF
# Both sides of the Wilson test are exact to a few units of 2⁻⁵³. Where they differ by more than this share,
# floating point decides.
_DOUBT: Final = 1e-12
# Floating point stores whole numbers up to here exactly; half of 2⁵³, since the other side may be larger.
_EXACT: Final = 2.0**52


def as_fraction(share: Share, what: str = "threshold") -> Fraction:
    """Return a threshold exactly.

    Args:
        share: a decimal text, a text in per cent such as `55%`, a fraction text such as `11/20`, or a number.
            A float means the decimal that it prints as, not its binary fraction.
        what: what the number is, for the message.

    Raises:
        SelectionError: it is not a number from 0 to 1.

    Example:
        >>> as_fraction(0.55) == as_fraction("0.55") == as_fraction("55%") == as_fraction("11/20")
        True
        >>> as_fraction("55", "P")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SelectionError: P 55: expected a number from 0 to 1; did you mean 0.55 (55%)?
    """
    text = float.__repr__(share) if isinstance(share, float) else share
    is_percentage = isinstance(text, str) and text.strip().endswith("%")
    wrong = f"{what} {share}: expected a number from 0 to 1, such as 0.05 or 5%"
    try:
        fraction = Fraction(str(text).strip()[:-1].strip()) / 100 if is_percentage else Fraction(text)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise SelectionError(wrong) from error
    if 1 < fraction <= 100 and not is_percentage:
        meant = float(fraction / 100)
        raise SelectionError(
            f"{what} {share}: expected a number from 0 to 1; did you mean {meant:g} ({100 * meant:g}%)?"
        )
    if not 0 <= fraction <= 1:
        raise SelectionError(wrong)
    return fraction


as_share = partial(as_fraction, what="share")
"""Return a share exactly, like `as_fraction`."""
as_margin = partial(as_fraction, what="margin")
"""Return a margin exactly, like `as_fraction`."""


def as_years(span: str | float | Fraction) -> Fraction:
    """Return a span of years, exactly.

    Args:
        span: a number of years, or a text such as `5y`, `2.5` or `18m` (months).

    Raises:
        SelectionError: it is not a number above 0.

    Example:
        >>> as_years("18m") == as_years(1.5) == as_years("1.5y")
        True
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\d+/[1-9]\d*)\s*([ym]?)\s*", str(span), re.ASCII)
    years = Fraction(match[1]) / (12 if match[2] == "m" else 1) if match else Fraction(0)
    if years == 0:
        raise SelectionError(f"half life {span}: expected years above 0, such as 5y or 18m")
    return years


def passes(wins: Column, losses: Column, threshold: Fraction) -> Column:
    """Return whether W / (W + L) ≥ threshold, exactly; true where W + L = 0.

    Args:
        wins: a number or a uint64 array.
        losses: likewise; W + L fits in 64 bits.
        threshold: 0 … 1.

    Example:
        >>> import numpy as np
        >>> passes(np.array([11, 10], np.uint64), np.array([9, 10], np.uint64), Fraction(11, 20))
        array([ True, False])
    """
    return at_least(wins, wins + losses, threshold)


def at_least(part: Column, whole: Column, threshold: Fraction) -> Column:
    """Return whether part / whole ≥ threshold, exactly; true where the whole is 0.

    Args:
        part: a number or a uint64 array, nowhere above `whole`.
        whole: likewise.
        threshold: 0 … 1.
    """
    over, under = threshold.numerator, threshold.denominator
    if isinstance(whole, int):
        return under * part >= over * whole
    import numpy as np

    if under * int(whole.max(initial=1)) <= _LARGEST:
        # part ≤ whole and a ≤ b, so no product is above b · max(whole), and nothing wraps.
        return np.uint64(under) * part >= np.uint64(over) * whole
    # A threshold of many digits: compute what each distinct whole needs in Python's integers.
    wholes, place = np.unique(whole, return_inverse=True)
    needed = np.array([math.ceil(Fraction(over * each, under)) for each in wholes.tolist()], dtype=np.uint64)
    return part >= needed[place]


def bound_at_least(wins: Column, losses: Column, threshold: Fraction, *, scale: int = 1) -> Column:
    """Return whether the lower Wilson bound of W / (W + L) ≥ threshold, exactly; true where W + L = 0.

    Args:
        wins: a number or a uint64 array, in games / `scale`.
        losses: likewise.
        threshold: 0 … 1.
        scale: parts of a game in which the counts are given.

    Example:
        >>> bound_at_least(60, 40, Fraction(11, 20)), bound_at_least(600, 400, Fraction(11, 20))
        (False, True)
    """
    over, under = threshold.numerator, threshold.denominator
    factor = Z_SQUARED * over * (under - over) * scale

    def is_high(won: int, decided: int) -> bool:
        if threshold == 1:  # n games won of n have the bound n / (n + z²)
            return decided == 0
        excess = under * won - over * decided
        return excess >= 0 and excess * excess >= factor * decided

    total = wins + losses
    if isinstance(total, int):
        return is_high(wins, total)
    import numpy as np

    if threshold in (0, 1):
        return total == 0 if threshold == 1 else np.ones(total.shape, dtype=np.bool_)
    if under * int(total.max(initial=0)) >= 2**63:  # a threshold of many digits
        pairs, place = np.unique(np.stack([wins, total]), axis=1, return_inverse=True)
        return np.array([is_high(*pair) for pair in pairs.T.tolist()], dtype=np.bool_)[place.reshape(-1)]
    excess = np.int64(under) * wins.astype(np.int64) - np.int64(over) * total.astype(np.int64)
    left, right = np.square(excess.astype(np.float64)), float(factor) * total
    answer = (excess >= 0) & (left >= right)
    unsure = np.flatnonzero((excess >= 0) & (total > 0) & (np.abs(left - right) <= _DOUBT * right))
    answer[unsure] = [is_high(int(wins[row]), int(total[row])) for row in unsure]
    return answer


def keeps_margin(
    part: Column, whole: Column, of_part: Column, of_whole: Column, *, margin: Fraction, prior: int
) -> Column:
    """Return whether a move's ratio is at most a margin below that of its position, exactly.

    The move's ratio is drawn towards the position's r = of_part / of_whole by `prior` games. The test is
    (part + prior · r) / (whole + prior) ≥ r − margin. In integers, with margin = a/b, it is
    b · part · of_whole + a · of_whole · (whole + prior) ≥ b · of_part · whole.

    Args:
        part: a number or an integer array: wins, or points, of the move.
        whole: decisive games, or the largest number of points.
        of_part: likewise of its position.
        of_whole: likewise.
        margin: 0 … 1.
        prior: in the unit of `whole`.

    Returns:
        True or False for each row; true where the position's ratio is undefined.

    Example:
        >>> keeps_margin(9, 20, 500, 1000, margin=Fraction(1, 50), prior=20)
        False
        >>> keeps_margin(9, 20, 500, 1000, margin=Fraction(1, 40), prior=20)
        True
    """
    excess = partial(_margin_sides, margin=margin, prior=prior)
    if isinstance(whole, int):
        return ge(*excess(part, whole, of_part, of_whole))
    import numpy as np

    columns = [np.asarray(column) for column in (part, whole, of_part, of_whole)]
    gain, need = excess(*(column.astype(np.float64) for column in columns))
    answer = gain >= need
    # Whole numbers below 2⁵³ are exact. Above, integers decide where the two sides are too close.
    unsure = np.flatnonzero((need >= _EXACT) & (np.abs(gain - need) <= _DOUBT * need))
    for row in unsure.tolist():
        exact = excess(*(int(column[row]) for column in columns))
        answer[row] = exact[0] >= exact[1]
    return answer


def _margin_sides(
    part: Column, whole: Column, of_part: Column, of_whole: Column, *, margin: Fraction, prior: int
) -> tuple[Column, Column]:
    """Return the two sides of the test of `keeps_margin`: the first is to be at least the second."""
    over, under = margin.numerator, margin.denominator
    return under * part * of_whole + over * of_whole * (whole + prior), under * of_part * whole
