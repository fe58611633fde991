"""What a move loses by the evaluations of the positions before and after it."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.evals.table import Valued

CONFIRMING: Final = 4
"""A second search confirms the first if it has at least this many times its nodes."""

MOST_CENTIPAWNS: Final = 1000
"""Values are limited to ± this number of centipawns: how much is won beyond that says nothing."""

LEAST_OWN: Final = 30
"""With fewer moves of the engine itself, nobody knows how much it overrates the side to move."""

_Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
_Values: TypeAlias = npt.NDArray[np.float64]


def losses(
    valued: Valued,
    before: _Numbers,
    after: _Numbers,
    move: npt.NDArray[np.uint16],
    *,
    is_first: bool = False,
    overrated: float | None = None,
) -> _Values:
    """Return the loss of moves in centipawns, at least 0; NaN where a position is not evaluated.

    The loss is the value of the position before the move plus the value of the position after it, each for
    the side to move there. The move that the engine prefers loses nothing. An engine that overrates the side
    to move sees every other move lose that much, so this is subtracted; see `overrating`.

    Args:
        valued: the evaluations of some positions.
        before: the number of the position before each move.
        after: the number of the position after it; negative = unknown.
        move: its code, as a row of TALLY holds it.
        is_first: take the shortest search of each position, not the longest.
        overrated: centipawns by which the engine overrates the side to move; None = as these moves show.
    """
    both, is_own = _sums(valued, before, after, move, is_first=is_first)
    less = _median(both[is_own]) if overrated is None else overrated
    return np.where(is_own, 0.0, np.maximum(both - less, 0.0))


def is_refuted(loss: _Values, first_loss: _Values, limit_cp: float) -> npt.NDArray[np.bool_]:
    """Return which moves lose too much: more than a limit by the longest search, half of it by the shortest.

    The shortest search only has to doubt a move; it is why the longest one was made.
    """
    with np.errstate(invalid="ignore"):
        refuted: npt.NDArray[np.bool_] = (loss > limit_cp) & (first_loss > limit_cp / 2)
    return refuted


def overrating(valued: Valued, before: _Numbers, after: _Numbers, move: npt.NDArray[np.uint16]) -> float:
    """Return by how many centipawns the engine overrates the side to move, by its longest searches.

    This is the median of what its own moves seem to lose, or 0 with fewer than `LEAST_OWN` of them.
    The arguments are as in `losses`.
    """
    both, is_own = _sums(valued, before, after, move, is_first=False)
    return _median(both[is_own])


def _sums(
    valued: Valued, before: _Numbers, after: _Numbers, move: npt.NDArray[np.uint16], *, is_first: bool
) -> tuple[_Values, npt.NDArray[np.bool_]]:
    """Return the sum of the two values of each move, and whether the engine prefers the move."""
    score = np.clip(valued.first_score if is_first else valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    if not score.size:
        return np.full(before.size, np.nan), np.zeros(before.size, np.bool_)
    child = np.where(after >= 0, score[np.maximum(after, 0)], np.nan)
    both = score[before] + child
    best = valued.first_best if is_first else valued.best
    return both, (best[before] == move) & ~np.isnan(both)


def _median(own: _Values) -> float:
    return float(np.median(own)) if own.size >= LEAST_OWN else 0.0
