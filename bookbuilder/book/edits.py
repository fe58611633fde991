"""Changes of a book by hand: a position and a move in, the book changed and its journal out.

The journal is part of the book: each edit stands in its recipe, with the record as it was, so that it can
be taken back. A book whose edits are all taken back is, byte for byte, what it was before them; and a
recipe with edits can be built again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from bookbuilder.book.book import Book, dump_recipe, stored_records, write_records
from bookbuilder.disk import draft_file
from bookbuilder.errors import BookError, MoveError, OptionError
from bookbuilder.games.position import Game, PositionLike, as_position
from bookbuilder.selection.quality import MAX_QUALITY

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder.selection.select import Selection

__all__ = ["Edit", "edit_book", "edits_of", "undo_edit", "write_edited"]

_EDITS: Final = "edits"
# The recipe's text before the first edit, where it is not spelled as this program spells it.
_UNEDITED: Final = "unedited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of one record.

    Attributes:
        position: FEN of the position before the move.
        move: the move, UCI or ICCS; the record is that of the position after it.
        quality: the new quality, 0 … 31; None = the record is dropped.
        before: the record as it was, column by column; None = not known yet.
    """

    position: str
    move: str
    quality: int | None
    before: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        """Refuse a quality that a record cannot hold."""
        if self.quality is not None and not 0 <= self.quality <= MAX_QUALITY:
            raise OptionError(f"quality is {self.quality}: expected 0 to {MAX_QUALITY}")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the edit that stands in a recipe."""
        return cls(**data)


def edits_of(recipe: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return the edits that a recipe tells, the first one first."""
    return tuple(Edit.from_json(each) for each in recipe.get(_EDITS, ()))


def edit_book(
    path: str | os.PathLike[str], position: PositionLike, move: str, *, quality: int | None
) -> Edit:
    """Change the record that a move leads to, write the change into the book's journal, and return it.

    Args:
        path: the book; it is replaced as a whole, and readers that have it open go on with the old one.
            While another process changes it, this one waits.
        position: where the move is played: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
        move: the move, in coordinates or SAN.
        quality: the new quality, 0 … 31; None = drop the record.

    Raises:
        BookError: the move leads to no record, or the file is no book.
        MoveError: the move is not legal there.
        OptionError: the quality is none.
    """
    with _held(path):
        book = Book.open(path)
        here = as_position(position, book.game)
        asked = Edit(position=here.fen, move=here.coordinates(here.parse_move(move)), quality=quality)
        _rewrite(book, [asked], book.path)
        return edits_of(Book.open(path).recipe)[-1]


def undo_edit(path: str | os.PathLike[str]) -> Edit:
    """Take the last edit of a book back and return it.

    Raises:
        BookError: the book has none, or the file is no book.
    """
    with _held(path):
        return _undone(Book.open(path))


def write_edited(
    path: str | os.PathLike[str], selection: Selection, edits: Sequence[Edit], *, columns: bool
) -> Book:
    """Write a selection as a book, then make edits in it again.

    Raises:
        BookError: an edit's move leads to no record.
    """
    target = Path(path)
    with draft_file(target) as draft:
        made = Book.write(draft, selection, columns=columns)
        if edits:
            _rewrite(Book(made.native, target), [replace(edit, before=None) for edit in edits], draft)
    return Book.open(path)


@contextmanager
def _held(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a book for one who changes it: another waits for its turn, so that no change is lost."""
    while True:
        with Path(path).open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            # Whoever had its turn before has put another file in this one's place.
            if os.path.samestat(os.fstat(held.fileno()), Path(path).stat()):
                yield
                return


def _undone(book: Book) -> Edit:
    import pyarrow as pa

    recipe = book.recipe
    if not (edits := edits_of(recipe)):
        raise BookError(f"{book.path}: has no edits to take back")
    last = edits[-1]
    if last.before is None:
        raise BookError(f"{book.path}: its last edit does not tell the record as it was")
    records = stored_records(book)
    key, lock = _place(book.game, book.fold, last)
    place, is_there = _find(records, key, lock if book.has_columns else None)
    whole = {"key": key, "lock": lock if book.has_columns else 0, **last.before}
    row = pa.table(
        {name: pa.array([value], records.schema.field(name).type) for name, value in whole.items()}
    )
    parts = [records.slice(0, place), row.select(records.column_names), records.slice(place + is_there)]
    _write(book, pa.concat_tables(parts).combine_chunks(), _without_last(recipe), book.path)
    return last


def _rewrite(book: Book, asked: Sequence[Edit], target: Path) -> None:
    recipe, records = book.recipe, stored_records(book)
    done = list(recipe.pop(_EDITS, ()))
    if not done and dump_recipe(recipe) != book.native.recipe:
        recipe[_UNEDITED] = book.native.recipe
    for edit in asked:
        records, made = _edited(records, book, edit)
        done.append(asdict(made))
    _write(book, records, {**recipe, _EDITS: done}, target)


def _edited(records: pa.Table, book: Book, edit: Edit) -> tuple[pa.Table, Edit]:
    import pyarrow as pa

    key, lock = _place(book.game, book.fold, edit)
    place, is_there = _find(records, key, lock if book.has_columns else None)
    if not is_there:
        raise BookError(f"{book.path}: {edit.move} leads to no record of it in {edit.position}")
    before = records.slice(place, 1).to_pylist()[0]
    told = {name: value for name, value in before.items() if name not in ("key", "lock")}
    if edit.quality is None:
        changed = pa.concat_tables([records.slice(0, place), records.slice(place + 1)]).combine_chunks()
    else:
        quality = records.column("quality").to_numpy().copy()
        quality[place] = edit.quality
        column = records.column_names.index("quality")
        changed = records.set_column(column, "quality", pa.array(quality))
    return changed, replace(edit, before=told)


def _place(game: Game, fold: bool, edit: Edit) -> tuple[int, int]:
    here = as_position(edit.position, game)
    try:
        return here.play(here.parse_move(edit.move)).stored(fold)
    except MoveError as error:
        raise BookError(f"edit of {edit.move} in {edit.position}: {error}") from error


def _find(records: pa.Table, key: int, lock: int | None) -> tuple[int, bool]:
    """Return where a record is or would be, and whether it is there; without locks, by the key alone."""
    keys = records.column("key").to_numpy()
    first, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
    if lock is None:
        return first, first < end
    locks = records.column("lock").to_numpy()[first:end]
    place = first + int(np.searchsorted(locks, np.uint32(lock)))
    return place, place < end and int(locks[place - first]) == lock


def _without_last(recipe: dict[str, Any]) -> Mapping[str, Any] | str:
    edits = recipe[_EDITS][:-1]
    rest = {name: value for name, value in recipe.items() if name != _EDITS}
    if edits:
        return {**rest, _EDITS: edits}
    text = rest.get(_UNEDITED)
    return rest if text is None else str(text)


def _write(book: Book, records: pa.Table, recipe: Mapping[str, Any] | str, target: Path) -> None:
    if isinstance(recipe, str):
        json.loads(recipe)  # what an edit kept was a recipe once
    write_records(target, records, game=book.game, fold=book.fold, columns=book.has_columns, recipe=recipe)
