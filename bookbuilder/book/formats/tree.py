"""A book as a tree, for formats that know moves and no positions.

In comes a book, out go its moves in order, each position opened up once: under the move by which the walk
came to it first. Other moves to it are leaves, so that no tree is larger than its book, whatever transposes
in it, and none has an end that meets its beginning. Moves that are not the book's own stay only where its own
stand behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.walk import Indices, Walk, follow

__all__ = ["Tree", "grow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Moves of a book, those of a position together, the heaviest first, the start position's before all.

    Attributes:
        walk: what was reached.
        edge: for each move of the tree, its number in the walk.
        row: its row in the book; -1 where it only leads to moves of the book.
        first_child: the move of the tree with which the replies to it begin; -1 = none.
        is_last: whether it is the last one of its position.
        transposed: how many moves have no replies here since the tree has them elsewhere.
        unreached: how many moves of the book are not in the tree.
    """

    walk: Walk
    edge: Indices
    row: Indices
    first_child: Indices
    is_last: npt.NDArray[np.bool_]
    transposed: int
    unreached: int


def grow(book: MoveBook, *, notations: Sequence[str] = (), boards: bool = False) -> Tree:
    """Return the tree of a book.

    Args:
        book: any book.
        notations: write the moves in these notations of `_core.notations`.
        boards: keep the positions' pieces.
    """
    reached = follow(book, notations=notations, boards=boards)
    own = reached.row >= 0
    opens = np.zeros(own.size, np.bool_)
    opens[reached.parent[1:]] = True
    leads_on = _leads_on(reached, opens)
    chosen = np.flatnonzero(own | (opens & leads_on[reached.child]))
    weight = np.where(own, book.column("weight")[reached.row] if len(book) else np.uint64(0), np.uint64(0))
    lightness = (weight.max(initial=0) - weight)[chosen]
    order = np.lexsort((reached.move[chosen], lightness, ~own[chosen], reached.position[chosen]))
    edge = chosen[order]
    position = reached.position[edge]
    begins = np.full(reached.key.size, -1)
    first_of_each = np.flatnonzero(np.diff(position, prepend=-1))
    begins[position[first_of_each]] = first_of_each
    replies = begins[reached.child[edge]]
    return Tree(
        walk=reached,
        edge=edge,
        row=reached.row[edge],
        first_child=np.where(opens[edge], replies, -1),
        is_last=np.append(position[1:] != position[:-1], True)[: edge.size],
        transposed=int((~opens[edge] & (replies >= 0)).sum()),
        unreached=len(book) - np.unique(reached.row[own]).size,
    )


def _leads_on(reached: Walk, opens: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each position whether a move of the book stands there or in the tree behind it."""
    leads: npt.NDArray[np.bool_] = np.zeros(reached.key.size, np.bool_)
    leads[reached.position[reached.row >= 0]] = True
    ply = reached.ply[reached.position]
    by_ply = np.argsort(-ply, kind="stable")
    begins = np.flatnonzero(np.diff(ply[by_ply], prepend=-1))
    for edges in np.split(by_ply, begins[1:]):
        onward = edges[opens[edges] & leads[reached.child[edges]]]
        leads[reached.position[onward]] = True
    return leads
