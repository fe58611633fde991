"""Expected scores of a book's lines, if the owner plays the best kept move and the opponent the archive's.

The expected score F of a position, for the owner:

| position | F |
|---|---|
| the owner is to move and has kept moves | the largest F of their positions |
| the opponent is to move | the mean F of the positions after the moves, by games; where a move leads to no |
| | counted position, that of the end of a line here |
| the end of a line | (points + prior · e) / (results + prior) |

e is the engine's expected score of the position if it is evaluated, else the owner's score in all games. The
prior, 20 games by default, draws small numbers of results towards it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.games.position import SIDES
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.graph import Graph

_Numbers = npt.NDArray[np.float64]

_MOST_ROUNDS: Final = 200
_CLOSE: Final = 1e-9


def expected_scores(
    graph: Graph,
    positions: Candidates,
    moves: Candidates,
    kept: npt.NDArray[np.bool_],
    *,
    promised: _Numbers,
    prior: int,
) -> _Numbers:
    """Return the expected score of each position, for the side that moved to it and owns the book.

    Args:
        graph: the graph of the tally.
        positions: its positions.
        moves: its rows, with the games that played them.
        kept: the rows that are in the book.
        promised: the engine's expected score of each position, for the side to move; NaN = unknown.
        prior: games that this counts.
    """
    scores = np.full(graph.positions, np.nan)
    for side in range(len(SIDES)):
        ends = _ends(positions, side, promised, prior)
        score = _back_up(graph, moves, kept & (moves.side == side), side, ends)
        is_own = positions.side == side
        scores[is_own] = score[is_own]
    return scores


def _ends(positions: Candidates, side: int, promised: _Numbers, prior: int) -> _Numbers:
    """Return the expected score of a side at each position, if lines end there."""
    moved = positions.side == side
    won = np.where(moved, positions.wins, positions.losses)
    drawn = positions.draws
    results = positions.wins + positions.draws + positions.losses
    points = won + drawn / 2
    usual = float(points.sum() / results.sum()) if results.any() else 0.5
    engine = np.where(moved, 1 - promised, promised)
    engine = np.where(np.isnan(engine), usual, engine)
    return np.asarray((points + prior * engine) / np.maximum(results + prior, 1))


def _back_up(
    graph: Graph, moves: Candidates, own: npt.NDArray[np.bool_], side: int, ends: _Numbers
) -> _Numbers:
    """Return the expected score of a side at each position."""
    if not graph.parent.size:
        return ends
    leads = graph.child != NOWHERE
    child = np.where(leads, graph.child, 0).astype(np.intp)
    parent: npt.NDArray[Any] = graph.parent
    games = np.where(moves.side == side, 0.0, moves.games.astype(np.float64))
    played = np.add.reduceat(games, graph.starts)
    choices = own & leads
    has_choice = np.logical_or.reduceat(choices, graph.starts)
    score = ends
    for _ in range(_MOST_ROUNDS):
        after = np.where(leads, score[child], ends[parent])
        best = np.maximum.reduceat(np.where(choices, after, -np.inf), graph.starts)
        mean = np.add.reduceat(games * after, graph.starts) / np.maximum(played, 1)
        new = np.where(has_choice, best, np.where(played > 0, mean, ends))
        if np.abs(new - score).max(initial=0.0) < _CLOSE:
            break
        score = new
    return score
