"""The reach of the book that a selection makes.

The graph of the selection is at hand after a build, but follows only moves that enough games played. Changes
by hand may keep others, so the reach of a changed book is that of the book itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.walk import Indices
from bookbuilder.book.graph import BookGraph
from bookbuilder.book.reach import Reach, book_reach
from bookbuilder.columns import values
from bookbuilder.games.position import SIDES
from bookbuilder.selection.by_hand import edits_in

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder.book.book import Book
    from bookbuilder.selection.graph import Graph
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally

__all__ = ["selection_reach"]


def selection_reach(
    tally: Tally,
    chosen: Selection,
    book: MoveBook | Book,
    *,
    min_weight: int = 0,
    graph: Graph | None = None,
) -> Reach:
    """Return what the book of a selection is to the sides that it is for.

    Args:
        tally: the tally that was selected from.
        chosen: the selection.
        book: the book that it makes.
        min_weight: minimum weight of a move that the file stores.
        graph: the graph of the tally, if it is known.
    """
    options = chosen.recipe["selection"]
    only = options["for_side"]
    edits = edits_in(options, chosen.game)
    if edits is not None and edits.keeps:
        found = _graph_of_changed(tally, chosen, book, min_weight)
    else:
        moves = book if isinstance(book, MoveBook) else None
        found = BookGraph.from_selection(tally, chosen, book=moves, min_weight=min_weight, graph=graph)
    return book_reach(found, sides=SIDES if only is None else (only,))


def _graph_of_changed(tally: Tally, chosen: Selection, book: MoveBook | Book, min_weight: int) -> BookGraph:
    """Return the graph of the book itself, with the number of its records of each side."""
    from bookbuilder.book.graph import graph_of_book

    kept = chosen.kept()
    side = values(kept.column("side"))
    if isinstance(book, MoveBook):
        stored = book.column("weight") >= min_weight
        side = side[_by_move(kept)][stored[_by_move(book.table)]]
        book = replace(book.select(stored), bridges=book.bridges[:0])
    found = graph_of_book(book, tally)
    # Edits of single records may have dropped some.
    counts = np.bincount(side, minlength=2).tolist()
    return replace(found, owned=(counts[0], counts[1]) if side.size == found.records else None)


def _by_move(table: pa.Table) -> Indices:
    """Return the order of rows by position and move."""
    return np.lexsort([values(table.column(name)) for name in ("move", "lock", "key")])
