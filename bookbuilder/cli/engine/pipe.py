"""Serve `bookbuilder engine uci|ucci` without loading the rest of the command line.

A GUI waits for the start of an engine; this saves about 0.2 s of processor time. Arguments that are not
simple pairs of names and values are left to the full command line.
"""

from __future__ import annotations

import sys
from typing import Final

BOOK_OPTION: Final = {"uci": "Book file", "ucci": "bookfiles"}
"""The name of the option for a book in each protocol."""


def serve_plainly(arguments: list[str]) -> int | None:
    """Serve and return the exit code; None if the arguments need the full command line.

    Args:
        arguments: the protocol, then options.
    """
    protocol, *rest = arguments
    game = None if protocol == "uci" else "xiangqi"
    options: list[tuple[str, str]] = []
    words = iter(rest)
    for word in words:
        value = next(words, None)
        if value is None:
            return None
        if word == "--game" and protocol == "uci":
            game = value
        elif word == "--book":
            options.append((BOOK_OPTION[protocol], value))
        elif word == "--option" and "=" in value:
            name, _, setting = value.partition("=")
            options.append((name.strip(), setting.strip()))
        else:
            return None
    return serve(protocol, game, options)


def serve(protocol: str, game: str | None, options: list[tuple[str, str]]) -> int:
    """Speak the protocol on stdin and stdout until `quit`, and return the exit code.

    Args:
        protocol: `uci` or `ucci`.
        game: the game; None: the game of the book in the options, or chess without one.
        options: names of the protocol's options, and their values.
    """
    from bookbuilder._core import serve_protocol
    from bookbuilder.errors import BookBuilderError

    try:
        serve_protocol(protocol, game or _game_of_book(options) or "chess", options)
    except BookBuilderError as error:
        # Rust adds the number of an error of the system.
        text = str(error).partition(" (os error ")[0]
        print(f"bookbuilder: {_mistaken_book(options) or text}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _books(options: list[tuple[str, str]]) -> list[str]:
    return [value for name, value in options if name in BOOK_OPTION.values()]


def _game_of_book(options: list[tuple[str, str]]) -> str | None:
    """Return the game of the last book; None if it cannot be opened, which the protocol reports."""
    from bookbuilder._core import Book
    from bookbuilder.errors import BookBuilderError

    books = _books(options)
    try:
        return Book.open(books[-1], None).game if books else None
    except (BookBuilderError, OSError):
        return None


def _mistaken_book(options: list[tuple[str, str]]) -> str | None:
    """Return what the book of the options is, if it is something else than a clustered book."""
    from pathlib import Path

    from bookbuilder.archives.kinds import describe_mistake

    mistakes = (describe_mistake(Path(book), "book", is_clustered=True) for book in _books(options))
    return next(filter(None, mistakes), None)
