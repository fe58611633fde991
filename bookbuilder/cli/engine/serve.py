"""`bookbuilder engine uci|ucci`: the bundled engine for GUIs.

`bookbuilder.__main__` serves simple arguments through `pipe`, without this module. It is loaded for `--help`
and for arguments that need checks.
"""

from __future__ import annotations

from typing import Annotated

import typer

from bookbuilder.cli.engine.pipe import OPTION_NAMES, serve

_Option = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Set an option of the protocol; may be repeated."),
]
_Book = Annotated[str | None, typer.Option("--book", metavar="BOOK", help="A clustered book to play from.")]
_Mode = Annotated[
    str | None,
    typer.Option("--book-mode", metavar="off|root|hints", help="How it is used.", show_default="root"),
]
_Hash = Annotated[
    int | None, typer.Option("--hash", min=1, help="Transposition table, MiB.", show_default="16")
]
_Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads.", show_default="1")]


def uci(
    game: Annotated[
        str, typer.Option("--game", metavar="chess|xiangqi", help="xiangqi: ranks from 0, as in Pikafish.")
    ] = "chess",
    book: _Book = None,
    book_mode: _Mode = None,
    hash_mib: _Hash = None,
    threads: _Threads = None,
    option: _Option = None,
) -> None:
    """Speak UCI on stdin and stdout, until `quit`."""
    named = {"--book": book, "--book-mode": book_mode, "--hash": hash_mib, "--threads": threads}
    _serve("uci", game, named, option or [])


def ucci(
    book: _Book = None,
    book_mode: _Mode = None,
    hash_mib: _Hash = None,
    threads: _Threads = None,
    option: _Option = None,
) -> None:
    """Speak UCCI on stdin and stdout, until `quit`."""
    named = {"--book": book, "--book-mode": book_mode, "--hash": hash_mib, "--threads": threads}
    _serve("ucci", "xiangqi", named, option or [])


def _serve(protocol: str, game: str, named: dict[str, str | int | None], given: list[str]) -> None:
    names = OPTION_NAMES[protocol]
    options = [(names[word], str(value)) for word, value in named.items() if value is not None]
    for text in given:
        name, is_pair, value = text.partition("=")
        if not is_pair:
            raise typer.BadParameter(f'"{text}": expected NAME=VALUE', param_hint="--option")
        options.append((name.strip(), value.strip()))
    raise typer.Exit(serve(protocol, game, options))
