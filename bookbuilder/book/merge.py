"""Merge books of any formats into one, and list the moves in which two books differ.

**Sum** (the default): the counts and weights of a move are added up, and the maximum quality is kept.
Clustered books are summed record by record: usage and results are capped by their fields. The order of the
books does not matter, nor whether they are merged at once or one after the other.

**Ratio:** weights of different books do not compare, as they do not say how many games they were made of.
With a ratio, each book's weights become shares at each position, and the shares are added up in the ratio of
the books.

**Priority:** where an earlier book has a move, the moves of a later one do not count, as when Polyglot merges
books.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.book.book import Book, stored_records, write_records
from bookbuilder.book.formats.clustered import moves_of_clustered
from bookbuilder.book.formats.moves import MoveBook, merged, taken
from bookbuilder.book.formats.registry import Written, format_of, write_moves, written
from bookbuilder.book.formats.walk import follow
from bookbuilder.book.open import ListedBook, open_book
from bookbuilder.book.recipe import merged_recipe
from bookbuilder.columns import column_of, values
from bookbuilder.errors import BookError, OptionError
from bookbuilder.games.line import format_line

if TYPE_CHECKING:
    import pandas as pd

AnyBookLike: TypeAlias = "str | os.PathLike[str] | Book | ListedBook"
"""A book: its file, or the open book."""

_MOVE: Final = ["key", "move"]
_POSITION: Final = ["key", "lock"]
_SUMS: Final = ("usage", "wins", "draws", "losses")
_COMPARED: Final = ("weight", "games", "wins", "draws", "losses", "quality")
_NOTATIONS: Final = {"chess": "san", "xiangqi": "iccs"}
# The sum of the weights at a position after merging by ratio: what two bytes hold.
_WHOLE: Final = 0xFFFF


def merge_books(
    path: str | os.PathLike[str],
    books: Sequence[AnyBookLike],
    *,
    priority: bool = False,
    ratio: Sequence[int] | None = None,
) -> Written:
    """Write several books as one, and return a report.

    Args:
        path: the file; its suffix names the format. An existing file is replaced.
        books: books of one game, at least one, all with mirrors folded or none.
        priority: whether earlier books hide later ones; otherwise counts and weights add up.
        ratio: the part of each book in the weights; None = weights are added up as they are.

    Raises:
        BookError: the books are not of one kind, or there is none.
        OptionError: the ratio does not have one part above 0 for each book.
        OSError: the file cannot be written.

    Example:
        >>> bb.merge_books("merged.book", ["games.book", "games.book"]).moves
        21
        >>> bb.Book.open("merged.book").probe("1.e4").usage, bb.Book.open("games.book").probe("1.e4").usage
        (8, 4)
    """
    if not books:
        raise BookError("merge: expected at least one book")
    opened = [book if isinstance(book, Book | ListedBook) else open_book(book) for book in books]
    for book in opened[1:]:
        if (book.game, book.fold) != (opened[0].game, opened[0].fold):
            one, two = (
                f"{each.path} ({each.game}, mirrors {'' if each.fold else 'not '}folded)"
                for each in (opened[0], book)
            )
            raise BookError(f"books of different kinds cannot be merged: {one} and {two}")
    clustered = [book for book in opened if isinstance(book, Book)]
    if len(clustered) == len(opened) and format_of(Path(path)).name == "book" and not (priority or ratio):
        return _sum_records(Path(path), clustered)
    moves = [_moves_of(book) for book in opened]
    return write_moves(path, merge_moves(moves, priority=priority, ratio=ratio), scale="position")


def _moves_of(book: Book | ListedBook) -> MoveBook:
    return moves_of_clustered(book) if isinstance(book, Book) else book.table


def _sum_records(path: Path, books: Sequence[Book]) -> Written:
    first, columns = books[0], all(book.has_columns for book in books)
    tables = [_records(book, columns=columns) for book in books]
    grouped = pa.concat_tables(tables, promote_options="default").group_by(_POSITION)
    # The deepest of several values is the largest number.
    largest = ["quality", "valued"] if any(book.has_values for book in books) else ["quality"]
    sums = grouped.aggregate([*((name, "sum") for name in _SUMS), *((name, "max") for name in largest)])
    named = {f"{name}_sum": name for name in _SUMS} | {f"{name}_max": name for name in largest}
    records = sums.select([*_POSITION, *named]).rename_columns([*_POSITION, *named.values()])
    if "valued" in largest:
        valued = column_of(values(records.column("valued"), null=0))
        records = records.set_column(records.num_columns - 1, "valued", valued)
    write_records(
        path,
        records.sort_by([(name, "ascending") for name in _POSITION]),
        game=first.game,
        fold=first.fold,
        columns=columns,
        recipe=merged_recipe(first.game, [book.recipe for book in books], columns=columns),
    )
    return written(path, "book", first.game, records.num_rows)


def _records(book: Book, *, columns: bool) -> pa.Table:
    """Return the records of a book; without columns, with locks of 0 and results of at most 1."""
    table = stored_records(book)
    if columns:
        return table
    flat = {name: np.minimum(values(table.column(name)), np.uint64(1)) for name in _SUMS[1:]}
    flat["lock"] = np.zeros(len(book), np.uint32)
    arrays = [flat.get(name, table.column(name)) for name in table.column_names]
    return pa.table(arrays, names=table.column_names)


def merge_moves(
    books: Sequence[MoveBook], *, priority: bool = False, ratio: Sequence[int] | None = None
) -> MoveBook:
    """Return the moves of several books as one. The arguments are as in `merge_books`.

    Raises:
        BookError: the books are not of one kind, or there is none.
        OptionError: the ratio does not have one part above 0 for each book.
    """
    if not books:
        raise BookError("merge: expected at least one book")
    _require_one_kind(books)
    if ratio is not None:
        if len(ratio) != len(books) or min(ratio) < 1:
            given = ":".join(map(str, ratio))
            raise OptionError(f"ratio {given}: expected a number above 0 for each of the {len(books)} books")
        books = [_in_ratio(book, part / sum(ratio)) for book, part in zip(books, ratio, strict=True)]
    first, parts, known = books[0], [], np.empty(0, np.uint64)
    for book in books:
        key = book.column("key")
        parts.append(taken(book.table, np.flatnonzero(~np.isin(key, known))))
        if priority:
            known = np.union1d(known, key)
    same = {(book.statistic, book.basis) for book in books}
    table = merged(_with_locks(pa.concat_tables(parts)))
    bridges = pa.concat_tables([book.bridges for book in books])
    statistic = first.statistic if len(same) == 1 else "own"
    return replace(first, table=table, statistic=statistic, bridges=bridges, lost={}, engine=None)


def _require_one_kind(books: Sequence[MoveBook]) -> None:
    first = books[0]
    for book in books[1:]:
        if book.game != first.game:
            raise BookError(f"books of {first.game} and of {book.game}: expected books of one game")
        if book.fold != first.fold:
            raise BookError("one book has left-right mirrors folded, another does not: expected one kind")


def _in_ratio(book: MoveBook, part: float) -> MoveBook:
    """Return a book whose weights are its part of the whole at each position; counts become unknown."""
    position = np.unique(book.column("key"), return_inverse=True)[1]
    weight = book.column("weight").astype(np.float64)
    total = np.maximum(np.bincount(position, weight), 1e-300)[position]
    scaled = np.maximum(np.floor(part * _WHOLE * weight / total + 0.5), weight > 0).astype(np.uint64)
    table = book.table
    for name in ("weight", "games", "wins", "draws", "losses", "quality"):
        field = table.schema.field(name)
        column = column_of(scaled) if name == "weight" else pa.nulls(len(book), field.type)
        table = table.set_column(table.schema.get_field_index(name), field, column)
    return replace(book, table=table, statistic="own")


def _with_locks(table: pa.Table) -> pa.Table:
    """Return moves with the lock of each key where any row knows it, so that equal moves add up.

    Formats without locks know a position by its key alone.
    """
    lock = table.column("lock")
    if lock.null_count in (0, table.num_rows):
        return table
    key = values(table.column("key"))
    is_unknown = ~values(lock.is_valid())
    known = np.flatnonzero(~is_unknown)
    keys, place = np.unique(key[known], return_index=True)
    found = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    locks = values(lock, null=0)
    filled = np.where(is_unknown, locks[known[place][found]], locks)
    array = pa.array(filled, pa.uint32(), mask=is_unknown & (keys[found] != key))
    return table.set_column(table.schema.get_field_index("lock"), table.schema.field("lock"), array)


def diff_books(old: AnyBookLike, new: AnyBookLike) -> pd.DataFrame:
    """Return the moves in which two books of any formats differ.

    Args:
        old: a book.
        new: another book of the same game.

    Returns:
        One row for each move that only one book has, or of which a figure differs: key, move (stored code),
        change (`added`, `removed` or `changed`), then weight, games, wins, draws, losses (of the side that
        moves) and quality, each as `old_…` and `new_…`; missing = the book does not have the move, or does
        not store the figure. Weights are compared if both books store the same statistic, other figures if
        both store them.

    Raises:
        BookError: the books are not of one kind.

    Example:
        >>> bb.diff_books("games.book", "games.book").empty
        True
    """
    return diff_moves(*read_both(old, new))


def read_both(old: AnyBookLike, new: AnyBookLike) -> tuple[MoveBook, MoveBook]:
    """Return the moves of two books to compare.

    Two clustered books are walked together: a position that only one of them leads to has moves in both.
    """
    one, two = (book if isinstance(book, Book | ListedBook) else open_book(book) for book in (old, new))
    if isinstance(one, Book) and isinstance(two, Book) and (one.game, one.fold) == (two.game, two.fold):
        return moves_of_clustered(one, two), moves_of_clustered(two, one)
    return _moves_of(one), _moves_of(two)


def diff_moves(old: MoveBook, new: MoveBook) -> pd.DataFrame:
    """Return what `diff_books` returns, of moves that were read.

    Raises:
        BookError: the books are not of one kind.
    """
    _require_one_kind([old, new])
    before, after = (_once(book, prefix) for book, prefix in ((old, "old_"), (new, "new_")))
    both = before.merge(after, on=_MOVE, how="outer", indicator=True)
    names = {"left_only": "removed", "right_only": "added", "both": "changed"}
    change = both.pop("_merge").astype(str).map(names)
    differs = change != "changed"
    for name in _COMPARED:
        first, second = both[f"old_{name}"], both[f"new_{name}"]
        if name != "weight" or old.statistic == new.statistic:
            differs |= (first != second).fillna(False).astype(bool)
    both.insert(len(_MOVE), "change", change)
    return both[differs].reset_index(drop=True)


def _once(book: MoveBook, prefix: str) -> pd.DataFrame:
    """Return each move of a book once, its figures as nullable numbers under names with a prefix."""
    moves = {name: book.column(name) for name in (*_MOVE, *_COMPARED)}
    frame = pa.table({name: column_of(column) for name, column in moves.items()}).to_pandas()
    frame = frame.groupby(_MOVE, as_index=False).agg(
        {name: "max" if name == "quality" else "sum" for name in _COMPARED}
    )
    figures = frame[list(_COMPARED)].astype("UInt64").add_prefix(prefix)
    for name in _COMPARED:
        if not book.has(name):
            figures[f"{prefix}{name}"] = figures[f"{prefix}{name}"].mask(np.ones(len(frame), np.bool_))
    return frame[_MOVE].join(figures)


def counted_differences(old: MoveBook, new: MoveBook, limit: int) -> dict[str, Any]:
    """Return as JSON data how two books differ: the numbers of their moves, and of added … changed ones.

    `differences` has the heaviest rows of `diff_moves`, each with a line from the start that ends with the
    move. Missing figures are None; keys are written in hexadecimal.
    """
    found = diff_moves(old, new)
    counts = found["change"].value_counts()
    weight = found[["old_weight", "new_weight"]].max(axis=1)
    heaviest = found.loc[weight.sort_values(ascending=False, kind="stable").index[:limit]]
    moves = list(zip(heaviest["key"].tolist(), heaviest["move"].tolist(), strict=True))
    lines = {**lines_of_moves(old, moves), **lines_of_moves(new, moves)} if moves else {}
    listed = heaviest.assign(
        line=[lines.get(move, "") for move in moves], key=heaviest["key"].map("0x{:016x}".format)
    )
    return {
        "moves_a": len(old),
        "moves_b": len(new),
        **{name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")},
        "differences": listed.astype(object).where(listed.notna(), None).to_dict("records"),
    }


def lines_of_moves(book: MoveBook, moves: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return for each move of a book, given by key and stored code, a line from the start that plays it."""
    notation = _NOTATIONS[book.game]
    found = follow(book, notations=[notation])
    codes: npt.NDArray[np.uint16] = found.stored_moves() if book.fold else found.move
    own = np.flatnonzero(found.row >= 0)
    keys = found.key[found.position[own]].tolist()
    edges = dict(zip(zip(keys, codes[own].tolist(), strict=True), own.tolist(), strict=True))
    texts = found.texts[notation]

    def line(edge: int) -> str:
        words: list[Any] = []
        while edge >= 0:
            words.append(texts[edge])
            edge = int(found.parent[found.position[edge]])
        return format_line(words[::-1])

    return {move: line(edges[move]) for move in moves if move in edges}
