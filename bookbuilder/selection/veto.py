"""The engine's veto: drop moves that lose by two searches, unless strong statistics stand against it.

A move is vetoed if all of this holds:

| | condition |
|---|---|
| it loses | its loss is above the limit L by the longest search of both positions, and above L/2 by the |
| | shortest one, which has to doubt it |
| another is better | if the position after the engine's own move is evaluated, some move has a better |
| | value than this one |
| it was confirmed | the longest searches have `CONFIRMING` times the nodes of the shortest, or at least |
| | `TRUSTED_NODES` |
| it matters | the expected score falls by more than `LEAST_FALL` |
| games do not object | the loss is above 2·L or `MOST_OVERRULED`, or there are fewer than `LEAST_RESULTS` |
| | results, or the lower bound of the move's score (Wilson, 95 %) is at most the score of its position |
| | less that fall |

The expected score of x centipawns is 1 / (1 + e^(−x/c)). The scale c is fitted to the results of the tally in
the positions that are evaluated. So a few hundred good results overrule a small loss, and never a large one.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.evals.loss import CONFIRMING, MOST_CENTIPAWNS, is_refuted, losses
from bookbuilder.evals.table import Valued
from bookbuilder.ratios import score, wilson_bounds
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.rules import Before

__all__ = [
    "LEAST_FALL",
    "LEAST_RESULTS",
    "MOST_OVERRULED",
    "TRUSTED_NODES",
    "expected",
    "fitted_scale",
    "vetoed",
]

TRUSTED_NODES: Final = 1_000_000
"""A single search with this number of nodes needs no second one."""

LEAST_FALL: Final = 0.02
"""A smaller fall of the expected score does not matter."""

LEAST_RESULTS: Final = 50
"""Fewer results say nothing against an engine."""

MOST_OVERRULED: Final = 120
"""No results overrule a loss of more centipawns."""

_USUAL_SCALE: Final = 174.0
_SCALES: Final = np.arange(60.0, 601.0)
_LEAST_POSITIONS: Final = 50
_LEAST_FITTED: Final = 20

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Numbers: TypeAlias = npt.NDArray[np.integer[Any]]


def vetoed(
    valued: Valued,
    limit_cp: int,
    moves: Candidates,
    positions: Candidates,
    parent: _Numbers,
    child: _Numbers,
    before: Before,
) -> _Mask:
    """Return which moves the engine vetoes.

    Args:
        valued: the evaluations of the positions.
        limit_cp: centipawns that a move may lose.
        moves: the moves, with the games that played them.
        positions: the positions.
        parent: number of the position before each move.
        child: number of the position after it; -1 = none.
        before: the position before each move.
    """
    assert moves.move is not None
    code = moves.move.astype(np.uint16)
    loss, first = (losses(valued, parent, child, code, is_first=each) for each in (False, True))
    loses = is_refuted(loss, first, limit_cp)
    loses &= _is_confirmed(valued, parent, child) & _has_better(valued, parent, child, code)
    if not loses.any():
        return loses
    scale = fitted_scale(valued, positions)
    value = np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)[parent]
    fall = expected(value, scale) - expected(value - loss, scale)
    return loses & (fall > LEAST_FALL) & ~_is_overruled(moves, before, fall, loss, limit_cp)


def expected(centipawns: npt.NDArray[np.float64], scale: float) -> npt.NDArray[np.float64]:
    """Return the expected score of values."""
    expectation: npt.NDArray[np.float64] = 1 / (1 + np.exp(-centipawns / scale))
    return expectation


def fitted_scale(valued: Valued, positions: Candidates) -> float:
    """Return the scale of the expected score, in centipawns, that fits the results best.

    The fit minimises the cross-entropy over positions with results; with few of them it is 174, as for Elo.

    Args:
        valued: the evaluations of the positions.
        positions: the positions, with the results of the side that moved to them.
    """
    results = (positions.wins + positions.draws + positions.losses) / positions.scale
    usable = ~np.isnan(valued.score) & (results >= _LEAST_FITTED)
    if np.count_nonzero(usable) < _LEAST_POSITIONS:
        return _USUAL_SCALE
    weight = results[usable]
    # The side to move lost where the side before won.
    counts = (positions.losses, positions.draws, positions.wins)
    points = score(*(count[usable].astype(np.float64) for count in counts))
    value = np.clip(valued.score[usable], -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    entropy = [_cross_entropy(expected(value, scale), points, weight) for scale in _SCALES]
    return float(_SCALES[int(np.argmin(entropy))])


def _cross_entropy(
    expectation: npt.NDArray[np.float64], points: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
) -> float:
    bits = points * np.log(expectation) + (1 - points) * np.log1p(-expectation)
    return -float(np.sum(weight * bits))


def _is_confirmed(valued: Valued, parent: _Numbers, child: _Numbers) -> _Mask:
    """Return whether the longest searches of both positions confirm the shortest ones."""
    known = child >= 0
    after = np.where(known, child, 0)
    longest = np.minimum(valued.nodes[parent], valued.nodes[after])
    shortest = np.maximum(valued.first_nodes[parent], valued.first_nodes[after])
    confirmed: _Mask = (longest >= CONFIRMING * shortest) | (longest >= TRUSTED_NODES)
    return confirmed & known & (longest > 0)


def _has_better(valued: Valued, parent: _Numbers, child: _Numbers, code: npt.NDArray[np.uint16]) -> _Mask:
    """Return which moves an evaluated move of their position beats, or the engine's own unevaluated move.

    An engine that looks deeper after its own move may find it no better. Then only its first look was wrong.
    """
    value = np.where(child >= 0, -valued.score[np.maximum(child, 0)], np.nan)
    known = ~np.isnan(value)
    best = np.full(valued.score.size, -np.inf)
    np.maximum.at(best, parent[known], value[known])
    is_answered = np.zeros(valued.score.size, np.bool_)
    is_answered[parent[known & (valued.best[parent] == code)]] = True
    with np.errstate(invalid="ignore"):
        better: _Mask = (best[parent] > value) | ~is_answered[parent]
    return better


def _is_overruled(
    moves: Candidates,
    before: Before,
    fall: npt.NDArray[np.float64],
    loss: npt.NDArray[np.float64],
    limit_cp: int,
) -> _Mask:
    """Return where the results of a move stand against the engine."""
    won, drawn, lost = (count / moves.scale for count in (moves.wins, moves.draws, moves.losses))
    results = won + drawn + lost
    is_enough = results >= LEAST_RESULTS
    # A draw is half a win and half a loss.
    low, _ = wilson_bounds(won + drawn / 2, lost + drawn / 2)
    counts = (before.wins, before.draws, before.losses)
    of_position = score(*(np.asarray(count, np.float64) for count in counts))
    with np.errstate(invalid="ignore"):
        stands: _Mask = is_enough & (loss <= min(2 * limit_cp, MOST_OVERRULED)) & (low > of_position - fall)
    return stands
