"""The formats of books, and the conversion between any two of them.

A format is chosen by the suffix of a file or by name. Files are written atomically, and every loss is
reported.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from bookbuilder.archives.kinds import describe_mistake, recognise
from bookbuilder.book.formats import Scale
from bookbuilder.book.formats.moves import ENGINE_VALUES, Lost, MoveBook, number_valued
from bookbuilder.book.formats.walk import legal_only
from bookbuilder.disk import draft_file
from bookbuilder.errors import FormatError, OptionError
from bookbuilder.games.position import Game
from bookbuilder.keywords import require_kind
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder._core import Position

Reader: TypeAlias = Callable[[Path], MoveBook]
"""Reads a file."""
Writer: TypeAlias = Callable[..., tuple[int, Lost]]
"""Writes a book to a path and returns the number of moves or records, and the losses."""
Editor: TypeAlias = Callable[[Path, Path, "Position", int, int | None], tuple[int | None, int | None]]
"""Copies a file with a change of one move: sets its weight, adds it, or drops it if the weight is None.

Returns the weight before and after; None = the file does not have the move."""


class Format(NamedTuple):
    """A format of books."""

    name: str  # its name for users
    suffix: str  # the suffix of its files
    games: tuple[Game, ...]  # the games that it supports
    write: Writer  # writes it
    has_scale: bool = False  # whether `write` takes a `Scale` as its third argument
    read: Reader | None = None  # reads it; None if it stores too little
    # Copies it with a change of one move; None if the format cannot be edited in place.
    edit: Editor | None = None

    def require_game(self, path: Path, game: Game) -> None:
        """Refuse to write a book of this game.

        Raises:
            OptionError: the format does not support the game.
        """
        if game not in self.games:
            raise OptionError(f"{path}: {self.name} is a format for {self.games[0]}, the book is of {game}")


class Written(NamedTuple):
    """A report of a written file.

    Attributes:
        format: the format.
        game: the game.
        moves: the number of moves, records or rows of the file.
        bytes: its size.
        lost: what the file does not have of the book, in words, and for how many moves; losses of 0 are
            omitted.
        not_read: likewise, what was not read of the file that was converted.

    Example:
        >>> report = bb.build("games.pgn", "new.bin", min_games=1)
        >>> report.format, report.game, report.moves > 0
        ('polyglot', 'chess', True)
    """

    format: str
    game: Game
    moves: int
    bytes: int
    lost: Lost
    not_read: Lost

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data.

        Example:
            >>> sorted(bb.build("games.pgn", "newer.bin", min_games=1).to_json())
            ['bytes', 'format', 'game', 'lost', 'moves', 'not_read']
        """
        return self._asdict()


_CHESS: Final[tuple[Game, ...]] = ("chess",)
_XIANGQI: Final[tuple[Game, ...]] = ("xiangqi",)


def _format(
    name: str,
    suffix: str,
    module: str,
    stem: str,
    games: tuple[Game, ...] = ("chess", "xiangqi"),
    *,
    verbs: tuple[str, ...] = ("read", "write", "edit"),
    has_scale: bool = False,
) -> Format:
    """Return a format by the functions of a file of this folder, which is imported when one is called."""

    def function(verb: str) -> Callable[..., Any]:
        def call(*given: Any) -> Any:  # noqa: ANN401 (as of the function)
            return getattr(import_module(f"bookbuilder.book.formats.{module}"), f"{verb}_{stem}")(*given)

        return call

    functions: dict[str, Any] = {verb: function(verb) for verb in verbs}
    return Format(name=name, suffix=suffix, games=games, has_scale=has_scale, **functions)


FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (
        _format("book", ".book", "clustered", "clustered"),
        _format("polyglot", ".bin", "polyglot", "polyglot", _CHESS, has_scale=True),
        _format("abk", ".abk", "abk", "abk", _CHESS),
        _format("book-dat", ".dat", "xqwizard", "book_dat", _XIANGQI, has_scale=True),
        _format("obk", ".obk", "obk", "obk", _XIANGQI),
        _format("pgn", ".pgn", "pgn_tree", "pgn_tree", verbs=("write",)),
        _format("epd", ".epd", "epd", "epd", verbs=("write",)),
        _format("csv", ".csv", "listing", "csv"),
    )
}
"""All formats by name."""


def format_of(path: Path, name: str | None = None) -> Format:
    """Return the format of that name, or the format of a file's suffix.

    Raises:
        OptionError: the name or suffix is unknown.
    """
    if name is not None:
        if name not in FORMATS:
            raise OptionError(f"format {name}: expected one of {', '.join(FORMATS)}")
        return FORMATS[name]
    for each in FORMATS.values():
        if each.suffix == path.suffix.lower():
            return each
    if path.suffix.lower() in _CHESSBASE:
        raise OptionError(
            f"{path}: ChessBase's CTG is neither read nor written, its layout is not published in full; "
            "export the book as PGN there and count it with tally --variations"
        )
    known = ", ".join(each.suffix for each in FORMATS.values())
    raise OptionError(f"{path}: unknown suffix of a book: expected {known}, or give the format by name")


def source_format(path: Path, name: str | None = None) -> Format:
    """Return the format of a book that is read: by name, else by content, else by its suffix.

    Raises:
        FormatError: the path is something else than a book, or is not recognised.
        OptionError: as of `format_of`.
        OSError: nothing is there.
    """
    if name is not None:
        return format_of(path, name)
    found = recognise(path)
    if found is None:
        suffixes = {*(each.suffix for each in FORMATS.values()), *_CHESSBASE}
        if path.suffix.lower() in suffixes:
            return format_of(path)
        path.stat()  # raises if nothing is there
        if path.is_dir():
            raise FormatError(f"{path}: is a directory and not a tally store; expected the file of a book")
        raise FormatError(
            f"{path}: is neither a book, nor archives of games, nor a tally store: its content is not "
            f"recognised. If it holds games, see what is wrong with: bookbuilder games check {path}"
        )
    if found.format is None:
        raise FormatError(describe_mistake(path, "book"))
    return FORMATS[found.format]


def read_moves(path: Path, name: str | None = None) -> MoveBook:
    """Return the moves of a book of any format that can be read.

    Raises:
        OptionError: the format is unknown, or stores too little to be read.
        FormatError: the file is damaged or of another format, or has no moves.
        BookError: likewise, of a clustered book.
        OSError: it cannot be read.
    """
    chosen = source_format(path, name)
    if chosen.read is None:
        raise OptionError(f"{path}: {chosen.name} is a write-only format; {_INSTEAD[chosen.name]}")
    book = legal_only(chosen.read(path))
    if not len(book):
        raise FormatError(f"{path}: has no moves; expected a book of format {chosen.name}")
    return book


def lines_of(path: str | os.PathLike[str], game: Game) -> tuple[pa.Table, bool]:
    """Return keys, moves and weights of a book of any format, and whether it folds mirrors.

    Raises:
        OptionError: the book is one of another game, or as of `read_moves`.
        FormatError: as of `read_moves`.
        BookError: likewise.
    """
    book = read_moves(Path(path))
    if book.game != game:
        raise OptionError(f"{path}: a book of {book.game}; expected one of {game}")
    return book.table.select(["key", "move", "weight"]), book.fold


def write_moves(
    path: str | os.PathLike[str], book: MoveBook, name: str | None = None, *, scale: Scale = "book"
) -> Written:
    """Write a book in any format, atomically; an existing file is replaced.

    Args:
        path: the file.
        book: the book.
        name: the format; None = by the suffix.
        scale: how weights above the maximum of the format are scaled.

    Raises:
        OptionError: the format is unknown or does not support the game, or the book is of another class.
        FormatError: the file would be empty.
        OSError: the file cannot be written.

    Example:
        >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
        >>> bb.write_moves("moves.abk", bb.MoveBook.from_selection(chosen)).format
        'abk'
    """
    require_kind("write_moves", book, MoveBook)
    path = Path(path)
    chosen = format_of(path, name)
    chosen.require_game(path, book.game)
    with draft_file(path) as draft:
        moves, lost = chosen.write(draft, book, *([scale] if chosen.has_scale else []))
        if not moves:
            why = ", ".join(f"{count:,} {what}" for what, count in _nonzero(lost).items())
            raise FormatError(f"{path}: not written, it would have no moves: {why or 'the book is empty'}")
        if book.notes and chosen.name != "pgn":
            lost = {**lost, "marks and comments": len(book.notes)}
        if chosen.name not in _WITH_VALUES:
            lost = {**lost, ENGINE_VALUES: number_valued(book.engine)}
        return written(draft, chosen.name, book.game, moves, lost=lost, not_read=book.lost)


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    read_as: str | None = None,
    write_as: str | None = None,
    scale: Scale = "book",
) -> Written:
    """Convert a book from one format to another, atomically; an existing file is replaced.

    Args:
        source: the book.
        target: the file to write.
        read_as: the format of the source; None = by its content or suffix.
        write_as: the format of the target; None = by its suffix.
        scale: as of `write_moves`.

    Raises:
        OptionError: as of `write_moves`, or the source cannot be read as a book, or the target is a clustered
            book that could not be converted back to the same weights.
        FormatError: the source is damaged or of another format.
        BookError: likewise, of a clustered book.
        OSError: a file cannot be read or written.

    Example:
        >>> bb.convert("games.bin", "games.csv").format
        'csv'
        >>> bb.convert("games.book", "other.bin").lost
        {'of weight 0 (score)': 6, 'games, wins, draws and losses': 16}
    """
    source, target = Path(source), Path(target)
    of, to = source_format(source, read_as), format_of(target, write_as)
    book = read_moves(source, of.name)
    if of.name == to.name:  # what a `MoveBook` cannot store is copied too
        with draft_file(target) as draft:
            shutil.copyfile(source, draft)
            return written(draft, to.name, book.game, len(book))
    if to.name == "book" and of.name in _WEIGHTS_ALONE:
        # A record stands for a position: moves that lead to one position share its weight, and any legal move
        # to it becomes a book move.
        with TemporaryFolder() as folder:
            there, back = folder / "there.book", folder / f"back{of.suffix}"
            write_moves(there, book, "book")
            write_moves(back, read_moves(there, "book"), of.name)
            if source.read_bytes() != back.read_bytes():
                raise OptionError(
                    f"{target}: not written: a .book stores positions, and {source.name} could not be made "
                    f"from it again. Change {source.name} itself with: bookbuilder book edit; or build the "
                    ".book from games"
                )
    return write_moves(target, book, to.name, scale=scale)


# The three files of one book.
_CHESSBASE: Final = (".ctg", ".cto", ".ctb")

# Formats that store nothing but weights.
_WEIGHTS_ALONE: Final = ("polyglot", "book-dat")

# Formats that store values of an engine, or report themselves what they lose of them.
_WITH_VALUES: Final = ("pgn", "epd", "csv")

_INSTEAD: Final = {
    "pgn": "count its moves with tally --variations",
    "epd": "it stores too little to be read as a book",
}


def written(
    path: Path, name: str, game: Game, moves: int, *, lost: Lost | None = None, not_read: Lost | None = None
) -> Written:
    """Return the report of a written file."""
    lost, not_read = _nonzero(lost or {}), _nonzero(not_read or {})
    return Written(
        format=name, game=game, moves=moves, bytes=path.stat().st_size, lost=lost, not_read=not_read
    )


def _nonzero(lost: Lost) -> Lost:
    return {what: count for what, count in lost.items() if count}
