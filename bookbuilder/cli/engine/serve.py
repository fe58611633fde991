"""`bookbuilder engine uci|ucci`: the bundled engine for GUIs.

`bookbuilder.__main__` serves simple arguments through `pipe`, without this module. It is loaded for `--help`
and for arguments that need checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from bookbuilder.cli.engine.pipe import book_options, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of both protocols."""

    book: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOOK", help="A book of any format; may be repeated: the first that has a move."
        ),
    ] = None
    white_book: Annotated[
        list[str] | None, typer.Option(metavar="BOOK", help="Likewise of White or Red, before --book.")
    ] = None
    black_book: Annotated[
        list[str] | None, typer.Option(metavar="BOOK", help="Likewise of Black, before --book.")
    ] = None
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Set an option of the protocol; may be repeated."),
    ] = None

    def serve(self, protocol: Literal["uci", "ucci"], game: str | None) -> None:
        """Speak a protocol until `quit`."""
        books = self.book or [], self.white_book or [], self.black_book or []
        options = book_options(protocol, books)
        for text in self.option or ():
            name, is_pair, value = text.partition("=")
            if not is_pair:
                raise typer.BadParameter(f'"{text}": expected NAME=VALUE', param_hint="--option")
            options.append((name.strip(), value.strip()))
        raise typer.Exit(serve(protocol, game, options))


def uci(
    game: Annotated[
        str | None,
        typer.Option(
            metavar="chess|xiangqi",
            help="xiangqi: ranks from 0, as in Pikafish.",
            show_default="the book's, else chess",
        ),
    ] = None,
    *,
    options: Options,
) -> None:
    """Speak UCI on stdin and stdout, until `quit`."""
    options.serve("uci", game)


def ucci(options: Options) -> None:
    """Speak UCCI on stdin and stdout, until `quit`."""
    options.serve("ucci", "xiangqi")
