"""The expected course of a game in which one side plays a book.

The owner draws book moves by weight, the opponent moves of the archive by games, or without an archive book
moves by weight. The walk ends where the owner has no book move or no game of the archive goes on. The
probabilities of all positions are carried on ply by ply, without random numbers, so cycles need no care.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.book.formats.walk import Indices
from bookbuilder.book.graph import BookGraph, Lines
from bookbuilder.games.columns import ranges

__all__ = ["expected_walk"]

# A walk ends when the probability that it goes on is below this.
_NEGLIGIBLE: Final = 1e-6
# Plies after which a walk ends if the book has no limit: repetitions could go on forever.
_MOST_PLIES: Final = 200


def expected_walk(graph: BookGraph, owner: int, lines: Lines) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the expected plies of a walk from the start, and the expected visits of each position.

    Args:
        graph: the moves of the book and of an archive.
        owner: side that plays the book.
        lines: the positions that the owner can reach.
    """
    count = graph.side.size
    visits = np.zeros(count)
    if graph.root is None:
        return 0.0, visits
    chance = _chances(graph, owner, lines)
    goes_on = graph.has_book
    if graph.min_played is not None:
        goes_on = np.where(graph.side == owner, goes_on, graph.moved_on > 0)
    here: Indices = np.array([graph.root])
    mass: npt.NDArray[np.float64] = np.ones(1)
    visits[here] = mass
    plies = 0.0
    for _ in range(_MOST_PLIES if graph.max_ply is None else graph.max_ply):
        here, mass = here[goes_on[here]], mass[goes_on[here]]
        if mass.sum() < _NEGLIGIBLE:
            break
        plies += float(mass.sum())
        of, out = ranges(graph.starts[here], graph.starts[here + 1])
        of, out = of[chance[out] > 0], out[chance[out] > 0]
        came = np.bincount(graph.child[out], mass[of] * chance[out], minlength=count)
        arrived = np.asarray(came, np.float64)
        here = np.flatnonzero(arrived)
        mass = arrived[here]
        visits[here] += mass
    return plies, visits


def _chances(graph: BookGraph, owner: int, lines: Lines) -> npt.NDArray[np.float64]:
    """Return the probability of each move at its position; 0 if it leads to no known position."""
    usable = graph.usable(owner) & lines.reached[graph.parent]
    by_weight = usable & graph.in_book
    weight = np.where(by_weight, graph.weight, 0.0).astype(np.float64)
    total = np.bincount(graph.parent, weight, minlength=graph.side.size)
    # Where all weights are 0, book moves are equally likely.
    weight[by_weight & (total[graph.parent] == 0)] = 1.0
    total = np.bincount(graph.parent, weight, minlength=graph.side.size)
    if graph.min_played is not None:
        theirs = usable & (graph.side[graph.parent] != owner)
        weight[theirs] = graph.played[theirs]
        total = np.where(graph.side == owner, total, graph.moved_on).astype(np.float64)
    chance: npt.NDArray[np.float64] = weight / np.maximum(total[graph.parent], 1e-300)
    chance[graph.child == NOWHERE] = 0
    return chance
