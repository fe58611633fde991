"""Merge books into one, and list the differences between two books.

**Sum** (the default): usage and results of a position are added up, each capped by its field, and the quality
is the maximum. The order of the books does not matter, nor whether they are merged at once or one after the
other.

**Priority:** an earlier book hides a later one, as when Polyglot books are merged. Where the earlier book has
a move, the moves of the later one do not count: a record of the later book is dropped if a position with
moves of the earlier book leads to it. Records of both books are taken from the earlier one. Positions that no
line from the start position reaches are not examined; what a later book has there is kept.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.book import Book, stored_records
from bookbuilder.book.recipe import merged_recipe
from bookbuilder.book.records import write_records
from bookbuilder.columns import values
from bookbuilder.errors import BookError
from bookbuilder.schema import from_native
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["diff_books", "merge_books"]

_POSITION: Final = ["key", "lock"]
_SUMS: Final = ("usage", "wins", "draws", "losses")
_VALUES: Final = (*_SUMS, "quality")


def merge_books(path: str | os.PathLike[str], books: Sequence[Book], *, priority: bool = False) -> Book:
    """Write the books as one and return it, open.

    Args:
        path: the file; an existing file is replaced.
        books: books of one game, all with mirrors folded or none. The result has columns if all of them do.
        priority: whether earlier books hide later ones; otherwise counts add up.

    Raises:
        BookError: the books are not of one kind, or there is none.
        OSError: the file cannot be written.

    Example:
        >>> book = bb.Book.open("games.book")
        >>> merged = bb.merge_books("merged.book", [book, book])
        >>> len(merged) == len(book)
        True
        >>> merged.probe("1.e4").usage, book.probe("1.e4").usage
        (8, 4)
    """
    if not books:
        raise BookError("merge: expected at least one book")
    first = books[0]
    for book in books[1:]:
        if _kind(book) != _kind(first):
            raise BookError(
                f"books of different kinds cannot be merged: {_described(first)} and {_described(book)}"
            )
    columns = all(book.has_columns for book in books)
    tables = [_records(book, columns=columns) for book in books]
    if priority:
        records = reduce(lambda merged, later: _hidden(merged, later, first, columns=columns), tables)
    else:
        records = _summed(tables)
    recipe = merged_recipe(first.game, [book.recipe for book in books], columns=columns, priority=priority)
    _write(path, records, first, columns=columns, recipe=recipe)
    return Book.open(path)


def diff_books(old: Book, new: Book) -> pd.DataFrame:
    """Return the records in which two books differ.

    Args:
        old: a book.
        new: another book of the same game.

    Returns:
        One row for each record that only one book has or that is not the same in both: key, lock (0 if one
        book has no columns), change (`added`, `removed` or `changed`), then usage, wins, draws, losses (the
        first side's), quality, each as `old_…` and `new_…`, missing in the book that does not have the
        record. Sorted by (key, lock). Results are compared only if both books have columns; otherwise only
        whether there were any.

    Raises:
        BookError: the books are of different games, or one folds mirrors and the other does not.

    Example:
        >>> import shutil
        >>> book = bb.Book.open("games.book")
        >>> edit = bb.edit_book(shutil.copy("games.book", "edited.book"), "startpos", "d4", quality=None)
        >>> bb.diff_books(book, bb.Book.open("edited.book"))["change"].tolist()
        ['removed']
    """
    if _kind(old) != _kind(new):
        raise BookError(f"{_described(old)} and {_described(new)} cannot be compared")
    columns = old.has_columns and new.has_columns
    before, after = (_frame(book, age, columns=columns) for book, age in ((old, "old"), (new, "new")))
    both = before.merge(after, on=_POSITION, how="outer", indicator="change").sort_values(_POSITION)
    names = {"right_only": "added", "left_only": "removed", "both": "changed"}
    change = both["change"].cat.reorder_categories(list(names)).cat.rename_categories(names)
    differs = change != "changed"
    for name in _VALUES:
        differs |= (both[f"old_{name}"] != both[f"new_{name}"]).fillna(True).astype(bool)
    pairs = [f"{age}_{name}" for name in _VALUES for age in ("old", "new")]
    found = both.assign(change=change)[[*_POSITION, "change", *pairs]][differs]
    return found.reset_index(drop=True)


def _kind(book: Book) -> tuple[str, bool]:
    return book.game, book.fold


def _described(book: Book) -> str:
    return f"{book.path} ({book.game}, mirrors {'' if book.fold else 'not '}folded)"


def _records(book: Book, *, columns: bool) -> pa.Table:
    """Return the records of a book; without columns, with locks of 0 and results of at most 1."""
    table = stored_records(book)
    if columns:
        return table
    flat = {name: np.minimum(values(table.column(name)), np.uint64(1)) for name in _SUMS[1:]}
    flat["lock"] = np.zeros(len(book), np.uint32)
    arrays = [flat.get(name, table.column(name)) for name in table.column_names]
    return pa.table(arrays, names=table.column_names)


def _frame(book: Book, age: str, *, columns: bool) -> pd.DataFrame:
    """Return the records of a book as nullable numbers under names with the prefix `age`."""
    frame = _records(book, columns=columns).to_pandas()
    frame["usage"] = frame["usage"].clip(upper=_core.MAX_USAGE)  # usage above the maximum is not known
    values = frame[list(_VALUES)].astype("Int64").add_prefix(f"{age}_")
    return frame[_POSITION].join(values)


def _ascending(records: pa.Table) -> pa.Table:
    return records.sort_by([(name, "ascending") for name in _POSITION])


def _summed(tables: Sequence[pa.Table]) -> pa.Table:
    grouped = pa.concat_tables(tables).group_by(_POSITION)
    sums = grouped.aggregate([*((name, "sum") for name in _SUMS), ("quality", "max")])
    found = sums.select([*_POSITION, *(f"{name}_sum" for name in _SUMS), "quality_max"])
    return _ascending(found.rename_columns([*_POSITION, *_VALUES]))


def _hidden(first: pa.Table, later: pa.Table, kind: Book, *, columns: bool) -> pa.Table:
    """Return the records of `first`, and the records of `later` that `first` does not hide."""
    both = pa.concat_tables([first, later])
    rows = both.append_column("row", pa.array(np.arange(both.num_rows))).group_by(_POSITION)
    # A record of both tables is the one of `first`, which has the smaller row.
    row = _ascending(rows.aggregate([("row", "min")])).column("row_min")
    union, is_first = both.take(row), values(row) < first.num_rows
    return union.filter(pa.array(~_is_hidden(union, is_first, kind, columns=columns)))


def _is_hidden(
    union: pa.Table, is_first: npt.NDArray[np.bool_], kind: Book, *, columns: bool
) -> npt.NDArray[np.bool_]:
    """Return which records of the later book are reached from a position with moves of the first book."""
    with TemporaryFolder() as folder:
        whole = folder / "union.book"
        _write(whole, union, kind, columns=columns, recipe={})
        steps = from_native(Book.open(whole).native.walk())
    parent, record = (values(steps.column(name)) for name in ("parent", "record"))
    # The step before each step; 0 = the start of the walk.
    before = np.where(parent == _core.NOWHERE, 0, parent.astype(np.int64) + 1)
    has_first = np.zeros(record.size + 1, dtype=np.bool_)
    has_first[before[is_first[record]]] = True
    is_hidden = np.zeros(union.num_rows, dtype=np.bool_)
    is_hidden[record[has_first[before] & ~is_first[record]]] = True
    return is_hidden


def _write(
    path: str | os.PathLike[str], records: pa.Table, kind: Book, *, columns: bool, recipe: Mapping[str, Any]
) -> None:
    write_records(path, records, game=kind.game, fold=kind.fold, columns=columns, recipe=recipe)
