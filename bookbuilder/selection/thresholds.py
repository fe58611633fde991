"""Ratios of counts against thresholds, compared exactly: counts in, one verdict for each row out.

A threshold is a fraction a/b, and W/N ≥ a/b is asked as b·W ≥ a·N, in integers. The lower Wilson bound is
asked without taking a root: it is at least t exactly where W/N ≥ t and N·(W/N − t)² ≥ z²·t·(1 − t), which
is the test that the bound turns round. Both sides are computed in floating point and, where they are too
near to each other to tell, in whole numbers.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bookbuilder.errors import SelectionError
from bookbuilder.ratios import Counts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Z_SQUARED", "Share", "as_fraction", "as_share", "at_least", "bound_at_least", "passes"]

Share: TypeAlias = str | Decimal | Fraction | int | float
"""A number from 0 to 1. A float means the decimal that it prints as: 0.55 is 55/100."""

Z_SQUARED: Final = Fraction("3.841458820694124")
"""The square of the normal distribution's two-sided 95 % quantile: that of chi-square with one degree."""

_Verdicts: TypeAlias = "npt.NDArray[np.bool_]"

_LARGEST: Final = 0xFFFF_FFFF_FFFF_FFFF
# Both sides of the Wilson test are right to a few units of 2⁻⁵³; where they differ by more than this share of
# themselves, floating point tells them apart.
_DOUBT: Final = 1e-12


def as_fraction(share: Share) -> Fraction:
    """Return a threshold exactly.

    Args:
        share: a decimal text, a fraction text such as `11/20`, or a number. A float is taken as the decimal
            that it prints as, not as the binary fraction that it is.

    Raises:
        SelectionError: it is no number from 0 to 1.

    Example:
        >>> as_fraction(0.55) == as_fraction("0.55") == as_fraction("55/100") == Fraction(11, 20)
        True
        >>> as_fraction("1.2")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SelectionError: threshold 1.2: expected a number from 0 to 1
    """
    wrong = f"threshold {share}: expected a number from 0 to 1"
    try:
        fraction = Fraction(float.__repr__(share) if isinstance(share, float) else share)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise SelectionError(wrong) from error
    if not 0 <= fraction <= 1:
        raise SelectionError(wrong)
    return fraction


def as_share(text: Share) -> Fraction:
    """Return a share exactly; besides what `as_fraction` takes, a text in per cent such as `0.5%`.

    Raises:
        SelectionError: it is no number from 0 to 1, nor from 0 % to 100 %.

    Example:
        >>> as_share("0.5%") == as_share("0.005") == Fraction(1, 200)
        True
    """
    if isinstance(text, str) and text.strip().endswith("%"):
        try:
            return as_fraction(Fraction(text.strip()[:-1].strip()) / 100)
        except (ValueError, ZeroDivisionError) as error:
            raise SelectionError(f"share {text}: expected a number from 0 % to 100 %") from error
    return as_fraction(text)


def passes(wins: Counts, losses: Counts, threshold: Fraction) -> _Verdicts:
    """Return for each row whether W / (W + L) ≥ threshold, exactly; true where W + L = 0.

    Args:
        wins: uint64 array.
        losses: uint64 array, same shape; W + L fits in 64 bits, being a count of games.
        threshold: 0 … 1.

    Example:
        >>> import numpy as np
        >>> passes(np.array([11, 10], np.uint64), np.array([9, 10], np.uint64), Fraction(11, 20))
        array([ True, False])
    """
    return at_least(wins, wins + losses, threshold)


def at_least(part: Counts, whole: Counts, threshold: Fraction) -> _Verdicts:
    """Return for each row whether part / whole ≥ threshold, exactly; true where the whole is 0.

    Args:
        part: uint64 array, nowhere above `whole`.
        whole: uint64 array, same shape.
        threshold: 0 … 1.
    """
    import numpy as np

    over, under = threshold.numerator, threshold.denominator
    if under * int(whole.max(initial=0)) <= _LARGEST:
        # part ≤ whole and a ≤ b, so no product is above b · max(whole): nothing wraps.
        small: _Verdicts = np.uint64(under) * part >= np.uint64(over) * whole
        return small
    # A threshold of many digits: the part that each distinct whole needs, in Python's integers.
    wholes, place = np.unique(whole, return_inverse=True)
    needed = np.array([math.ceil(Fraction(over * each, under)) for each in wholes.tolist()], dtype=np.uint64)
    enough: _Verdicts = part >= needed[place]
    return enough


def bound_at_least(wins: Counts, losses: Counts, threshold: Fraction, *, scale: int = 1) -> _Verdicts:
    """Return for each row whether the lower Wilson bound of W / (W + L) ≥ threshold; true where W + L = 0.

    Args:
        wins: uint64 array, in games / `scale`.
        losses: uint64 array, same shape and unit.
        threshold: 0 … 1.
        scale: parts of a game that the counts are given in.

    Example:
        >>> import numpy as np
        >>> wins, losses = np.array([60, 600], np.uint64), np.array([40, 400], np.uint64)
        >>> bound_at_least(wins, losses, Fraction(11, 20))
        array([False,  True])
    """
    import numpy as np

    total = wins + losses
    if threshold == 0:
        return np.ones(total.shape, dtype=np.bool_)
    if threshold == 1:  # n games won of n have the bound n / (n + z²)
        undefined: _Verdicts = total == 0
        return undefined
    over, under = threshold.numerator, threshold.denominator
    if under * int(total.max(initial=0)) >= 2**63:
        return _bound_by_pairs(wins, total, threshold, scale)
    excess = np.int64(under) * wins.astype(np.int64) - np.int64(over) * total.astype(np.int64)
    factor = Z_SQUARED * over * (under - over) * scale
    left, right = np.square(excess.astype(np.float64)), float(factor) * total
    answer: _Verdicts = (excess >= 0) & (left >= right)
    unsure = np.flatnonzero((excess >= 0) & (total > 0) & (np.abs(left - right) <= _DOUBT * right))
    answer[unsure] = [
        int(e) * int(e) >= factor * int(n) for e, n in zip(excess[unsure], total[unsure], strict=True)
    ]
    return answer


def _bound_by_pairs(wins: Counts, total: Counts, threshold: Fraction, scale: int) -> npt.NDArray[np.bool_]:
    """The same in Python's integers, once for each distinct pair: for thresholds of many digits."""
    import numpy as np

    pairs, place = np.unique(np.stack([wins, total]), axis=1, return_inverse=True)
    over, under = threshold.numerator, threshold.denominator
    factor = Z_SQUARED * over * (under - over) * scale

    def is_high(w: int, n: int) -> bool:
        excess = under * w - over * n
        return excess >= 0 and excess * excess >= factor * n

    found: list[Any] = [is_high(w, n) for w, n in pairs.T.tolist()]
    answer: _Verdicts = np.array(found, dtype=np.bool_)[place.reshape(-1)]
    return answer
