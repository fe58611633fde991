"""`bookbuilder engine uci|ucci`: the bundled engine for GUIs.

`bookbuilder.__main__` serves simple arguments through `pipe`, without this module. It is loaded for `--help`
and for arguments that need checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from bookbuilder.cli.engine.pipe import OPTION_NAMES, serve
from bookbuilder.cli.options.counting import spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The options of both protocols."""

    book: Annotated[
        str | None, typer.Option("--book", metavar="BOOK", help="A clustered book to play from.")
    ] = None
    book_mode: Annotated[
        str | None,
        typer.Option("--book-mode", metavar="off|root|hints", help="How it is used.", show_default="hints"),
    ] = None
    hash_mib: Annotated[
        int | None, typer.Option("--hash", min=1, help="Transposition table, MiB.", show_default="16")
    ] = None
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads.", show_default="1")] = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="NAME=VALUE", help="Set an option of the protocol; may be repeated."
        ),
    ] = None

    def serve(self, protocol: Literal["uci", "ucci"], game: str | None) -> None:
        """Serve the protocol and exit."""
        named = (self.book, self.book_mode, self.hash_mib, self.threads)
        names = OPTION_NAMES[protocol].values()
        options = [(name, str(value)) for name, value in zip(names, named, strict=True) if value is not None]
        for text in self.option or ():
            name, is_pair, value = text.partition("=")
            if not is_pair:
                raise typer.BadParameter(f'"{text}": expected NAME=VALUE', param_hint="--option")
            options.append((name.strip(), value.strip()))
        raise typer.Exit(serve(protocol, game, options))


@spread
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
    *,
    options: Serving,
) -> None:
    """Speak UCI on stdin and stdout, until `quit`."""
    options.serve("uci", game)


@spread
def ucci(options: Serving) -> None:
    """Speak UCCI on stdin and stdout, until `quit`."""
    options.serve("ucci", "xiangqi")
