"""Check whether a book is sound, and whether it agrees with the tally that it was built from.

The core checks the bytes of the file: checksum, order of the records, index. Then the book is walked from the
start position along legal moves. Records that the walk does not meet are not an error: the positions before
them may have been dropped.

The comparison with a tally checks every record against the counts that the recipe's options give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bookbuilder import _core
from bookbuilder.book.book import Book, selection_records
from bookbuilder.book.graph import graph_of_book
from bookbuilder.book.open import AnyBook
from bookbuilder.columns import values
from bookbuilder.errors import BookError
from bookbuilder.games.columns import PositionIndex
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

# The largest value that a record can hold.
_MAXIMA: Final = {
    "usage": _core.MAX_USAGE,
    "quality": _core.MAX_QUALITY,
    **dict.fromkeys(("wins", "draws", "losses"), _core.MAX_COUNT),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Soundness:
    """The result of a walk through a book.

    Attributes:
        records: the number of records of the book, or of moves in other formats.
        moves: the number of book moves on the walk, all legal.
        reached: the number of records that the walk met.
        unreached: the number of records that no line of book moves leads to from the start position.
        longest: plies of the longest line of the walk.
    """

    records: int
    moves: int
    reached: int
    unreached: int
    longest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of a comparison with the tally.

    Attributes:
        same: the number of records whose usage, results and quality equal those of the tally.
        different: the number of records with another usage, result or quality.
        unknown: the number of records that the tally lacks or that its selection does not keep.
        missing: the number of positions that the selection keeps and the book lacks.
        fault: the first defect in words; empty if there is none.
    """

    same: int
    different: int
    unknown: int
    missing: int
    fault: str


def walked(book: AnyBook) -> Soundness:
    """Check every byte of a clustered book, then return the result of a walk through a book of any format.

    Raises:
        BookError: the file is damaged; the message names the first defect and its offset.
    """
    if isinstance(book, Book):
        book.verify()
    graph = graph_of_book(book if isinstance(book, Book) else book.table)
    lines, own = graph.trace(graph.in_book), np.flatnonzero(graph.in_book)
    record, ply = graph.record[own], lines.ply[graph.parent[own]] + 1
    reached = np.unique(record).size
    return Soundness(
        records=len(book),
        moves=record.size,
        reached=reached,
        unreached=len(book) - reached,
        longest=int(ply.max(initial=0)),
    )


def compare_with_tally(book: Book, tally: Tally) -> Comparison:
    """Compare a book with the tally that it was built from.

    Args:
        book: the book. What was changed by hand differs.
        tally: the tally of the recipe's archives, with the recipe's options.

    Raises:
        BookError: the book is of another game, or its recipe does not say how it was selected.
    """
    if (book.game, book.fold) != (tally.game, tally.options.fold):
        raise BookError(f"{book.path}: is of {book.game}, the tally of {tally.game}")
    if "selection" not in book.recipe:
        raise BookError(f"{book.path}: its recipe does not say how it was selected from one tally")
    records = selection_records(select(tally, SelectionOptions.from_json(book.recipe["selection"])))
    wanted = {name: values(records.column(name)) for name in records.column_names}
    table = book.to_arrow()
    has = {name: values(table.column(name)) for name in table.column_names}
    place = PositionIndex(wanted["key"], wanted["lock"]).find(has["key"], has.get("lock"))
    found = place >= 0
    same = found.copy()
    for name, most in _MAXIMA.items():
        if name in has:
            same[found] &= np.minimum(wanted[name][place[found]].astype(np.uint64), most) == has[name][found]
    missing = wanted["key"].size - int(found.sum())
    fault = f"{missing} positions that the recipe's options keep are not in the book" if missing else ""
    if not same.all():
        record = int(np.argmin(same))
        what = "has other counts or quality" if found[record] else "is not kept"
        key = int(has["key"][record])
        fault = f"record {record}, key 0x{key:016x}, {what} by the tally and the recipe's options"
    return Comparison(
        same=int(same.sum()),
        different=int((found & ~same).sum()),
        unknown=int((~found).sum()),
        missing=missing,
        fault=fault,
    )
