"""Options that several commands share, each written once: its name, its meaning, its default."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import typer

__all__ = [
    "Check",
    "CheckOption",
    "CustomStarts",
    "Fen",
    "Fold",
    "Force",
    "GameChoice",
    "GameName",
    "GameOption",
    "Inputs",
    "Jobs",
    "Json",
    "KeepPrefix",
    "Limit",
    "MaxInflate",
    "MaxPly",
    "MinGames",
    "MinWinRate",
    "Moves",
    "Quiet",
    "RejectsFile",
    "Side",
    "SideOption",
    "Strict",
    "UndefinedOption",
    "UndefinedP",
    "one_side",
]


class GameChoice(StrEnum):
    """A game, or whichever the content is of."""

    AUTO = "auto"
    CHESS = "chess"
    XIANGQI = "xiangqi"


class GameName(StrEnum):
    """A game."""

    CHESS = "chess"
    XIANGQI = "xiangqi"


class Check(StrEnum):
    """How far a game is resolved."""

    PREFIX = "prefix"
    FULL = "full"


class Side(StrEnum):
    """Whose moves a book holds."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"


def one_side(side: Side) -> Literal["first", "second"] | None:
    """Return the side by its name, None for both."""
    if side is Side.BOTH:
        return None
    return "first" if side is Side.FIRST else "second"


class UndefinedP(StrEnum):
    """What becomes of rows that nobody won or lost."""

    KEEP = "keep"
    DROP = "drop"


def _ratio(text: str) -> str:
    """Refuse what is not a decimal number from 0 to 1; the text itself stays exact."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise typer.BadParameter(f'"{text}" is not a decimal number such as 0.55') from None
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text} is not from 0 to 1")
    return text


_UNITS: Final = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


def _bytes(text: str) -> int:
    """Return the number of bytes that a size such as 500MB, 1.5GiB or 4096 names."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", text.strip(), re.ASCII)
    unit = _UNITS.get(match[2].upper()) if match else None
    if match is None or unit is None:
        raise typer.BadParameter(f'"{text}" is not a size such as 500MB, 4GiB or 1048576')
    return int(Decimal(match[1]) * unit)


Inputs: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT",
        help="Archives: files, directories, patterns, @FILE for a list of them, or - for stdin.",
        show_default=False,
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]
Force: TypeAlias = Annotated[bool, typer.Option("--force", help="Replace an output that exists.")]

# What is counted.
GameOption: TypeAlias = Annotated[GameChoice, typer.Option("--game", help="The game; auto: by content.")]
MaxPly: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-ply", min=0, help="Count positions after at most this many plies.", show_default="all"
    ),
]
CheckOption: TypeAlias = Annotated[
    Check, typer.Option("--check", help="full: moves beyond --max-ply must be legal too.")
]
KeepPrefix: TypeAlias = Annotated[
    bool, typer.Option("--keep-prefix", help="Count the legal beginning of a bad game.")
]
CustomStarts: TypeAlias = Annotated[
    bool, typer.Option("--custom-starts", help="Count games that do not begin at the start position.")
]
Fold: TypeAlias = Annotated[
    bool, typer.Option("--fold/--no-fold", help="Take left-right mirrors as one position (xiangqi).")
]
Limit: TypeAlias = Annotated[
    int | None, typer.Option("--limit", min=1, help="Stop after this many games.", show_default="none")
]
MaxInflate: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-inflate",
        metavar="SIZE",
        parser=_bytes,
        help="Read at most this much from one compressed file, such as 4GiB.",
        show_default="1GiB, or 100 times the file's size",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Threads.", show_default="one per processor")
]
RejectsFile: TypeAlias = Annotated[
    Path | None, typer.Option("--rejects", metavar="FILE", help="Write each reject as a line of JSON.")
]
Strict: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="End with exit code 1 if a game was rejected or unreadable.")
]

# What is kept.
MinWinRate: TypeAlias = Annotated[
    str,
    typer.Option(
        "--min-win-rate",
        metavar="P",
        callback=_ratio,
        help="Least W/(W+L) of the side that moved; compared exactly.",
    ),
]
MinGames: TypeAlias = Annotated[int, typer.Option("--min-games", min=0, help="Least number of games.")]
SideOption: TypeAlias = Annotated[Side, typer.Option("--side", help="Keep moves of one side only.")]
UndefinedOption: TypeAlias = Annotated[
    UndefinedP, typer.Option("--undefined-p", help="Rows that nobody won or lost.")
]

# Where to look.
Fen: TypeAlias = Annotated[
    str | None, typer.Option("--fen", metavar="FEN", help="The position.", show_default="start position")
]
Moves: TypeAlias = Annotated[
    str,
    typer.Option(
        "--moves", metavar="MOVES", help="Moves played from there, separated by spaces.", show_default=False
    ),
]
