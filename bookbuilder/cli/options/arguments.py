"""Options that several commands share, with their names, choices and help."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import typer

from bookbuilder.archives.filters import FACETS
from bookbuilder.cli.help import GAMES, OUTPUT
from bookbuilder.tally.options import MAX_PLY, Dedupe

Side: TypeAlias = Literal["both", "first", "second", "white", "black", "red"]
"""A side, by its place in the order of moves or by its colour."""

GameChoice = Literal["auto", "chess", "xiangqi"]
"""A game, or `auto`: the game of the content."""

_UNITS: Final = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


def parse_bytes(text: str) -> int:
    """Return the number of bytes of a size such as 500MB, 1.5GiB or 4096."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip(), re.ASCII)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None:
        raise typer.BadParameter(f'"{text}" is not a size such as 500MB, 4GiB or 1048576')
    return int(Decimal(match[1]) * unit)


# The program itself takes more than that.
_LEAST_MEMORY: Final = 64 << 20


def parse_memory(text: str) -> int:
    """Return the number of bytes of a size that a run can keep to."""
    size = parse_bytes(text)
    if size < _LEAST_MEMORY:
        raise typer.BadParameter(f'"{text}" is too little: expected at least {_LEAST_MEMORY >> 20}MiB')
    return size


def _facet(text: str) -> str:
    # Typer takes no Literal for an option that may be repeated.
    if text not in FACETS:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(FACETS)}.")
    return text


def _use_threads(jobs: int | None) -> int | None:
    if jobs is not None:
        from bookbuilder._core import use_threads

        use_threads(jobs)
    return jobs


# Options in a panel of the help.
in_games = partial(typer.Option, rich_help_panel=GAMES)
in_output = partial(typer.Option, rich_help_panel=OUTPUT)

Inputs: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Archives: files, directories, patterns, URLs, @FILE for a list, or - for stdin.",
    ),
]

Book: TypeAlias = Annotated[
    Path, typer.Argument(metavar="BOOK", help="A book of any format that can be read.")
]
Store: TypeAlias = Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.")]
Json: TypeAlias = Annotated[bool, in_output("--json", help="Print the answer as JSON.")]
Force: TypeAlias = Annotated[bool, in_output("--force", help="Replace an existing output.")]

# What is counted.
GameOption: TypeAlias = Annotated[GameChoice, in_games("--game", help="The game.", show_default="by content")]
_max_ply = partial(in_games, "--max-ply", min=0, max=MAX_PLY, help="Maximum ply of a position.")
MaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="all")]
UsualMaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="40")]
LaterMaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="30")]
CustomStarts: TypeAlias = Annotated[
    bool,
    in_games(
        "--custom-starts", hidden=True, help="Also count games that do not begin at the start position."
    ),
]
DedupeOption: TypeAlias = Annotated[
    Dedupe,
    in_games(
        "--dedupe",
        hidden=True,
        help="Skip duplicate games. exact: equal moves and result; players: equal moves, surnames and date; "
        "prefix: the moves begin another game.",
    ),
]
Limit: TypeAlias = Annotated[
    int | None, in_games("--max-games", min=1, help="Maximum number of games to read.", show_default="none")
]
Memory: TypeAlias = Annotated[
    int | None,
    in_output(
        "--memory",
        hidden=True,
        metavar="SIZE",
        parser=parse_memory,
        help="Maximum memory for counting, such as 512MiB.",
        show_default="2GiB",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None,
    in_output(
        "--jobs",
        "-j",
        min=1,
        callback=_use_threads,
        help="Number of threads.",
        show_default="one per processor",
    ),
]
RejectsFile: TypeAlias = Annotated[
    Path | None,
    in_output(
        "--rejects", hidden=True, metavar="FILE", help="Write rejected games to FILE (.jsonl or .pgn)."
    ),
]
Strict: TypeAlias = Annotated[
    bool, in_output("--strict", hidden=True, help="Exit with code 1 if a game was rejected.")
]

# Which games are counted.
MinRating: TypeAlias = Annotated[
    int | None, in_games("--min-rating", min=0, max=9999, help="Minimum rating.")
]
MaxRating: TypeAlias = Annotated[
    int | None, in_games("--max-rating", min=0, max=9999, help="Maximum rating.")
]
Since: TypeAlias = Annotated[
    str | None, in_games("--since", metavar="DATE", help="First date: 2010, 2010-05 or 2010-05-17.")
]
Until: TypeAlias = Annotated[
    str | None, in_games("--until", metavar="DATE", help="Last date, in the same forms.")
]
SideOption: TypeAlias = Annotated[
    Side, in_games("--side", metavar="SIDE", help="Side of the book, and of the --player.")
]
TimeControls: TypeAlias = Annotated[
    list[str] | None,
    in_games("--time-control", metavar="TIME", help="300+3, bullet, blitz, rapid …; may be repeated."),
]

Facets: TypeAlias = Annotated[
    list[str] | None,
    in_games(
        "--facet",
        parser=_facet,
        metavar="WORD",
        help="Keep games apart by year, rating (bands of the mean), speed or player-side, to filter the "
        "store later; may be repeated.",
    ),
]
