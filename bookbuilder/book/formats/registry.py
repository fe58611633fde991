"""Which formats books are read from and written to, and the way between any two of them.

In comes a file, told by its suffix or by a name; out goes a `MoveBook`, or another file, written whole or not
at all, with what was lost on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from bookbuilder.book.formats import abk, clustered, epd, listing, obk, pgn_tree, polyglot, xqwizard
from bookbuilder.book.formats.moves import Lost, MoveBook, Scale, Statistic
from bookbuilder.book.formats.walk import legal_only
from bookbuilder.disk import draft_file
from bookbuilder.errors import FormatError, OptionError
from bookbuilder.games.position import Game

__all__ = ["FORMATS", "Format", "Written", "convert", "format_of", "read_moves", "write_moves"]

Reader: TypeAlias = Callable[[Path], MoveBook]
"""Reads a file."""
Writer: TypeAlias = Callable[[Path, MoveBook, Scale], tuple[int, Lost]]
"""Writes a file and returns how many moves or records it has, and what was lost."""
Recoder: TypeAlias = Callable[[Path, Path], tuple[Game, int, Lost]]
"""Writes a file again, what a `MoveBook` cannot know included; tells its game, too."""

_BOTH: Final[tuple[Game, ...]] = ("chess", "xiangqi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of books.

    Attributes:
        name: what users call it.
        suffix: how its files end.
        games: the games that it can hold.
        read: None if it keeps too little to be read as a book.
        write: writes it.
        recode: None if reading and writing lose nothing that it keeps.
    """

    name: str
    suffix: str
    games: tuple[Game, ...]
    write: Writer
    read: Reader | None = None
    recode: Recoder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written.

    Attributes:
        format: the format.
        game: the game.
        moves: how many moves, records or rows the file has.
        bytes: its size.
        lost: what it does not have of the book, in words, and of how many moves; only what is lost.
        not_read: likewise, of the file that was converted.
    """

    format: str
    game: Game
    moves: int
    bytes: int
    lost: Lost
    not_read: Lost


FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (
        Format(
            name="book",
            suffix=".book",
            games=_BOTH,
            read=clustered.read_clustered,
            write=clustered.write_clustered,
            recode=clustered.recode_clustered,
        ),
        Format(
            name="polyglot",
            suffix=".bin",
            games=("chess",),
            read=polyglot.read_polyglot,
            write=polyglot.write_polyglot,
        ),
        Format(name="abk", suffix=".abk", games=("chess",), read=abk.read_abk, write=abk.write_abk),
        Format(
            name="book-dat",
            suffix=".dat",
            games=("xiangqi",),
            read=xqwizard.read_book_dat,
            write=xqwizard.write_book_dat,
            recode=xqwizard.recode_book_dat,
        ),
        Format(name="obk", suffix=".obk", games=("xiangqi",), read=obk.read_obk, write=obk.write_obk),
        Format(name="pgn", suffix=".pgn", games=_BOTH, write=pgn_tree.write_pgn_tree),
        Format(name="epd", suffix=".epd", games=_BOTH, write=epd.write_epd),
        Format(name="csv", suffix=".csv", games=_BOTH, read=listing.read_csv, write=listing.write_csv),
        Format(name="json", suffix=".json", games=_BOTH, read=listing.read_json, write=listing.write_json),
        Format(
            name="parquet",
            suffix=".parquet",
            games=_BOTH,
            read=listing.read_parquet,
            write=listing.write_parquet,
        ),
    )
}
"""All formats by name."""


def format_of(path: Path, name: str | None = None) -> Format:
    """Return the format of that name, or the one that a file's suffix tells.

    Raises:
        OptionError: there is none.

    Example:
        >>> format_of(Path("openings.bin")).name
        'polyglot'
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
            "export the book as PGN there and count that with tally --variations"
        )
    known = ", ".join(each.suffix for each in FORMATS.values())
    raise OptionError(f"{path}: the name tells no format of books: expected {known}, or the format's name")


def read_moves(path: Path, name: str | None = None) -> MoveBook:
    """Return the moves of a book of any format that can be read.

    Raises:
        OptionError: the format is unknown, or keeps too little to be read.
        FormatError: the file is damaged or of another format, or holds no move.
        BookError: likewise, of a clustered book.
        OSError: it cannot be read.
    """
    chosen = format_of(path, name)
    if chosen.read is None:
        raise OptionError(f"{path}: {chosen.name} is written only; {_INSTEAD[chosen.name]}")
    book = legal_only(chosen.read(path))
    if not len(book):
        raise FormatError(f"{path}: holds no move; expected a book of format {chosen.name}")
    return book


def write_moves(
    path: Path,
    book: MoveBook,
    name: str | None = None,
    *,
    statistic: Statistic | None = None,
    scale: Scale = "book",
) -> Written:
    """Write a book in any format, whole or not at all; an existing file is replaced.

    Args:
        path: the file.
        book: the book.
        name: the format; None = by the suffix.
        statistic: what weights are made of; None = as the book has them.
        scale: over what weights are scaled that exceed what the format holds.

    Raises:
        OptionError: the format is unknown or holds no such game, or the book lacks what the statistic needs.
        FormatError: nothing of the book would be left.
        OSError: the file cannot be written.
    """
    chosen = format_of(path, name)
    if book.game not in chosen.games:
        raise OptionError(f"{path}: {chosen.name} holds {chosen.games[0]}, the book is of {book.game}")
    if statistic is not None:
        book = book.weighed(statistic)
    with draft_file(path) as temporary:
        moves, lost = chosen.write(temporary, book, scale)
        if not moves:
            raise FormatError(
                f"{path}: not written, nothing would be left: {_told(lost) or 'the book is empty'}"
            )
        size = temporary.stat().st_size
    return Written(
        format=chosen.name,
        game=book.game,
        moves=moves,
        bytes=size,
        lost=_real(lost),
        not_read=_real(book.lost),
    )


def convert(
    source: Path,
    target: Path,
    *,
    read_as: str | None = None,
    write_as: str | None = None,
    statistic: Statistic | None = None,
    scale: Scale = "book",
) -> Written:
    """Convert a book from one format to another, whole or not at all; an existing file is replaced.

    Args:
        source: the book.
        target: the file to write.
        read_as: the format of the source; None = by its suffix.
        write_as: the format of the target; None = by its suffix.
        statistic: what weights are made of; None = as the source has them.
        scale: over what weights are scaled that exceed what the format holds.

    Raises:
        OptionError: as of `write_moves`, or the source cannot be read as a book.
        FormatError: the source is damaged or of another format.
        BookError: likewise, of a clustered book.
        OSError: a file cannot be read or written.
    """
    of, to = format_of(source, read_as), format_of(target, write_as)
    if of.name == to.name and of.recode is not None and statistic is None:
        with draft_file(target) as temporary:
            game, moves, not_read = of.recode(source, temporary)
            size = temporary.stat().st_size
        return Written(format=to.name, game=game, moves=moves, bytes=size, lost={}, not_read=_real(not_read))
    return write_moves(target, read_moves(source, of.name), to.name, statistic=statistic, scale=scale)


# The three files of one book.
_CHESSBASE: Final = (".ctg", ".cto", ".ctb")

_INSTEAD: Final = {
    "pgn": "count its moves with tally --variations",
    "epd": "it keeps no moves beside the best by which it could be followed",
}


def _real(lost: Lost) -> Lost:
    return {what: count for what, count in lost.items() if count}


def _told(lost: Lost) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in _real(lost).items())
