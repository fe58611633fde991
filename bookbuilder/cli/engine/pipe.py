"""Serve `bookbuilder engine uci|ucci` without loading the rest of the command line.

A GUI waits for the start of an engine; this saves about 0.2 s of processor time. Arguments that are not
simple pairs of names and values are left to the full command line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from bookbuilder.games.position import Game

BOOK_OPTIONS: Final = {
    "uci": ("Book file", "White book file", "Black book file"),
    "ucci": ("bookfiles", "redbookfiles", "blackbookfiles"),
}
"""The names of the options for books in each protocol: of both sides, of the first, of the second."""

BOOK_WORDS: Final = ("--book", "--white-book", "--black-book")
"""The options of the command line for them."""


def serve_plainly(arguments: list[str]) -> int | None:
    """Serve and return the exit code; None if the arguments need the full command line."""
    protocol, *rest = arguments
    game = None if protocol == "uci" else "xiangqi"
    options: list[tuple[str, str]] = []
    books: dict[str, list[str]] = {}
    words = iter(rest)
    for word in words:
        value = next(words, None)
        if value is None:
            return None
        if word == "--game" and protocol == "uci":
            game = value
        elif word in BOOK_WORDS:
            books.setdefault(word, []).append(value)
        elif word == "--option" and "=" in value:
            name, _, setting = value.partition("=")
            options.append((name.strip(), setting.strip()))
        else:
            return None
    named = [books.get(word, []) for word in BOOK_WORDS]
    return serve(protocol, game, [*book_options(protocol, named), *options])


def book_options(protocol: str, books: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the options that name books: of both sides, of the first and of the second."""
    named = zip(BOOK_OPTIONS[protocol], books, strict=True)
    return [(name, ";".join(paths)) for name, paths in named if paths]


def serve(protocol: str, game: str | None, options: list[tuple[str, str]]) -> int:
    """Speak the protocol on stdin and stdout until `quit`, and return the exit code.

    Without a game it is that of the book in the options, or else chess. The options are names of the protocol
    and their values.
    """
    from bookbuilder._core import serve_protocol
    from bookbuilder.errors import BookBuilderError

    def lines_of_book(path: Path, game: Game) -> tuple[pa.Table, bool]:
        # Of a book that is not clustered. Clustered books do not wait for these modules.
        from bookbuilder.book.formats.registry import lines_of

        return lines_of(path, game)

    try:
        serve_protocol(protocol, game or _game_of_books(options) or "chess", lines_of_book, options)
    except BookBuilderError as error:
        # Rust adds the number of an error of the system.
        print(f"bookbuilder: {str(error).partition(' (os error ')[0]}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _game_of_books(options: list[tuple[str, str]]) -> str | None:
    """Return the game of the first book; None if it cannot be opened, which the protocol reports."""
    from bookbuilder.book.open import open_book
    from bookbuilder.errors import BookBuilderError

    named = {name for names in BOOK_OPTIONS.values() for name in names}
    books = [path for name, value in options if name in named for path in value.split(";")]
    if not books:
        return None
    try:
        return open_book(books[0]).game
    except (BookBuilderError, OSError):
        return None
