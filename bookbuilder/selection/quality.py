"""Quality and weights: how often each kept move at a position is to be played.

The pick weight of a move is (2 · W + D)^k, where k is the option `sharpen`. A format with weights stores it,
scaled so that the heaviest move of a position has the largest value. A record of the clustered book has a
usage n and a quality q of five bits, and the engine draws its moves in proportion to n · (q + 1). So the
quality is

    q = max(0, round(32 · v / max v) − 1), v = (2 · W + D)^k / n

where the maximum is over the kept moves of the position. Then n · (q + 1) is proportional to the pick weight,
up to rounding. A position that several moves lead to gets the largest of their qualities. With evaluations
and the option `loss_scale`, the pick weight is multiplied by e^(−loss / scale). The loss is that of the
backed-up value against the best kept move of the position.

With `sharpen` 0 the quality blends the five sources of judgement that the literature names. Each is a term
from 0 to 1 with a weight:

| term | weight | formula | unknown |
|---|---|---|---|
| result | 50 | (W + 5) / (W + L + 10): P, shrunk towards 1/2 as if ten more games had been split | |
| usage | 20 | n / (n + 50), n the games that reached the position or played the move | |
| marks | 15 | (1 + m / (abs(m) + 3)) / 2, m the annotation marks in favour of the side | m = 0 |
| rating | 10 | (mean rating - 1800) / 1000, cut to 0 … 1 | 1/2 |
| recency | 5 | 20 / (20 + age), age in years before the newest year of the tally | 1/2 |

quality = floor(31 · (sum of weight · term) / 100 + 1/2). All formulas use only the four operations, which
every machine rounds alike, so the same tally gives the same book everywhere. The weights are chosen, not
tuned: frequency, result and annotation carry most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from bookbuilder._core import MAX_QUALITY
from bookbuilder.errors import SelectionError
from bookbuilder.ratios import blocks, quotient
from bookbuilder.selection.candidates import Candidates

if TYPE_CHECKING:
    from bookbuilder.selection.graph import Graph

__all__ = [
    "LARGEST_WEIGHT",
    "MAX_QUALITY",
    "blended_quality",
    "checked_quality",
    "largest_of",
    "mean_rating",
    "pick_quality",
    "pick_weights",
    "quality_steps",
    "value_factors",
]

LARGEST_WEIGHT = 0xFFFF
"""The sharpened weight of the heaviest move at a position."""

_Numbers: TypeAlias = npt.NDArray[np.float64]
_Group: TypeAlias = npt.NDArray[np.integer[Any]]
_Base = TypeVar("_Base", float, npt.NDArray[Any])


def blended_quality(candidates: Candidates, newest_year: int | None = None) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the five terms at the head of this module.

    Args:
        candidates: any candidates.
        newest_year: of the tally, 0 = unknown; None = that of the candidates.

    Source: own; the five sources of judgement are from the literature on opening libraries.
    """
    newest = int(candidates.year_max.max(initial=0)) if newest_year is None else newest_year
    quality = np.empty(len(candidates), dtype=np.uint8)
    for rows in blocks(len(candidates)):
        c = candidates.part(rows)
        rating = np.clip((mean_rating(c) - 1800) / 1000, 0, 1)
        marks = c.marks / (abs(c.marks) + 3)
        blend = 50 * ((c.wins + 5) / (c.wins + c.losses + 10))
        blend = blend + 20 * (c.games / (c.games + 50))
        blend = blend + 15 * ((1 + marks) / 2)
        blend = blend + 10 * np.where(c.rated == 0, 0.5, rating)
        blend = blend + 5 * np.where(c.year_max == 0, 0.5, 20 / (20.0 + newest - c.year_max))
        quality[rows] = (MAX_QUALITY * blend / 100 + 0.5) // 1
    return quality


def mean_rating(counted: Candidates) -> npt.NDArray[Any]:
    """Return the mean of the known ratings; NaN where none is known."""
    return quotient(counted.rating_sum, counted.rated)


def pick_weights(
    weight: npt.NDArray[np.uint64], group: _Group, power: int, factor: _Numbers | None = None
) -> npt.NDArray[np.uint64]:
    """Return weights raised to a power, scaled to 0 … 65,535 for each position.

    A weight above 0 stays above 0, so that no kept move is lost.

    Args:
        weight: uint64 array.
        group: number of the position of each weight, from 0.
        power: 1 or more.
        factor: what each weight is multiplied by afterwards.

    Example:
        >>> pick_weights(np.array([30, 10, 7], np.uint64), np.array([0, 0, 1]), 2)
        array([65535,  7282, 65535], dtype=uint64)
    """
    if not weight.size:
        return weight
    heaviest = largest_of(weight.astype(np.float64), group)
    share = power_of(weight / heaviest[group], power)
    if factor is not None:
        share = share * factor
        share = share / largest_of(share, group)[group]
    scaled = np.floor(share * LARGEST_WEIGHT + 0.5)
    return np.where(weight > 0, np.maximum(scaled, 1.0), 0.0).astype(np.uint64)


def pick_quality(
    candidates: Candidates,
    kept: npt.NDArray[np.bool_],
    graph: Graph | None,
    power: int,
    *,
    value: _Numbers | None = None,
    loss_scale: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: positions or moves.
        kept: whether each is kept; the others do not count as the heaviest of their position.
        graph: of the tally, for positions; None = all of them are the moves of one position.
        power: the option `sharpen`.
        value: backed-up value of each candidate, for the side that moved; NaN = unknown.
        loss_scale: the option of this name.
    """
    c = candidates
    weight = power_of((2 * c.wins + c.draws).astype(np.float64), power) / np.maximum(c.games, 1)
    rows = np.arange(len(c))
    if c.move is not None:
        starts = c.group_starts()
        group: _Group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(c)))
    elif graph is None:
        group = np.zeros(len(c), np.intp)
    else:
        edges = graph.edges()
        group, rows = graph.parent[edges], graph.child[edges].astype(np.intp)
    weight, kept = weight[rows], kept[rows]
    if value is not None and loss_scale is not None:
        # A dropped move can be worth more. Its weight says nothing, and shares above 1 count as 1.
        weight = weight * value_factors(np.where(kept, value[rows], np.nan), group, loss_scale)
    heaviest = largest_of(np.where(kept, weight, 0.0), group)
    share = np.zeros(len(c))
    np.maximum.at(share, rows, weight / heaviest[group])
    return quality_steps(share).astype(np.uint8)


def value_factors(value: _Numbers, group: _Group, scale: int) -> _Numbers:
    """Return what values make of weights: e^(−loss / scale), the loss against the best move of the group.

    A move of unknown value gets the mean factor of its group, so it neither gains nor loses.

    Args:
        value: the value of each move, for the side that makes it; NaN = unknown.
        group: number of the position of each move.
        scale: centipawns by which a weight falls to 1/e.

    Example:
        >>> value_factors(np.array([30.0, 10.0, np.nan]), np.array([0, 0, 0]), 20).round(3).tolist()
        [1.0, 0.368, 0.684]
    """
    groups = int(group.max()) + 1 if group.size else 0
    is_known = ~np.isnan(value)
    best = np.full(groups, -np.inf)
    np.maximum.at(best, group[is_known], value[is_known])
    factor = np.exp((value - np.where(np.isfinite(best), best, 0.0)[group]) / scale)
    known = np.bincount(group[is_known], minlength=groups)
    total = np.bincount(group[is_known], weights=factor[is_known], minlength=groups)
    mean = np.where(known, total / np.maximum(known, 1), 1.0)
    return np.where(is_known, factor, mean[group])


def quality_steps(share: _Numbers) -> _Numbers:
    """Return q of the formula at the head of this module, for v / max v; a share above 1 counts as 1."""
    steps = (MAX_QUALITY + 1) * share + 0.5
    return np.where(share >= 1, float(MAX_QUALITY), np.where(steps < 1, 0.0, steps // 1 - 1))


def power_of(base: _Base, power: int) -> _Base:
    """Return base^power by multiplication, which every machine rounds alike."""
    result = base
    for _ in range(power - 1):
        result = result * base
    return result


def largest_of(value: _Numbers, group: _Group) -> _Numbers:
    """Return the largest value of each group, infinity where no value is above 0."""
    largest = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(largest, group, value)
    largest[largest == 0] = np.inf
    return largest


def checked_quality(values: npt.ArrayLike, rows: int) -> npt.NDArray[np.uint8]:
    """Return the values of a user's formula, rounded to whole numbers, halves up.

    Args:
        values: one number for each row.
        rows: the expected number of rows.

    Raises:
        SelectionError: there are more or fewer values, or one is not a number from 0 to 31.
    """
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SelectionError(f"quality: expected numbers from 0 to {MAX_QUALITY}: {error}") from error
    if given.shape != (rows,):
        raise SelectionError(f"quality: expected {rows} numbers, found an array of shape {given.shape}")
    rounded = np.floor(given + 0.5)
    wrong = ~((rounded >= 0) & (rounded <= MAX_QUALITY))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SelectionError(f"quality: row {row} is {given[row]}, expected 0 to {MAX_QUALITY}")
    return rounded.astype(np.uint8)
