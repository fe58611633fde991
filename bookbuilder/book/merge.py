"""Books merged and compared: books in, one book, or what they differ in, out.

Merged, counts add up: the usage and the results of a position are the sums of those in the books, each at
most what its field holds, and the quality is the highest. So the order of the books, and whether they are
merged at once or one after the other, does not show in the file, byte for byte.

By priority an earlier book hides a later one, as in the merging of Polyglot books: where the earlier book
has a move, the later one's moves do not count. A record of the later book that some position with moves of
the earlier book leads to is left out; records that both have are the earlier book's. Positions that no line
of book moves leads to from the start position are not looked at: what a later book has behind them stays.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import WALK_ROOT
from bookbuilder.book.book import Book, stored_records, write_records
from bookbuilder.book.edits import edits_of
from bookbuilder.errors import BookError
from bookbuilder.schema import from_native

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["diff_books", "merge_books"]

_Columns: TypeAlias = dict[str, npt.NDArray[Any]]

_NAMES: Final = ("key", "lock", "usage", "wins", "draws", "losses", "quality")
_SUMS: Final = ("usage", "wins", "draws", "losses")


def merge_books(path: str | os.PathLike[str], books: Sequence[Book], *, priority: bool = False) -> Book:
    """Write the books as one and return it, opened.

    Args:
        path: the file; one that exists is replaced.
        books: of one game, all with mirrors folded or none. Only if all have columns, so has the result.
        priority: whether earlier books hide later ones; else counts add up.

    Raises:
        BookError: the books are not of one kind, or there is none.
        OSError: the file cannot be written.
    """
    if not books:
        raise BookError("merge: expected at least one book")
    first = books[0]
    for book in books[1:]:
        if (book.game, book.fold) != (first.game, first.fold):
            told = [
                f"{each.path} ({each.game}, mirrors {'' if each.fold else 'not '}folded)"
                for each in (first, book)
            ]
            raise BookError(f"books of different kinds cannot be merged: {' and '.join(told)}")
    columns = all(book.has_columns for book in books)
    held = [_columns_of(book, columns=columns) for book in books]
    if priority:
        records = held[0]
        for later in held[1:]:
            records = _hiding(records, later, first, columns=columns)
    else:
        records = _summed(held)
    recipe = _merged_recipe(books, columns=columns, priority=priority)
    _write(path, records, first, columns=columns, recipe=recipe)
    return Book.open(path)


def diff_books(old: Book, new: Book) -> pd.DataFrame:
    """Return the records in which two books differ.

    Args:
        old: a book.
        new: another one of the same game.

    Returns:
        One row for each record that only one book has or that is not the same in both: key, lock (0 if one
        book has no columns), change (`added`, `removed` or `changed`), then usage, wins, draws, losses (the
        first side's), quality, each as `old_…` and `new_…`, missing in the book that does not have the
        record. Sorted by (key, lock). Results are compared only if both books have columns; else only whether
        there were any.

    Raises:
        BookError: the books are of different games, or one folds mirrors and the other does not.
    """
    import pandas as pd

    from bookbuilder import _core

    if (old.game, old.fold) != (new.game, new.fold):
        raise BookError(f"{_kind(old)} and {_kind(new)} cannot be compared")
    columns = old.has_columns and new.has_columns
    before, after = (_columns_of(book, columns=columns) for book in (old, new))
    for held in (before, after):  # as a record tells it: what is above its largest value is not known
        held["usage"] = np.minimum(held["usage"], np.uint64(_core.MAX_USAGE))
    both = {name: np.concatenate([before[name], after[name]]) for name in ("key", "lock")}
    keys, locks, place = _places(both["key"], both["lock"])
    frames = {"key": keys, "lock": locks}
    rows = np.arange(keys.size)
    at = {"old": np.full(keys.size, -1), "new": np.full(keys.size, -1)}
    at["old"][place[: before["key"].size]] = np.arange(before["key"].size)
    at["new"][place[before["key"].size :]] = np.arange(after["key"].size)
    in_both = (at["old"] >= 0) & (at["new"] >= 0)
    differs = ~in_both
    for name in _NAMES[2:]:
        differs[in_both] |= before[name][at["old"][in_both]] != after[name][at["new"][in_both]]
    rows = rows[differs]
    found = pd.DataFrame({name: column[rows] for name, column in frames.items()})
    change = np.where(at["old"][rows] < 0, "added", np.where(at["new"][rows] < 0, "removed", "changed"))
    found["change"] = pd.Categorical(change, ["added", "removed", "changed"])
    for name in _NAMES[2:]:
        for age, held in (("old", before), ("new", after)):
            there = at[age][rows] >= 0
            column = pd.array(np.zeros(rows.size, np.int64), dtype="Int64")
            column[there] = held[name][at[age][rows][there]].astype(np.int64)
            column[~there] = pd.NA
            found[f"{age}_{name}"] = column
    return found


def _kind(book: Book) -> str:
    return f"{book.path} ({book.game}, mirrors {'' if book.fold else 'not '}folded)"


def _columns_of(book: Book, *, columns: bool) -> _Columns:
    table = stored_records(book)
    held = {name: table.column(name).to_numpy() for name in _NAMES}
    if not columns:
        # Records are told apart by their keys alone, and know of results only whether there were any.
        held["lock"] = np.zeros_like(held["lock"])
        for name in _SUMS[1:]:
            held[name] = np.minimum(held[name], np.uint64(1))
    return held


def _places(key: npt.NDArray[Any], lock: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    """Return the distinct (key, lock), ascending, and the number of that of each row."""
    order = np.lexsort((lock, key))
    sorted_key, sorted_lock = key[order], lock[order]
    begins = np.ones(key.size, dtype=np.bool_)
    begins[1:] = (sorted_key[1:] != sorted_key[:-1]) | (sorted_lock[1:] != sorted_lock[:-1])
    place = np.empty(key.size, dtype=np.int64)
    place[order] = np.cumsum(begins) - 1
    return sorted_key[begins], sorted_lock[begins], place


def _summed(books: Sequence[_Columns]) -> _Columns:
    joined = {name: np.concatenate([book[name] for book in books]) for name in _NAMES}
    key, lock, place = _places(joined["key"], joined["lock"])
    found: _Columns = {"key": key, "lock": lock}
    for name in _SUMS:
        found[name] = np.zeros(key.size, dtype=np.uint64)
        np.add.at(found[name], place, joined[name])
    found["quality"] = np.zeros(key.size, dtype=np.uint8)
    np.maximum.at(found["quality"], place, joined["quality"])
    return found


def _hiding(first: _Columns, later: _Columns, kind: Book, *, columns: bool) -> _Columns:
    """Return the first book's records and those of the later one that it does not hide."""
    joined = {name: np.concatenate([first[name], later[name]]) for name in _NAMES}
    key, _, place = _places(joined["key"], joined["lock"])
    # Of records that both have, the first book's is written last over the later one's.
    row = np.empty(key.size, dtype=np.int64)
    row[place[::-1]] = np.arange(place.size)[::-1]
    union = {name: column[row] for name, column in joined.items()}
    is_first = row < first["key"].size
    with tempfile.TemporaryDirectory(prefix="bookbuilder-") as directory:
        whole = Path(directory, "union.book")
        _write(whole, union, kind, columns=columns, recipe={})
        steps = from_native(Book.open(whole).native.walk())
    parent, record = (steps.column(name).to_numpy() for name in ("parent", "record"))
    # Position of each step's parent, the beginning of the walk as 0.
    of = np.where(parent == WALK_ROOT, 0, parent.astype(np.int64) + 1)
    has_first = np.zeros(record.size + 1, dtype=np.bool_)
    has_first[of[is_first[record]]] = True
    is_hidden = np.zeros(key.size, dtype=np.bool_)
    is_hidden[record[has_first[of] & ~is_first[record]]] = True
    return {name: column[~is_hidden] for name, column in union.items()}


def _merged_recipe(books: Sequence[Book], *, columns: bool, priority: bool) -> dict[str, Any]:
    from bookbuilder import _core

    parts: list[Mapping[str, Any]] = []
    for book in books:
        recipe = book.recipe
        is_sum = recipe.get("merge") == "sum" and not edits_of(recipe)
        parts += recipe["parts"] if is_sum and not priority else [recipe]
    if not priority:
        parts.sort(key=lambda part: json.dumps(part, sort_keys=True))
    return {
        "program": f"bookbuilder {_core.CORE_VERSION}",
        "game": books[0].game,
        "columns": columns,
        "merge": "priority" if priority else "sum",
        "parts": parts,
    }


def _write(
    path: str | os.PathLike[str],
    records: _Columns,
    kind: Book,
    *,
    columns: bool,
    recipe: Mapping[str, Any],
) -> None:
    import pyarrow as pa

    table = pa.table({name: pa.array(records[name]) for name in _NAMES})
    write_records(path, table, game=kind.game, fold=kind.fold, columns=columns, recipe=recipe)
