"""`bookbuilder engine uci|ucci`: the bundled engine for GUIs.

`bookbuilder.__main__` serves simple arguments through `pipe`, without this module. It is loaded for `--help`
and for arguments that need checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from bookbuilder.cli.engine.pipe import BOOK_OPTION, serve

_Book = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="A clustered book to play from.")]
_Options = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the protocol; may be repeated."),
]


def uci(
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="chess|xiangqi",
            help="xiangqi: ranks from 0, as in Pikafish.",
            show_default="the book's, else chess",
        ),
    ] = None,
    book: _Book = None,
    option: _Options = None,
) -> None:
    """Speak UCI on stdin and stdout, until `quit`."""
    _serve("uci", game, book, option or ())


def ucci(book: _Book = None, option: _Options = None) -> None:
    """Speak UCCI on stdin and stdout, until `quit`."""
    _serve("ucci", "xiangqi", book, option or ())


def _serve(
    protocol: Literal["uci", "ucci"], game: str | None, book: str | None, texts: Sequence[str]
) -> None:
    options = [] if book is None else [(BOOK_OPTION[protocol], book)]
    for text in texts:
        name, is_pair, value = text.partition("=")
        if not is_pair:
            raise typer.BadParameter(f'"{text}": expected NAME=VALUE', param_hint="--option")
        options.append((name.strip(), value.strip()))
    raise typer.Exit(serve(protocol, game, options))
