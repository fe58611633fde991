"""Ratios of results: the threshold statistic P with its Wilson bounds, and the score.

Counts come in as arrays of any unsigned integer type; ratios go out as float64 arrays in which NaN means
"undefined". They are for people to read: whether a row passes a threshold is decided in integers, by
`selection`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "CONFIDENCE_Z",
    "Counts",
    "Ratios",
    "blocks",
    "result_columns",
    "score",
    "wilson_bounds",
    "win_ratio",
]

Counts: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
"""Counts of games, one for each row; any unsigned integer type."""
Ratios: TypeAlias = npt.NDArray[np.float64]
"""Ratios, one for each row; NaN where undefined."""

CONFIDENCE_Z: Final = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""

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
        >>> win_ratio(np.array([11, 0], np.uint64), np.array([9, 0], np.uint64))
        array([0.55,  nan])

    Source: own; the threshold P of the literature on opening libraries.
    """
    return _by_blocks(lambda w, l: _quotient(w.astype(np.float64), w.astype(np.float64) + l), wins, losses)  # noqa: E741


def wilson_bounds(wins: Counts | Ratios, losses: Counts | Ratios) -> tuple[Ratios, Ratios]:
    """Return the lower and upper Wilson bound of P, 95 %.

    Args:
        wins: games won by the side that made the move; parts of games, if games are weighed.
        losses: games it lost; same shape.

    Returns:
        Two arrays with 0.0 ≤ low ≤ P ≤ high ≤ 1.0; NaN where W + L = 0.

    Example:
        >>> low, high = wilson_bounds(np.array([11], np.uint64), np.array([9], np.uint64))
        >>> print(low.round(4), high.round(4))
        [0.3421] [0.7418]

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927.
    """
    low, high = np.empty(wins.size), np.empty(wins.size)
    z2 = CONFIDENCE_Z * CONFIDENCE_Z
    for rows in blocks(wins.size):
        w, l = wins[rows].astype(np.float64), losses[rows].astype(np.float64)  # noqa: E741
        total = w + l
        ratio = _quotient(w, total)
        centre: Ratios = (w + z2 / 2) / (total + z2)
        spread = CONFIDENCE_Z * np.sqrt(ratio * l + z2 / 4) / (total + z2)
        # At P = 0 and P = 1 a bound equals P; rounding must not push it past P or out of 0 … 1.
        low[rows] = np.minimum(np.maximum(centre - spread, 0.0), ratio)
        high[rows] = np.maximum(np.minimum(centre + spread, 1.0), ratio)
    return low, high


def score(wins: Counts, draws: Counts, losses: Counts) -> Ratios:
    """Return (W + D / 2) / (W + D + L).

    Args:
        wins: games won by the side that made the move.
        draws: games drawn; same shape.
        losses: games it lost; same shape.

    Returns:
        0.0 … 1.0; NaN where no result is known.

    Example:
        >>> score(np.array([1], np.uint64), np.array([2], np.uint64), np.array([1], np.uint64))
        array([0.5])
    """
    return _by_blocks(
        lambda w, d, l: _quotient(w + d / 2, w.astype(np.float64) + d + l),  # noqa: E741
        wins,
        draws,
        losses,
    )


def _by_blocks(formula: Callable[..., Ratios], *columns: Counts) -> Ratios:
    result = np.empty(columns[0].size)
    for rows in blocks(result.size):
        result[rows] = formula(*(column[rows] for column in columns))
    return result


def _quotient(over: Ratios, under: Ratios) -> Ratios:
    result: Ratios = np.full(under.shape, np.nan)
    np.divide(over, under, out=result, where=under > 0)
    return result


def result_columns(
    first_wins: Counts, draws: Counts, second_wins: Counts, *, first_moves: bool
) -> dict[str, Any]:
    """Return the columns that tell how games went for the side that moves.

    Args:
        first_wins: games won by the first side.
        draws: games drawn; same shape.
        second_wins: games won by the second side; same shape.
        first_moves: whether the first side moves.

    Returns:
        first_wins, draws, second_wins (by side); wins, losses (of who moves); p, p_low, p_high, score.
    """
    wins, losses = (first_wins, second_wins) if first_moves else (second_wins, first_wins)
    low, high = wilson_bounds(wins, losses)
    return {
        "first_wins": first_wins,
        "draws": draws,
        "second_wins": second_wins,
        "wins": wins,
        "losses": losses,
        "p": win_ratio(wins, losses),
        "p_low": low,
        "p_high": high,
        "score": score(wins, draws, losses),
    }
