"""Ratios of results: P with its Wilson bounds, and the score; shares and thresholds as exact fractions.

Each function takes the counts of one row as numbers, or the columns of many rows as arrays. It returns floats
or float64 arrays, in which NaN means "undefined". Ratios are for people to read: `selection` compares with
thresholds in integers. numpy is loaded with the first array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from bookbuilder.errors import SelectionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Column: TypeAlias = Any
"""A number or truth value of one row, or an array with one for each row."""
Counts: TypeAlias = "npt.NDArray[np.unsignedinteger[Any]]"
"""Counts of games, one for each row; any unsigned integer type."""

Share: TypeAlias = str | Decimal | Fraction | int | float
"""A number from 0 to 1. A float means the decimal that it prints as: 0.55 is 55/100."""

CONFIDENCE_Z: Final = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

_Number = TypeVar("_Number", float, "npt.NDArray[Any]")

# Rows computed at a time, so that intermediate columns stay in the cache of a processor. Chosen, not tuned.
_BLOCK: Final = 1 << 15


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


def blocks(rows: int) -> Iterator[slice]:
    """Yield slices that together cover all rows, so that a formula of many steps needs little memory."""
    return (slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK))


def win_ratio(wins: _Number, losses: _Number) -> _Number:
    """Return P = W / (W + L) of the side that made the move, without draws; NaN where W + L = 0.

    Example:
        >>> import numpy as np
        >>> win_ratio(np.array([11, 0], np.uint64), np.array([9, 0], np.uint64))
        array([0.55,  nan])

    Source: own; the threshold P of the literature on opening libraries.
    """
    return _computed(lambda w, l: (quotient(w, w + l),), wins, losses)[0]  # noqa: E741


def wilson_bounds(wins: _Number, losses: _Number) -> tuple[_Number, _Number]:
    """Return the lower and upper Wilson bound of P, 95 %.

    Args:
        wins: games won by the side that made the move; weighted games may be fractions.
        losses: games it lost.

    Returns:
        Lower and upper bound, with 0.0 ≤ low ≤ P ≤ high ≤ 1.0; NaN where W + L = 0.

    Example:
        >>> low, high = wilson_bounds(11, 9)
        >>> round(low, 4), round(high, 4)
        (0.3421, 0.7418)

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
    """
    low, high = _computed(_wilson, wins, losses)
    return low, high


_Z_SQUARED: Final = CONFIDENCE_Z * CONFIDENCE_Z


def _wilson(w: _Number, l: _Number) -> tuple[_Number, _Number]:  # noqa: E741
    z2 = _Z_SQUARED
    ratio = quotient(w, w + l)
    total = w + l + z2
    centre = (w + z2 / 2) / total
    spread = CONFIDENCE_Z * _root(ratio * l + z2 / 4) / total
    # At P = 0 and P = 1 a bound equals P; rounding may go past that.
    low, high = centre - spread, centre + spread
    low = where(low < 0, 0.0, low)
    high = where(high > 1, 1.0, high)
    return where(low > ratio, ratio, low), where(high < ratio, ratio, high)


def score(wins: _Number, draws: _Number, losses: _Number) -> _Number:
    """Return (W + D / 2) / (W + D + L) of the side that made the move; NaN where no result is known.

    Example:
        >>> score(1, 2, 1)
        0.5
    """
    return _computed(lambda w, d, l: (quotient(w + d / 2, w + d + l),), wins, draws, losses)[0]  # noqa: E741


def performance(surplus: _Number, paired: _Number) -> _Number:
    """Return the score to expect against an equal opponent: 1/2 and the mean surplus.

    The surplus of a game is its result less the score that the two ratings promise. It is added to 1/2 as it
    is, although surpluses against much stronger and much weaker players are not quite alike.

    The surpluses are of the side that made the move, in hundredths of a game; `paired` games are in their
    sum.

    Returns:
        0.0 … 1.0, cut there; NaN where no game has a result and both ratings.

    Example:
        >>> performance(-240, 40)
        0.44
    """
    value: _Number = _computed(lambda s, n: (quotient(*performance_parts(s, n)),), surplus, paired)[0]
    return value


def performance_parts(surplus: Column, paired: Column) -> tuple[Column, Column]:
    """Return the `performance` exactly, as part and whole in hundredths of a game.

    Example:
        >>> performance_parts(-240, 40)
        (1760, 4000)
    """
    games = paired if isinstance(paired, int | float) else paired.astype("int64")
    part, whole = 50 * games + surplus, 100 * games
    part = where(part < 0, 0 * games, part)
    return where(part > whole, whole, part), whole


def _computed(formula: Callable[..., tuple[_Number, ...]], *counts: _Number) -> tuple[_Number, ...]:
    """Return the values of a formula for numbers, or for columns block by block."""
    if isinstance(counts[0], int | float):
        return formula(*counts)
    import numpy as np

    if np.ndim(counts[0]) == 0:  # a number of numpy
        return formula(*(np.asarray(each).item() for each in counts))
    # Sums of counts with less than 64 bits would wrap around.
    columns = [np.asarray(each) for each in counts]
    is_narrow = [each.dtype.kind in "iu" and each.dtype.itemsize < 8 for each in columns]
    columns = [
        each.astype(np.int64) if narrow else each for narrow, each in zip(is_narrow, columns, strict=True)
    ]
    parts = [formula(*(column[rows] for column in columns)) for rows in blocks(max(columns[0].size, 1))]
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def quotient(over: _Number, under: _Number) -> _Number:
    """Return over / under; NaN where `under` is 0."""
    if isinstance(under, int | float):
        return over / under if under else math.nan
    import numpy as np

    result = np.full(under.shape, np.nan)
    np.divide(over, under, out=result, where=under > 0)
    return result


def where(condition: Column, yes: Column, no: Column) -> Column:
    """Return `yes` where a condition holds, else `no`."""
    if isinstance(condition, bool):
        return yes if condition else no
    import numpy as np

    return np.where(condition, yes, no)


def _root(value: _Number) -> _Number:
    if isinstance(value, float):
        return math.sqrt(value)
    import numpy as np

    root: _Number = np.sqrt(value)
    return root


def result_ratios(wins: Column, draws: Column, losses: Column) -> dict[str, Column]:
    """Return p, p_low, p_high and score by name."""
    ratios = _computed(
        lambda w, d, l: (quotient(w, w + l), *_wilson(w, l), quotient(w + d / 2, w + d + l)),  # noqa: E741
        wins,
        draws,
        losses,
    )
    return dict(zip(("p", "p_low", "p_high", "score"), ratios, strict=True))


def result_figures(first_wins: int, draws: int, second_wins: int, *, first_moves: bool) -> dict[str, Any]:
    """Return the results of one row as the side that moves sees them.

    Returns:
        first_wins, draws, second_wins (by side); wins, losses (of the side that moves); p, p_low, p_high,
        score.

    Example:
        >>> figures = result_figures(11, 2, 9, first_moves=True)
        >>> figures["p"], round(figures["p_low"], 4), figures["score"]
        (0.55, 0.3421, 0.5454545454545454)
    """
    wins, losses = (first_wins, second_wins) if first_moves else (second_wins, first_wins)
    # The same as `result_ratios`, in plain numbers: a look-up of a book has a microsecond a move.
    decided, known = float(wins + losses), wins + draws + losses
    p = low = high = math.nan
    if decided:
        p = wins / decided
        total = decided + _Z_SQUARED
        centre = (wins + _Z_SQUARED / 2) / total
        spread = CONFIDENCE_Z * math.sqrt(p * losses + _Z_SQUARED / 4) / total
        low, high = min(max(centre - spread, 0.0), p), max(min(centre + spread, 1.0), p)
    return {
        "first_wins": first_wins,
        "draws": draws,
        "second_wins": second_wins,
        "wins": wins,
        "losses": losses,
        "p": p,
        "p_low": low,
        "p_high": high,
        "score": (wins + draws / 2) / known if known else math.nan,
    }
