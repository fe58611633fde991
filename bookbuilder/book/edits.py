"""Edits of a book by hand: change the quality of a record, or drop the record.

The recipe of the book lists its edits, each with the record before the change. Undoing all edits restores the
book byte for byte, and a recipe with edits can be built again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bookbuilder.book.book import Book, stored_records
from bookbuilder.book.recipe import Edit, edits_of, with_edits, without_last_edit
from bookbuilder.book.records import write_records
from bookbuilder.columns import values
from bookbuilder.disk import draft_file
from bookbuilder.errors import BookError, MoveError
from bookbuilder.games.line import MoveLike
from bookbuilder.games.position import Game, PositionLike, as_position
from bookbuilder.system import is_still, lock

if TYPE_CHECKING:
    from bookbuilder.selection.select import Selection

__all__ = ["edit_book", "edited_place", "undo_edit", "write_edited", "write_edited_copy"]


def edit_book(
    path: str | os.PathLike[str], position: PositionLike, move: MoveLike, *, quality: int | None
) -> Edit:
    """Change the record that a move leads to, add the edit to the book's recipe, and return the edit.

    Args:
        path: the book. The file is replaced, so readers that have it open keep the old one. If another
            process is changing it, this one waits.
        position: where the move is played: a FEN, moves such as `1.e4 e5`, a `Position` or a
            `chess.Board`.
        move: the move, in any notation of the game, or a `chess.Move`.
        quality: the new quality, 0 … 31; None = drop the record.

    Raises:
        BookError: the move leads to no record, or the file is not a book.
        MoveError: the move is not legal there.
        OptionError: the quality is out of range.

    Example:
        >>> import shutil
        >>> edit = bb.edit_book(shutil.copy("games.book", "mine.book"), "startpos", "e4", quality=5)
        >>> edit.move, edit.quality, edit.before["quality"]
        ('e2e4', 5, 31)
    """
    with _locked(path):
        book = Book.open(path)
        here = as_position(position, book.game)
        asked = Edit(position=here.fen, move=here.coordinates(here.parse_move(str(move))), quality=quality)
        return _rewrite(book, [asked], book.path)[-1]


def undo_edit(path: str | os.PathLike[str]) -> Edit:
    """Undo the last edit of a book and return it.

    Raises:
        BookError: the book has no edits, or the file is not a book.

    Example:
        >>> import shutil
        >>> edit = bb.edit_book(shutil.copy("games.book", "mine.book"), "startpos", "e4", quality=None)
        >>> bb.undo_edit("mine.book").move
        'e2e4'
        >>> Path("mine.book").read_bytes() == Path("games.book").read_bytes()
        True
    """
    with _locked(path):
        book = Book.open(path)
        recipe = book.recipe
        if not (edits := edits_of(recipe)):
            raise BookError(f"{book.path}: has no edits to undo")
        last = edits[-1]
        if last.before is None:
            raise BookError(f"{book.path}: its last edit does not say what the record was before")
        _write(book, _restored(book, last, last.before), without_last_edit(recipe), book.path)
        return last


def write_edited(
    path: str | os.PathLike[str], selection: Selection, edits: Sequence[Edit], *, columns: bool
) -> Book:
    """Write a selection as a book, apply edits to it, and return the open book.

    Raises:
        BookError: the move of an edit leads to no record.
    """
    target = Path(path)
    with draft_file(target) as draft:
        written = Book.write(draft, selection, columns=columns)
        if edits:
            _rewrite(Book(written.native, target), [replace(edit, before=None) for edit in edits], draft)
    return Book.open(path)


def write_edited_copy(book: Book, target: Path, edits: Sequence[Edit]) -> None:
    """Write a copy of a book to which edits are applied.

    Raises:
        BookError: the move of an edit leads to no record.
        OSError: the file cannot be written.
    """
    _rewrite(book, edits, target)


def edited_place(edit: Edit, game: Game, *, fold: bool) -> tuple[int, int]:
    """Return key and lock of the record that an edit changes.

    Raises:
        BookError: the move of the edit is not legal.
    """
    here = as_position(edit.position, game)
    try:
        return here.play(here.parse_move(edit.move)).stored(fold)
    except MoveError as error:
        raise BookError(f"edit of {edit.move} in {edit.position}: {error}") from error


@contextmanager
def _locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lock a book for a change. Wait while another process has the lock, so that no edit is lost."""
    while True:
        with Path(path).open("rb") as file:
            lock(file.fileno(), wait=True)
            # The process that had the lock before may have replaced the file.
            if is_still(file.fileno(), Path(path)):
                yield
                return


def _rewrite(book: Book, edits: Sequence[Edit], target: Path) -> list[Edit]:
    """Apply edits to a book, write it to `target`, and return the edits as its recipe has them."""
    records, done = stored_records(book), []
    for edit in edits:
        place, is_there = _find(records, book, edit)
        if not is_there:
            raise BookError(f"{book.path}: {edit.move} leads to no record of it in {edit.position}")
        row = records.slice(place, 1)
        before = row.drop_columns(["key", "lock"]).to_pylist()[0]
        records = _spliced(records, place, 1, row if edit.quality is not None else row.slice(1), edit.quality)
        done.append(replace(edit, before=before))
    _write(book, records, with_edits(book.native.recipe, book.recipe, done), target)
    return done


def _restored(book: Book, edit: Edit, before: Mapping[str, int]) -> pa.Table:
    """Return the records of a book with one record as it was before an edit."""
    records = stored_records(book)
    key, lock = edited_place(edit, book.game, fold=book.fold)
    place, is_there = _find(records, book, edit)
    whole = {"key": key, "lock": lock if book.has_columns else 0, **before}
    row = pa.Table.from_pylist([whole], schema=records.schema)
    return _spliced(records, place, int(is_there), row)


def _spliced(
    records: pa.Table, place: int, removed: int, row: pa.Table, quality: int | None = None
) -> pa.Table:
    """Return records with `row` in place of `removed` records, its quality changed if one is given."""
    if quality is not None:
        column = row.column_names.index("quality")
        row = row.set_column(column, records.schema.field(column), pa.array([quality], pa.uint8()))
    parts = [records.slice(0, place), row, records.slice(place + removed)]
    return pa.concat_tables(parts).combine_chunks()


def _find(records: pa.Table, book: Book, edit: Edit) -> tuple[int, bool]:
    """Return the place at which an edit's record is or would be, and whether it is there."""
    key, lock = edited_place(edit, book.game, fold=book.fold)
    keys = values(records.column("key"))
    first, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    if not book.has_columns:
        return first, first < end
    locks = values(records.column("lock"))[first:end]
    place = first + int(np.searchsorted(locks, np.uint32(lock)))
    return place, place < end and int(locks[place - first]) == lock


def _write(book: Book, records: pa.Table, recipe: Mapping[str, Any] | str, target: Path) -> None:
    write_records(target, records, game=book.game, fold=book.fold, columns=book.has_columns, recipe=recipe)
