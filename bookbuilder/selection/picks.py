"""Picks: how often each kept move at a position is to be played, and the quality that says so in a book.

The pick weight of a move is (2 · W + D)^k, where k is the option `sharpen`. A format with weights stores it,
scaled so that the heaviest move of a position has the largest value. A record of the clustered book has a
usage n and a quality q, and the engine draws its moves in proportion to n · (q + 1). So the quality is

    q = max(0, round(32 · v / max v) − 1), v = (2 · W + D)^k / n

where the maximum is over the kept moves of the position. Then n · (q + 1) is proportional to the pick weight,
up to rounding. A position that several moves lead to gets the largest of their qualities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bookbuilder.ratios import Column, where
from bookbuilder.selection.quality import MAX_QUALITY

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bookbuilder.selection.candidates import Candidates
    from bookbuilder.selection.graph import Graph

__all__ = ["LARGEST_WEIGHT", "pick_quality", "pick_weights", "quality_steps", "quality_value"]

LARGEST_WEIGHT = 0xFFFF
"""The sharpened weight of the heaviest move at a position."""


def pick_weights(
    weight: npt.NDArray[np.uint64], group: npt.NDArray[np.integer], power: int
) -> npt.NDArray[np.uint64]:
    """Return weights raised to a power, scaled to 0 … 65,535 for each position.

    A weight above 0 stays above 0, so that no kept move is lost.

    Args:
        weight: uint64 array.
        group: number of the position of each weight, from 0.
        power: 1 or more.

    Example:
        >>> import numpy as np
        >>> pick_weights(np.array([30, 10, 7], np.uint64), np.array([0, 0, 1]), 2)
        array([65535,  7282, 65535], dtype=uint64)
    """
    import numpy as np

    if not weight.size:
        return weight
    heaviest = np.zeros(int(group.max()) + 1)
    np.maximum.at(heaviest, group, weight.astype(np.float64))
    share = weight / np.maximum(heaviest[group], 1.0)
    scaled = np.floor(_power(share, power) * LARGEST_WEIGHT + 0.5)
    return np.where(weight > 0, np.maximum(scaled, 1.0), 0.0).astype(np.uint64)


def pick_quality(
    candidates: Candidates, kept: npt.NDArray[np.bool_], graph: Graph | None, power: int
) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: positions or moves.
        kept: whether each is kept; the others do not count as the heaviest of their position.
        graph: of the tally, for positions.
        power: the option `sharpen`.
    """
    import numpy as np

    value = _value(candidates, power)
    if candidates.move is not None:
        starts = candidates.group_starts()
        group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(candidates)))
        share = value / _largest(np.where(kept, value, 0.0), group)[group]
        return np.asarray(quality_steps(share), dtype=np.uint8)
    assert graph is not None, "needs_graph says so"
    edges = graph.edges()
    parent, child = graph.parent[edges], graph.child[edges]
    heaviest = _largest(np.where(kept, value, 0.0)[child], parent)
    share = np.zeros(len(candidates))
    np.maximum.at(share, child, value[child] / heaviest[parent])
    return np.asarray(quality_steps(share), dtype=np.uint8)


def quality_value(points: Column, games: Column, power: int) -> Column:
    """Return v of the formula, for points = 2 · W + D of a number of games above 0."""
    return _power(points, power) / games


def quality_steps(share: Column) -> Column:
    """Return q of the formula, for v / max v; a share above 1 counts as 1."""
    steps = (MAX_QUALITY + 1) * share + 0.5
    return where(share >= 1, float(MAX_QUALITY), where(steps < 1, 0.0, steps // 1 - 1))


def _value(candidates: Candidates, power: int) -> npt.NDArray[np.float64]:
    import numpy as np

    c = candidates
    points, games = (2 * c.wins + c.draws) / c.scale, c.games / c.scale
    return np.asarray(quality_value(points, np.maximum(games, 1.0 / c.scale), power))


def _largest(value: npt.NDArray[np.float64], group: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the largest value of each group, infinity where no value is above 0."""
    import numpy as np

    largest = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(largest, group, value)
    largest[largest == 0] = np.inf
    return largest


def _power(base: Column, power: int) -> Column:
    """Return base^power by multiplication, which every machine rounds alike."""
    result = base
    for _ in range(power - 1):
        result = result * base
    return result
