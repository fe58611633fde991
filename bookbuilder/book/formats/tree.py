"""A book as a tree, for formats that store moves but not positions.

Each position is expanded once, under the first move that the walk found to it. Other moves to it are leaves,
so a tree is never larger than its book and has no cycles. Bridges stay only if moves of the book follow them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from bookbuilder.book.formats.levels import Indices
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.walk import Extras, Walk, follow

__all__ = ["Tree", "grow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Moves of a book, grouped by position, heaviest first. The moves of the start position come first.

    Attributes:
        walk: the walk over the book.
        edge: for each move of the tree, its number in the walk.
        row: its row in the book; -1 = a bridge.
        first_child: the number of the first reply to it in the tree; -1 = none.
        is_last: whether it is the last move of its position.
        transposed: the number of moves whose replies stand elsewhere in the tree.
        unreached: the number of moves of the book that are not in the tree.
    """

    walk: Walk
    edge: Indices
    row: Indices
    first_child: Indices
    is_last: npt.NDArray[np.bool_]
    transposed: int
    unreached: int


def grow(book: MoveBook, **extras: Unpack[Extras]) -> Tree:
    """Return the tree of a book.

    Args:
        book: any book.
        **extras: what the walk records besides moves, as of `walk`.
    """
    reached = follow(book, **extras)
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
        unreached=reached.unreached(len(book)),
    )


def _leads_on(reached: Walk, opens: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return for each position whether it, or a position after it in the tree, has a move of the book."""
    leads: npt.NDArray[np.bool_] = np.zeros(reached.key.size, np.bool_)
    leads[reached.position[reached.row >= 0]] = True
    ply = reached.ply[reached.position]
    by_ply = np.argsort(-ply, kind="stable")
    begins = np.flatnonzero(np.diff(ply[by_ply], prepend=-1))
    for edges in np.split(by_ply, begins[1:]):
        onward = edges[opens[edges] & leads[reached.child[edges]]]
        leads[reached.position[onward]] = True
    return leads
