"""Expected values of a book's lines: the owner draws by results, the opponent plays as the archive.

The expected value F of an evaluated position, for the owner, in centipawns:

| position | F |
|---|---|
| the owner is to move | the mean F of the positions after the kept moves, by pick weights without values |
| the opponent is to move | the mean F of the positions after the moves, by games |
| no such move | the engine's value |

A move to a position that is not evaluated counts as the engine's value of the position before it. The mean
has smaller errors than the values it is made of; the best of them, as by `back_up`, has larger ones.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.games.position import SIDES
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.quality import pick_shares

_Numbers = npt.NDArray[np.float64]

_MOST_ROUNDS: Final = 200
_CLOSE: Final = 0.01  # centipawns


def expected_values(
    graph: Graph, positions: Candidates, moves: Candidates, points: _Numbers, score: _Numbers, power: int
) -> _Numbers:
    """Return the expected value of each position, for the side that moved to it and owns the book.

    It is NaN where a position is not evaluated.

    `points` are 2 · W + D of each row, 0 = it is not in the book. `score` is the engine's value of each
    position, for the side to move; NaN = unknown. `power` is the option `sharpen`.
    """
    evaluated = np.flatnonzero(~np.isnan(score))
    found = np.full(graph.positions, np.nan)
    number = np.full(graph.positions + 1, -1)
    number[evaluated] = np.arange(evaluated.size)
    rows = np.flatnonzero((number[graph.parent] >= 0) & (moves.move != 0))
    parent = number[graph.parent[rows]]
    # The last number, -1, is that of nowhere.
    child = number[np.where(graph.child[rows] == NOWHERE, -1, graph.child[rows].astype(np.int64))]
    drawn, played = pick_shares(points[rows], parent, power), moves.games[rows].astype(np.float64)
    moved_to = positions.side[evaluated]
    for side in range(len(SIDES)):
        engine = np.where(moved_to == side, -score[evaluated], score[evaluated])
        weight = np.where(moves.side[rows] == side, drawn, played)
        total = np.bincount(parent, weight, evaluated.size)
        value = engine
        for _ in range(_MOST_ROUNDS):
            after = weight * np.where(child >= 0, value[child], engine[parent])
            mean = np.bincount(parent, after, evaluated.size) / np.maximum(total, 1e-300)
            change, value = value, np.where(total > 0, mean, engine)
            if np.abs(change - value).max(initial=0.0) < _CLOSE:
                break
        found[evaluated[moved_to == side]] = value[moved_to == side]
    return found
