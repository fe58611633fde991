"""Backed-up values: what a position is worth when both sides choose among the moves that were evaluated.

The value V of a position is for the side to move, in centipawns. S is the engine's own value of it:

    V = max(S, −V of each child)    the engine's best move leads to no evaluated child
    V = max(−V of each child)       it does
    V = S                           no child is evaluated

Children are positions that counted moves lead to. So a value rests on the searches at the ends of lines,
which look further, and on the best move that the archive lacks. If play goes on in a circle for ever, the
game is drawn. In xiangqi the law comes first: a move by which its side would lose a perpetual leads nowhere.

A circle needs no special care: with n positions, n rounds of the formula from V = 0 give the values of the
game that is broken off as a draw after n plies, and no side needs more plies to force a way out.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.table import Valued
from bookbuilder.games.ruling import Rule
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.perpetuals import judge_by, lost_by_repetition
from bookbuilder.tally.tally import Tally

__all__ = ["Backed", "back_up", "move_values", "value_factors"]

_RULE: Final[Rule] = "axf"
_Numbers = npt.NDArray[np.float64]
_Rows = npt.NDArray[np.integer[Any]]


class Backed(NamedTuple):
    """What an engine says about the positions of a graph.

    Attributes:
        valued: the evaluations.
        value: backed-up values, for the side to move; NaN = not evaluated.
    """

    valued: Valued
    value: _Numbers


def back_up(valued: Valued, tally: Tally, graph: Graph) -> _Numbers:
    """Return the backed-up value of each position, for the side to move; NaN = not evaluated.

    Args:
        valued: the evaluations of the positions of the graph.
        tally: the tally.
        graph: its graph.
    """
    own = np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    rows = _evaluated_rows(own, tally, graph)
    if not rows.size:
        return own
    parent, child = graph.parent[rows].astype(np.intp), graph.child[rows].astype(np.intp)
    is_best = tally.column("move")[rows] == valued.best[parent]
    is_inner, follows_best = (np.zeros(graph.positions, np.bool_) for _ in range(2))
    is_inner[parent] = True
    follows_best[parent[is_best]] = True
    starts = np.flatnonzero(np.append(True, parent[1:] != parent[:-1]))
    inner = parent[starts]
    # The least that the side to move has: the engine's own move, if it leads out of the evaluated positions.
    floor = np.where(follows_best[inner], -np.inf, own[inner])
    value = np.where(is_inner, 0.0, own)
    for _ in range(inner.size + 1):
        new = np.maximum(floor, np.maximum.reduceat(-value[child], starts))
        if (new == value[inner]).all():
            break
        value[inner] = new
    return value


def _evaluated_rows(own: _Numbers, tally: Tally, graph: Graph) -> npt.NDArray[np.intp]:
    """Return the rows between evaluated positions, without those by which their side loses a perpetual."""
    usable = graph.child != NOWHERE
    usable[usable] = ~np.isnan(own[graph.child[usable]])
    usable &= ~np.isnan(own[graph.parent])
    if tally.game == "xiangqi" and usable.any():
        every = np.arange(len(tally))
        usable[lost_by_repetition(tally, graph, usable, every, judge_by(tally.game, _RULE))] = False
    return np.flatnonzero(usable)


def move_values(value: _Numbers, graph: Graph) -> _Numbers:
    """Return the backed-up value of each row's move, for the side that makes it; NaN = unknown."""
    found = np.full(graph.parent.size, np.nan)
    edges = graph.edges()
    found[edges] = -value[graph.child[edges]]
    return found


def value_factors(value: _Numbers, group: _Rows, scale: int) -> _Numbers:
    """Return what values make of weights: e^(−loss / scale), the loss against the best move of the group.

    A move of unknown value gets the mean factor of its group, so it neither gains nor loses.

    Args:
        value: the value of each move, for the side that makes it; NaN = unknown.
        group: number of the position of each move.
        scale: centipawns by which a weight falls to 1/e.

    Example:
        >>> import numpy as np
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
