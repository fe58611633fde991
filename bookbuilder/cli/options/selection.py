"""The options of selection, written once as the fields of a dataclass.

In come the words of a command line, out go the `SelectionOptions` that they ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from bookbuilder.cli.options import arguments as opt

if TYPE_CHECKING:
    from bookbuilder.selection.candidates import Shape
    from bookbuilder.selection.options import SelectionOptions

__all__ = ["BasisOption", "Confident", "Selecting"]


class Basis(StrEnum):
    """Which games a move is judged by."""

    REACHED = "reached"
    PLAYED = "played"


class OneSide(StrEnum):
    """A side."""

    FIRST = "first"
    SECOND = "second"


_kept = partial(typer.Option, rich_help_panel="What is kept")
_counted = partial(typer.Option, rich_help_panel="How games count")

Confident: TypeAlias = Annotated[
    bool, _kept("--confident", help="Ask the lower bound of P (Wilson, 95 %), not P.")
]
MinScore: TypeAlias = Annotated[
    str | None, _kept("--min-score", metavar="SHARE", help="Least (W + D/2)/N: 0.45, 45%.")
]
MinShare: TypeAlias = Annotated[
    str | None, _kept("--min-share", metavar="SHARE", help="Least share of the moves at a position.")
]
Top: TypeAlias = Annotated[
    int | None, _kept("--top", min=1, help="Most moves at a position.", show_default="all")
]
_FOR: Final = "The side that the book is for; the opponent's moves then have only the rules named so."
ForSide: TypeAlias = Annotated[OneSide | None, _kept("--for", help=_FOR)]
OpponentMinWinRate: TypeAlias = Annotated[
    str, _kept("--opponent-min-win-rate", metavar="P", help="With --for: least P of the opponent's moves.")
]
OpponentMinGames: TypeAlias = Annotated[
    int, _kept("--opponent-min-games", min=0, help="With --for: their least number of games.")
]
OpponentMinShare: TypeAlias = Annotated[
    str | None,
    _kept("--opponent-min-share", metavar="SHARE", help="With --for: their least share, such as 0.5%."),
]
OpponentTop: TypeAlias = Annotated[
    int | None,
    _kept("--opponent-top", min=1, help="With --for: most of them at a position.", show_default="all"),
]
RepetitionSafe: TypeAlias = Annotated[
    bool,
    _kept("--repetition-safe", help="Drop moves by which their side would lose a perpetual (xiangqi)."),
]
RepetitionRule: TypeAlias = Annotated[
    opt.RuleName, _kept("--repetition-rule", help="The code by which that is judged.")
]
Connected: TypeAlias = Annotated[
    bool, _kept("--connected", help="Keep only what kept moves reach from the start.")
]
_BASIS: Final = "Judge a move by all games that reached the position after it, or by those that played it."
BasisOption: TypeAlias = Annotated[
    Basis | None, _counted("--basis", help=_BASIS, show_default="by the format")
]
HalfLife: TypeAlias = Annotated[
    str | None,
    _counted("--half-life", metavar="YEARS", help="Halve a game's weight for every so many years: 5y, 18m."),
]
_BELOW: Final = "Halve it for every so many rating points below the mean."
RatingHalf: TypeAlias = Annotated[int | None, _counted("--rating-half", metavar="POINTS", min=1, help=_BELOW)]
Quality: TypeAlias = Annotated[
    str | None,
    _counted(
        "--quality",
        metavar="WEIGHTS",
        help="Weights of the quality's terms: usage=1,p=2,rating=1,recency=0.5,marks=1.",
        show_default="p=50,usage=20,marks=15,rating=10,recency=5",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selecting:
    """What the options of selection say; defaults are the command line's."""

    min_win_rate: opt.MinWinRate = "0.55"
    confident: Confident = False
    min_games: opt.MinGames = 1
    min_score: MinScore = None
    min_share: MinShare = None
    top: Top = None
    side: opt.SideOption = "both"
    for_side: ForSide = None
    opponent_min_win_rate: OpponentMinWinRate = "0"
    opponent_min_games: OpponentMinGames = 1
    opponent_min_share: OpponentMinShare = None
    opponent_top: OpponentTop = None
    repetition_safe: RepetitionSafe = False
    repetition_rule: RepetitionRule = "axf"
    connected: Connected = False
    undefined_p: opt.UndefinedOption = "keep"
    basis: BasisOption = None
    half_life: HalfLife = None
    rating_half: RatingHalf = None
    quality: Quality = None

    def to_options(self, *, max_ply: int | None = None, shape: Shape = "positions") -> SelectionOptions:
        """Return the options of a selection.

        Raises:
            SelectionError: an option has no meaning, or two contradict each other.
        """
        from bookbuilder.selection.options import SelectionOptions

        return SelectionOptions(
            min_win_rate=self.min_win_rate,
            confident=self.confident,
            min_games=self.min_games,
            min_score=self.min_score,
            min_share=self.min_share,
            top=self.top,
            max_ply=max_ply,
            side=opt.one_side(self.side),
            for_side=None if self.for_side is None else self.for_side.value,
            opponent_min_win_rate=self.opponent_min_win_rate,
            opponent_min_games=self.opponent_min_games,
            opponent_min_share=self.opponent_min_share,
            opponent_top=self.opponent_top,
            repetition=self.repetition_rule if self.repetition_safe else None,
            connected=self.connected,
            undefined_p=self.undefined_p,
            basis=None if self.basis is None else self.basis.value,
            half_life=self.half_life,
            rating_half=self.rating_half,
            shape=shape,
            quality=self.quality,
        )
