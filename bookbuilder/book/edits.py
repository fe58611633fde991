"""Change one move of a book of any listed format, in the very file.

The file as it was before the change stays beside it, under its name with `.bak`. Undoing puts it back. To
keep changes apart from the book, and to apply them to every new build, write them to a file for `build
--edits`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bookbuilder.book.book import Book, stored_records, write_records
from bookbuilder.book.formats.polyglot import repair_polyglot
from bookbuilder.book.formats.registry import FORMATS, source_format
from bookbuilder.book.open import open_book
from bookbuilder.columns import values
from bookbuilder.disk import draft_file, publish
from bookbuilder.errors import BookError, OptionError
from bookbuilder.games.line import MoveLike
from bookbuilder.games.position import PositionLike, as_position
from bookbuilder.system import is_still, lock
from bookbuilder.temporary import TemporaryFolder


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of one move of a book.

    Attributes:
        position: FEN of the position before the move.
        move: the move, UCI or ICCS.
        before: its weight before the change; None = the book did not have it.
        after: its weight after the change; None = the book does not have it any more.

    Example:
        >>> import shutil
        >>> bb.edit_book(shutil.copy("games.bin", "dropped.bin"), "startpos", "d4").after is None
        True
    """

    position: str
    move: str
    before: int | None
    after: int | None


def edit_book(
    path: str | os.PathLike[str],
    position: PositionLike,
    move: MoveLike,
    *,
    weight: int | None = None,
    add: bool = False,
) -> Edit:
    """Set the weight of a move of a book, add the move, or drop it; keep the file as it was as a backup.

    Args:
        path: the book: `.book`, `.bin`, `.abk`, `.obk`, `.dat` or `.csv`. Readers that have it open keep the
        old one.
            If another process is changing it, this one waits.
        position: where the move is played: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
        move: the move, in any notation of the game, or a `chess.Move`.
        weight: the new weight; None = drop the move, or with `add` take the heaviest weight at the position.
        In a
            `.book` a weight is games × (quality + 1)³, and the nearest quality is stored; other moves that
            lead to the same position change with it. In an `.abk` it is the priority, 0 to 9.
        add: whether the move is new to the book.

    Raises:
        BookError: the book does not have the move, or with `add` already has it, or would be empty.
        MoveError: the move is not legal there.
        OptionError: the format cannot be edited, or does not store such a weight.
        FormatError: the file is damaged.
        OSError: the file cannot be read or written.

    Example:
        >>> import shutil
        >>> edit = bb.edit_book(shutil.copy("games.bin", "mine.bin"), "startpos", "d4", weight=9)
        >>> edit.move, edit.before, edit.after
        ('d2d4', 1, 9)
        >>> bb.undo_edit("mine.bin").name
        'mine.bin'
    """
    with _locked(Path(path)) as file:
        chosen = source_format(file)
        if chosen.edit is None:
            known = ", ".join(each.suffix for each in FORMATS.values() if each.edit is not None)
            raise OptionError(
                f"{path}: {chosen.name} cannot be edited in place; convert it to one of {known}"
            )
        book = open_book(file)
        here = as_position(position, book.game)
        # Of two mirrored moves at a position that is its own mirror, a folded book has one.
        code = here.unfolded_move(here.stored_move(here.parse_move(str(move)), book.fold), book.fold)
        text = here.san(code)
        moves = dict(book.weighted_moves(here))
        if add == (code in moves):
            what = f"already has {text}" if add else f"does not have {text}"
            raise BookError(f"{path}: {what} at {here.fen}")
        if add and weight is None:
            weight = 5 if chosen.name == "abk" else max(moves.values(), default=1)
        if weight is None and len(book) == 1:
            raise BookError(f"{path}: would be empty without {text}; delete the file instead")
        with draft_file(file) as draft:
            before, after = chosen.edit(file, draft, here, code, weight)
            with draft_file(backup_of(file)) as kept:
                shutil.copy2(file, kept)
        return Edit(position=here.fen, move=here.coordinates(code), before=before, after=after)


def undo_edit(path: str | os.PathLike[str]) -> Path:
    """Put the backup of the last change back in place of a book, and return the path of the book.

    Raises:
        BookError: there is no backup.

    Example:
        >>> import shutil
        >>> edit = bb.edit_book(shutil.copy("games.book", "mine.book"), "startpos", "e4")
        >>> bb.undo_edit("mine.book").read_bytes() == Path("games.book").read_bytes()
        True
    """
    with _locked(Path(path)) as file:
        backup = backup_of(file)
        if not backup.exists():
            raise BookError(f"{path}: has no change to undo: there is no {backup.name} beside it")
        publish(backup, file)
        return file


def repair_book(path: str | os.PathLike[str]) -> dict[str, int]:
    """Mend a broken Polyglot book in its own file, and return what was done, in words, and how often.

    Records are sorted, a move that stands twice is joined, and what is not a record of a move is dropped. The
    file as it was stays beside it, as after an edit. A sound file is not touched.

    Raises:
        OptionError: the file is a book of another format.
        FormatError: it is something else, or no record holds a move.
        OSError: the file cannot be read or written.

    Example:
        >>> data = Path("games.bin").read_bytes()
        >>> _ = Path("torn.bin").write_bytes(data[16:] + data[:24])
        >>> done = bb.repair_book("torn.bin")
        >>> done["bytes at the end dropped"], Path("torn.bin").read_bytes() == data
        (8, True)
    """
    if (name := source_format(Path(path)).name) != "polyglot":
        raise OptionError(f"{path}: is a book of format {name}; only a Polyglot book can be mended")
    with _locked(Path(path)) as file, TemporaryFolder() as folder:
        done = repair_polyglot(file, folder / file.name)
        if any(done.values()):
            with draft_file(file) as draft, draft_file(backup_of(file)) as kept:
                shutil.copyfile(folder / file.name, draft)
                shutil.copy2(file, kept)
        return done


def backup_of(path: Path) -> Path:
    """Return where a book is kept as it was before the last change."""
    return path.with_name(f"{path.name}.bak")


def write_without(book: Book, target: Path, dropped: Collection[int]) -> None:
    """Write a copy of a clustered book without the records of positions, which are given by their keys.

    Raises:
        OSError: the file cannot be written.
    """
    records = stored_records(book)
    found = np.isin(values(records.column("key")), np.array(dropped, np.uint64))
    write_records(
        target,
        records.take(np.flatnonzero(~found)),
        game=book.game,
        fold=book.fold,
        columns=book.has_columns,
        recipe={**book.recipe, "edited": book.recipe.get("edited", 0) + 1},
    )


@contextmanager
def _locked(path: Path) -> Iterator[Path]:
    """Lock a book for a change, and yield its file, behind links. Wait while another process has the lock."""
    path = path.resolve()
    while True:
        with path.open("rb") as file:
            lock(file.fileno(), wait=True)
            # The process that had the lock before may have replaced the file.
            if is_still(file.fileno(), path):
                yield path
                return
