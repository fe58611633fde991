"""Ratios of results: the threshold statistic P with its Wilson bounds, and the score.

Counts come in as arrays of any unsigned integer type, or as numbers for one row; ratios go out as float64
arrays, or floats, in which NaN means "undefined". They are for people to read: whether a row passes a
threshold is decided in integers, by `selection`. numpy loads with the first array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "CONFIDENCE_Z",
    "Counts",
    "Ratios",
    "blocks",
    "result_figures",
    "score",
    "wilson_bounds",
    "win_ratio",
]

Counts: TypeAlias = "npt.NDArray[np.unsignedinteger[Any]]"
"""Counts of games, one for each row; any unsigned integer type."""
Ratios: TypeAlias = "npt.NDArray[np.float64]"
"""Ratios, one for each row; NaN where undefined."""

CONFIDENCE_Z: Final = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

_Number = TypeVar("_Number", float, Ratios)

# Rows that are computed at a time: what lies between their columns stays in a processor's cache. Chosen.
_BLOCK: Final = 1 << 15


def blocks(rows: int) -> Iterator[slice]:
    """Yield slices that together are all rows, so that a formula of many steps needs little memory."""
    return (slice(start, start + _BLOCK) for start in range(0, rows, _BLOCK))


def win_ratio(wins: Counts, losses: Counts) -> Ratios:
    """Return P = W / (W + L); draws are left out.

    Args:
        wins: games won by the side that made the move.
        losses: games it lost; same shape.

    Returns:
        0.0 … 1.0; NaN where W + L = 0.

    Example:
        >>> import numpy as np
        >>> win_ratio(np.array([11, 0], np.uint64), np.array([9, 0], np.uint64))
        array([0.55,  nan])

    Source: own; the threshold P of the literature on opening libraries.
    """
    return _by_blocks(lambda w, l: _quotient(w.astype("float64"), w.astype("float64") + l), wins, losses)  # noqa: E741


def wilson_bounds(wins: Counts | Ratios, losses: Counts | Ratios) -> tuple[Ratios, Ratios]:
    """Return the lower and upper Wilson bound of P, 95 %.

    Args:
        wins: games won by the side that made the move; parts of games, if games are weighed.
        losses: games it lost; same shape.

    Returns:
        Two arrays with 0.0 ≤ low ≤ P ≤ high ≤ 1.0; NaN where W + L = 0.

    Example:
        >>> import numpy as np
        >>> low, high = wilson_bounds(np.array([11], np.uint64), np.array([9], np.uint64))
        >>> print(low.round(4), high.round(4))
        [0.3421] [0.7418]

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
    """
    import numpy as np

    low, high = np.empty(wins.size), np.empty(wins.size)
    for rows in blocks(wins.size):
        w, l = wins[rows].astype(np.float64), losses[rows].astype(np.float64)  # noqa: E741
        ratio = _quotient(w, w + l)
        below, above = _wilson(w, l, ratio, np.sqrt)
        low[rows] = np.minimum(np.maximum(below, 0.0), ratio)
        high[rows] = np.maximum(np.minimum(above, 1.0), ratio)
    return low, high


def _wilson(
    w: _Number,
    l: _Number,  # noqa: E741
    ratio: _Number,
    root: Callable[[_Number], _Number],
) -> tuple[_Number, _Number]:
    """Both bounds by the formula. At P = 0 and P = 1 a bound equals P; rounding may go past that."""
    z2 = CONFIDENCE_Z * CONFIDENCE_Z
    total = w + l + z2
    centre = (w + z2 / 2) / total
    spread = CONFIDENCE_Z * root(ratio * l + z2 / 4) / total
    return centre - spread, centre + spread


def score(wins: Counts, draws: Counts, losses: Counts) -> Ratios:
    """Return (W + D / 2) / (W + D + L).

    Args:
        wins: games won by the side that made the move.
        draws: games drawn; same shape.
        losses: games it lost; same shape.

    Returns:
        0.0 … 1.0; NaN where no result is known.

    Example:
        >>> import numpy as np
        >>> score(np.array([1], np.uint64), np.array([2], np.uint64), np.array([1], np.uint64))
        array([0.5])
    """
    return _by_blocks(
        lambda w, d, l: _quotient(w + d / 2, w.astype("float64") + d + l),  # noqa: E741
        wins,
        draws,
        losses,
    )


def _by_blocks(formula: Callable[..., Ratios], *columns: Counts) -> Ratios:
    import numpy as np

    result = np.empty(columns[0].size)
    for rows in blocks(result.size):
        result[rows] = formula(*(column[rows] for column in columns))
    return result


def _quotient(over: Ratios, under: Ratios) -> Ratios:
    import numpy as np

    result: Ratios = np.full(under.shape, np.nan)
    np.divide(over, under, out=result, where=under > 0)
    return result


def result_figures(first_wins: int, draws: int, second_wins: int, *, first_moves: bool) -> dict[str, Any]:
    """Return what tells how the games of one row went for the side that moves: numbers in, numbers out.

    Args:
        first_wins: games won by the first side.
        draws: games drawn.
        second_wins: games won by the second side.
        first_moves: whether the first side moves.

    Returns:
        first_wins, draws, second_wins (by side); wins, losses (of who moves); p, p_low, p_high, score, the
        same to the bit as the functions above return for a column.

    Example:
        >>> figures = result_figures(11, 2, 9, first_moves=True)
        >>> figures["p"], round(figures["p_low"], 4), figures["score"]
        (0.55, 0.3421, 0.5454545454545454)
    """
    wins, losses = (first_wins, second_wins) if first_moves else (second_wins, first_wins)
    p = low = high = points = math.nan
    if wins + losses:
        p = wins / (wins + losses)
        below, above = _wilson(float(wins), float(losses), p, math.sqrt)
        low, high = min(max(below, 0.0), p), max(min(above, 1.0), p)
    if wins + draws + losses:
        points = (wins + draws / 2) / (wins + draws + losses)
    return {
        "first_wins": first_wins,
        "draws": draws,
        "second_wins": second_wins,
        "wins": wins,
        "losses": losses,
        "p": p,
        "p_low": low,
        "p_high": high,
        "score": points,
    }
