"""`bookbuilder engine uci|ucci`: the bundled engine for GUIs.

`bookbuilder.__main__` serves simple arguments through `pipe`, without this module. It is loaded for `--help`
and for arguments that need checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from bookbuilder.cli.engine.pipe import book_options, serve

_Books = Annotated[
    list[str] | None,
    typer.Option(
        "--book", metavar="BOOK", help="A book of any format; may be repeated: the first that has a move."
    ),
]
_WhiteBooks = Annotated[
    list[str] | None,
    typer.Option("--white-book", metavar="BOOK", help="Likewise of White or Red, before --book."),
]
_BlackBooks = Annotated[
    list[str] | None, typer.Option("--black-book", metavar="BOOK", help="Likewise of Black, before --book.")
]
_Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the protocol; may be repeated."),
]


def uci(
    game: Annotated[
        str | None,
        typer.Option(
            metavar="chess|xiangqi",
            help="xiangqi: ranks from 0, as in Pikafish.",
            show_default="the book's, else chess",
        ),
    ] = None,
    book: _Books = None,
    white_book: _WhiteBooks = None,
    black_book: _BlackBooks = None,
    option: _Options = None,
) -> None:
    """Speak UCI on stdin and stdout, until `quit`."""
    _serve("uci", game, (book, white_book, black_book), option or ())


def ucci(
    book: _Books = None,
    white_book: _WhiteBooks = None,
    black_book: _BlackBooks = None,
    option: _Options = None,
) -> None:
    """Speak UCCI on stdin and stdout, until `quit`."""
    _serve("ucci", "xiangqi", (book, white_book, black_book), option or ())


def _serve(
    protocol: Literal["uci", "ucci"],
    game: str | None,
    books: Sequence[list[str] | None],
    texts: Sequence[str],
) -> None:
    options = book_options(protocol, [each or [] for each in books])
    for text in texts:
        name, is_pair, value = text.partition("=")
        if not is_pair:
            raise typer.BadParameter(f'"{text}": expected NAME=VALUE', param_hint="--option")
        options.append((name.strip(), value.strip()))
    raise typer.Exit(serve(protocol, game, options))
