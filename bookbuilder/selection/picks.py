"""Picks: how often each kept move at a position is to be played, and the quality that says so in a book.

The pick weight of a move is (2 · W + D)^k, where k is the option `sharpen`. A format with weights stores it,
scaled so that the heaviest move of a position has the largest value. A record of the clustered book has a
usage n and a quality q, and the engine draws its moves in proportion to n · (q + 1). So the quality is

    q = max(0, round(32 · v / max v) − 1), v = (2 · W + D)^k / n

where the maximum is over the kept moves of the position. Then n · (q + 1) is proportional to the pick weight,
up to rounding. A position that several moves lead to gets the largest of their qualities.

With evaluations and the option `loss_scale`, the pick weight is multiplied by e^(−loss / scale). The loss is
that of the backed-up value against the best kept move of the position.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bookbuilder.selection.backup import value_factors
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.quality import power_of, quality_steps, quality_value

__all__ = ["LARGEST_WEIGHT", "pick_quality", "pick_weights"]

LARGEST_WEIGHT = 0xFFFF
"""The sharpened weight of the heaviest move at a position."""


def pick_weights(
    weight: npt.NDArray[np.uint64],
    group: npt.NDArray[np.integer],
    power: int,
    factor: npt.NDArray[np.float64] | None = None,
) -> npt.NDArray[np.uint64]:
    """Return weights raised to a power, scaled to 0 … 65,535 for each position.

    A weight above 0 stays above 0, so that no kept move is lost.

    Args:
        weight: uint64 array.
        group: number of the position of each weight, from 0.
        power: 1 or more.
        factor: what each weight is multiplied by afterwards.

    Example:
        >>> import numpy as np
        >>> pick_weights(np.array([30, 10, 7], np.uint64), np.array([0, 0, 1]), 2)
        array([65535,  7282, 65535], dtype=uint64)
    """
    if not weight.size:
        return weight
    heaviest = np.zeros(int(group.max()) + 1)
    np.maximum.at(heaviest, group, weight.astype(np.float64))
    share = weight / np.maximum(heaviest[group], 1.0)
    share = power_of(share, power)
    if factor is not None:
        share = share * factor
        largest = _largest(share, group)
        share = share / largest[group]
    scaled = np.floor(share * LARGEST_WEIGHT + 0.5)
    return np.where(weight > 0, np.maximum(scaled, 1.0), 0.0).astype(np.uint64)


def pick_quality(
    candidates: Candidates,
    kept: npt.NDArray[np.bool_],
    graph: Graph | None,
    power: int,
    *,
    value: npt.NDArray[np.float64] | None = None,
    loss_scale: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: positions or moves.
        kept: whether each is kept; the others do not count as the heaviest of their position.
        graph: of the tally, for positions.
        power: the option `sharpen`.
        value: backed-up value of each candidate, for the side that moved; NaN = unknown.
        loss_scale: the option of this name.
    """
    weight = _value(candidates, power)
    if candidates.move is not None:
        starts = candidates.group_starts()
        group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(candidates)))
        weight = weight * _factors(value, kept, group, loss_scale)
        return _as_bytes(quality_steps(weight / _largest(np.where(kept, weight, 0.0), group)[group]))
    assert graph is not None, "needs_graph says so"
    edges = graph.edges()
    parent, child = graph.parent[edges], graph.child[edges]
    of_moves = None if value is None else value[child]
    weight = weight[child] * _factors(of_moves, kept[child], parent, loss_scale)
    heaviest = _largest(np.where(kept[child], weight, 0.0), parent)
    share = np.zeros(len(candidates))
    np.maximum.at(share, child, weight / heaviest[parent])
    return _as_bytes(quality_steps(share))


def _factors(
    value: npt.NDArray[np.float64] | None,
    kept: npt.NDArray[np.bool_],
    group: npt.NDArray[np.integer],
    loss_scale: int | None,
) -> npt.NDArray[np.float64] | float:
    """Return what the losses of moves make of their weights; losses are against the best kept move."""
    if value is None or loss_scale is None:
        return 1.0
    # A dropped move can be worth more. Its weight says nothing, and shares above 1 count as 1.
    return value_factors(np.where(kept, value, np.nan), group, loss_scale)


def _value(candidates: Candidates, power: int) -> npt.NDArray[np.float64]:
    c = candidates
    points, games = (2 * c.wins + c.draws) / c.scale, c.games / c.scale
    return np.asarray(quality_value(points, np.maximum(games, 1.0 / c.scale), power))


def _as_bytes(quality: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    return quality.astype(np.uint8)


def _largest(value: npt.NDArray[np.float64], group: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the largest value of each group, infinity where no value is above 0."""
    largest = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(largest, group, value)
    largest[largest == 0] = np.inf
    return largest
