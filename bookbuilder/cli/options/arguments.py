"""Options that several commands share, with their names, choices and help."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer

from bookbuilder.archives.filters import FACETS, RatingOf
from bookbuilder.games.position import Game
from bookbuilder.games.ruling import Rule
from bookbuilder.tally.options import MAX_PLY, Dedupe, OnError

GAMES: Final = "Games"
OUTPUT: Final = "Output"

Side: TypeAlias = Literal["both", "first", "second", "white", "black", "red"]
"""A side, by its place in the order of moves or by its colour."""

GameName = Game
"""A game."""

GameChoice = Literal["auto", "chess", "xiangqi"]
"""A game, or `auto`: the game of the content."""

RuleName = Rule
"""A set of repetition rules for xiangqi."""


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


def _repeated(*choices: str) -> dict[str, Any]:
    """Return the settings of a repeatable option with these choices, for which typer takes no Literal."""

    def parse(text: str) -> str:
        if text not in choices:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(choices)}.")
        return text

    return {"parser": parse, "metavar": "WORD"}


Inputs: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Archives: files, directories, patterns, URLs, @FILE for a list, or - for stdin.",
    ),
]
_input = partial(typer.Option, rich_help_panel=GAMES)
_output = partial(typer.Option, rich_help_panel=OUTPUT)

Book: TypeAlias = Annotated[
    Path, typer.Argument(metavar="BOOK", help="A book of any format that can be read.")
]
Store: TypeAlias = Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.")]
Json: TypeAlias = Annotated[bool, _output("--json", help="Print the answer as JSON.")]
Force: TypeAlias = Annotated[bool, _output("--force", help="Replace an existing output.")]

# What is counted.
GameOption: TypeAlias = Annotated[GameChoice, _input("--game", help="The game.", show_default="by content")]
_max_ply = partial(_input, "--max-ply", min=0, max=MAX_PLY, help="Maximum ply of a position.")
MaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="all")]
UsualMaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="40")]
LaterMaxPly: TypeAlias = Annotated[int | None, _max_ply(show_default="30")]
OnErrorOption: TypeAlias = Annotated[
    OnError,
    _input(
        "--on-error",
        hidden=True,
        help="drop: skip invalid games; prefix: count their moves before the error.",
    ),
]
CustomStarts: TypeAlias = Annotated[
    bool,
    _input("--custom-starts", hidden=True, help="Also count games that do not begin at the start position."),
]
Variations: TypeAlias = Annotated[
    bool,
    _input("--variations", hidden=True, help="Count variations too: positions reached, without results."),
]
DedupeOption: TypeAlias = Annotated[
    Dedupe,
    _input(
        "--dedupe",
        hidden=True,
        help="Skip duplicate games. exact: equal moves and result; players: equal moves, surnames and date; "
        "prefix: the moves begin another game.",
    ),
]
Limit: TypeAlias = Annotated[
    int | None, _input("--max-games", min=1, help="Maximum number of games to read.", show_default="none")
]
Memory: TypeAlias = Annotated[
    int | None,
    _output(
        "--memory",
        hidden=True,
        metavar="SIZE",
        parser=parse_memory,
        help="Maximum memory for counting, such as 512MiB.",
        show_default="2GiB",
    ),
]
TableMemory: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=parse_memory,
        help="Maximum memory for tables, such as 8GiB.",
        show_default="4GiB",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None, _output("--jobs", "-j", min=1, help="Number of threads.", show_default="one per processor")
]
RejectsFile: TypeAlias = Annotated[
    Path | None,
    _output("--rejects", hidden=True, metavar="FILE", help="Write rejected games to FILE (.jsonl or .pgn)."),
]
Strict: TypeAlias = Annotated[
    bool, _output("--strict", hidden=True, help="Exit with code 1 if a game was rejected.")
]

# Which games are counted.
MinRating: TypeAlias = Annotated[int | None, _input("--min-rating", min=0, max=9999, help="Minimum rating.")]
MaxRating: TypeAlias = Annotated[int | None, _input("--max-rating", min=0, max=9999, help="Maximum rating.")]
RatingOfOption: TypeAlias = Annotated[
    RatingOf,
    _input(
        "--rating-of",
        hidden=True,
        metavar="WHICH",
        help="The rating that must be within the limits: both, either, or mean.",
    ),
]
Since: TypeAlias = Annotated[
    str | None, _input("--since", metavar="DATE", help="First date: 2010, 2010-05 or 2010-05-17.")
]
Until: TypeAlias = Annotated[
    str | None, _input("--until", metavar="DATE", help="Last date, in the same forms.")
]
Results: TypeAlias = Annotated[
    list[str] | None,
    _input("--result", hidden=True, metavar="RESULT", help="1-0, 0-1, 1/2-1/2 or *; may be repeated."),
]
Players: TypeAlias = Annotated[
    list[str] | None, _input("--player", metavar="NAME", help="Part of a player's name; may be repeated.")
]
SideOption: TypeAlias = Annotated[
    Side, _input("--side", metavar="SIDE", help="Side of the book, and of the --player.")
]
Events: TypeAlias = Annotated[
    list[str] | None,
    _input("--event", hidden=True, metavar="NAME", help="Part of the event's name; may be repeated."),
]
Openings: TypeAlias = Annotated[
    list[str] | None,
    _input("--eco", metavar="CODES", help="ECO or ECCO codes: C42, B20-B99, E; may be repeated."),
]
TimeControls: TypeAlias = Annotated[
    list[str] | None,
    _input("--time-control", metavar="TIME", help="300+3, bullet, blitz, rapid …; may be repeated."),
]
MinPlies: TypeAlias = Annotated[
    int, _input("--min-plies", hidden=True, min=0, help="Minimum number of recorded plies.")
]
Tags: TypeAlias = Annotated[
    list[str] | None,
    _input("--tag", metavar="TEST", help="Test of a tag: Name=Value, !=, >=, <= or Name~Regex."),
]

Facets: TypeAlias = Annotated[
    list[str] | None,
    _input(
        "--facet",
        **_repeated(*FACETS),
        help="Keep games apart by year, rating (bands of the mean), speed or player-side, to filter the "
        "store later; may be repeated.",
    ),
]
