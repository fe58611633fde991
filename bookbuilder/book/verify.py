"""Check whether a book is sound.

The core checks the bytes of the file: checksum, order of the records, index. Then the book is walked from the
start position along legal moves. Records that the walk does not meet are not an error: the positions before
them may have been dropped.
"""

from __future__ import annotations

import numpy as np

from bookbuilder.book.book import Book
from bookbuilder.book.graph import graph_of_book
from bookbuilder.book.open import AnyBook


def walked(book: AnyBook) -> dict[str, int]:
    """Check every byte of a clustered book, then return the result of a walk through a book of any format.

    Returns:
        records: of the book, or moves in other formats. moves: book moves on the walk, all legal. reached:
        records that the walk met; unreached: those that no line of book moves leads to from the start
        position. longest: plies of the longest line.

    Raises:
        BookError: the file is damaged; the message names the first defect and its offset.
    """
    if isinstance(book, Book):
        book.verify()
    graph = graph_of_book(book if isinstance(book, Book) else book.table)
    is_own = graph.record >= 0
    lines, own = graph.trace(is_own), np.flatnonzero(is_own)
    record, ply = graph.record[own], lines.ply[graph.parent[own]] + 1
    reached = np.unique(record).size
    return {
        "records": len(book),
        "moves": record.size,
        "reached": reached,
        "unreached": len(book) - reached,
        "longest": int(ply.max(initial=0)),
    }
