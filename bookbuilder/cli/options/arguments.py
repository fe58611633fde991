"""Options that several commands share, each written once: its name, its meaning, its default."""

from __future__ import annotations

import re
from decimal import Decimal
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

__all__ = [
    "Check",
    "CheckOption",
    "Cluster",
    "CustomStarts",
    "Dedupe",
    "DedupeOption",
    "Events",
    "FacetName",
    "Facets",
    "Fen",
    "Fold",
    "Force",
    "GameChoice",
    "GameName",
    "GameOption",
    "Inputs",
    "Jobs",
    "Json",
    "Limit",
    "MaxInflate",
    "MaxPly",
    "MaxRating",
    "Memory",
    "MinPlies",
    "MinRating",
    "Moves",
    "OnError",
    "OnErrorOption",
    "Openings",
    "PlayerSide",
    "PlayerSideOption",
    "Players",
    "Quiet",
    "RatingOf",
    "RatingOfOption",
    "RejectsFile",
    "Results",
    "RuleName",
    "Since",
    "Strict",
    "Tags",
    "Task",
    "TimeControls",
    "Until",
    "Variations",
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


class OnError(StrEnum):
    """What becomes of a bad game."""

    DROP = "drop"
    PREFIX = "prefix"


class Dedupe(StrEnum):
    """Which games are copies of others."""

    OFF = "off"
    EXACT = "exact"
    PLAYERS = "players"
    PREFIX = "prefix"


class RatingOf(StrEnum):
    """Whose rating a bound is for."""

    BOTH = "both"
    EITHER = "either"
    MEAN = "mean"


class PlayerSide(StrEnum):
    """The side of a player."""

    ANY = "any"
    FIRST = "first"
    SECOND = "second"


class FacetName(StrEnum):
    """What a store keeps apart."""

    YEAR = "year"
    RATING = "rating"
    SPEED = "speed"
    PLAYER_SIDE = "player-side"


class RuleName(StrEnum):
    """A code for repetitions of xiangqi."""

    AXF = "axf"
    CXA = "cxa"
    CHECK_ONLY = "check-only"
    NONE = "none"


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
OnErrorOption: TypeAlias = Annotated[
    OnError, typer.Option("--on-error", help="Of a bad game count nothing, or its legal beginning.")
]
CustomStarts: TypeAlias = Annotated[
    bool, typer.Option("--custom-starts", help="Count games that do not begin at the start position.")
]
Variations: TypeAlias = Annotated[
    bool, typer.Option("--variations", help="Count variations too: positions reached, without results.")
]
Fold: TypeAlias = Annotated[
    bool, typer.Option("--fold/--no-fold", help="Take left-right mirrors as one position (xiangqi).")
]
DedupeOption: TypeAlias = Annotated[
    Dedupe,
    typer.Option(
        "--dedupe",
        help="Leave out copies of games: same moves and result; same moves, surnames and date; or moves that "
        "begin another game's.",
    ),
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
Memory: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=_bytes,
        help="Memory that counting may take, such as 512MiB; what does not fit goes to disk.",
        show_default="2GiB, or half of the machine's",
    ),
]
Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Count on a Dask cluster: its scheduler's address, or local for processes on this machine.",
        show_default=False,
    ),
]
Task: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--task",
        metavar="SIZE",
        parser=_bytes,
        help="Bytes of archives that a task of a cluster counts, about.",
        show_default="64MiB",
    ),
]
Jobs: TypeAlias = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Threads.", show_default="one per processor")
]
RejectsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--rejects",
        metavar="FILE",
        help="Write rejects: .jsonl, a line of JSON each; .pgn, the games themselves.",
    ),
]
Strict: TypeAlias = Annotated[
    bool, typer.Option("--strict", help="End with exit code 1 if a game was rejected.")
]

# Which games are counted.
_which = partial(typer.Option, rich_help_panel="Which games")

MinRating: TypeAlias = Annotated[int | None, _which("--min-rating", min=0, max=9999, help="Least rating.")]
MaxRating: TypeAlias = Annotated[int | None, _which("--max-rating", min=0, max=9999, help="Largest rating.")]
RatingOfOption: TypeAlias = Annotated[
    RatingOf,
    _which("--rating-of", help="Whose: both players', one's, or their mean."),
]
Since: TypeAlias = Annotated[
    str | None,
    _which("--since", metavar="DATE", help="2010, 2010-05 or 2010-05-17."),
]
Until: TypeAlias = Annotated[str | None, _which("--until", metavar="DATE", help="In the same forms.")]
Results: TypeAlias = Annotated[
    list[str] | None,
    _which("--result", metavar="RESULT", help="1-0, 0-1, 1/2-1/2 or *; may be repeated."),
]
Players: TypeAlias = Annotated[
    list[str] | None,
    _which("--player", metavar="NAME", help="Part of a player's name, case aside; may be repeated."),
]
PlayerSideOption: TypeAlias = Annotated[PlayerSide, _which("--player-side", help="The side of that player.")]
Events: TypeAlias = Annotated[
    list[str] | None,
    _which("--event", metavar="NAME", help="Part of the event, case aside; may be repeated."),
]
Openings: TypeAlias = Annotated[
    list[str] | None,
    _which("--eco", metavar="CODES", help="ECO or ECCO codes: C42, B20-B99, E; may be repeated."),
]
TimeControls: TypeAlias = Annotated[
    list[str] | None,
    _which(
        "--time-control",
        metavar="CONTROL",
        help="300+3, or ultrabullet, bullet, blitz, rapid, classical; may be repeated.",
    ),
]
MinPlies: TypeAlias = Annotated[int, _which("--min-plies", min=0, help="Least recorded plies.")]
Tags: TypeAlias = Annotated[
    list[str] | None,
    _which("--tag", metavar="TEST", help="Name=Value, !=, >=, <= or Name~Regex; repeated, all must hold."),
]

Facets: TypeAlias = Annotated[
    list[FacetName] | None,
    typer.Option(
        "--facet",
        help="Keep games apart, so that the store can be filtered without its archives; may be repeated. "
        "rating: bands of the mean; player-side: the --player's.",
        show_default=False,
    ),
]

# Which games of a store with facets.
_asks = partial(
    typer.Option, rich_help_panel="Which games of a store that was counted with --facet", show_default=False
)


class Speed(StrEnum):
    """Classes of speed, as lichess has them."""

    ULTRABULLET = "ultrabullet"
    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"


SinceYear: TypeAlias = Annotated[
    str | None, _asks("--since", metavar="YEAR", help="First year; needs facet year.")
]
UntilYear: TypeAlias = Annotated[
    str | None, _asks("--until", metavar="YEAR", help="Last year; needs facet year.")
]
MinMeanRating: TypeAlias = Annotated[
    int | None,
    _asks(
        "--min-rating",
        min=0,
        max=9999,
        help="Least mean rating: 1000, 1200 … 2400, 2500 … 2800; needs facet rating.",
    ),
]
MaxMeanRating: TypeAlias = Annotated[
    int | None,
    _asks(
        "--max-rating", min=0, max=9999, help="Largest: 999, 1199 … 2399, 2499 … 2799; needs facet rating."
    ),
]
Speeds: TypeAlias = Annotated[
    list[Speed] | None, _asks("--time-control", help="Class of speed; may be repeated; needs facet speed.")
]
AskedSide: TypeAlias = Annotated[
    PlayerSide, _asks("--player-side", help="Side of the --player that was counted; needs facet player-side.")
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
