"""The options of a selection.

`SelectionOptions` declares each option once: type, default, and an `Option` with its meaning and limits.
`select`, the recipe of a book, the command line and the explorer read that declaration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Final, Literal, Self

from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES, SideName, SideWord, side_of
from bookbuilder.games.ruling import RULES_KNOWN, Rule
from bookbuilder.ratios import Column
from bookbuilder.selection.by_hand import MoveEditsLike, as_move_edits
from bookbuilder.selection.declaration import Option, declared
from bookbuilder.selection.evidence import EvidenceLike, as_evidence
from bookbuilder.selection.option_values import RepetitionJudge, as_quality, as_repetition, plain_value
from bookbuilder.selection.quality import FORMULA, PICKED, QualityFunction, QualityWeights
from bookbuilder.selection.thresholds import Share, as_fraction, as_margin, as_share, as_years

__all__ = [
    "GAMES_PER_STEP",
    "LEAST_GAMES",
    "OF_EVALS",
    "OPTIONS",
    "Basis",
    "RepetitionJudge",
    "SelectionOptions",
    "Shape",
    "Standard",
    "UndefinedP",
]

Shape = Literal["positions", "moves"]
"""What a row of a selection is: a position that was reached, or a move that was played."""
UndefinedP = Literal["keep", "drop"]
"""What happens to rows without a win or a loss."""
Basis = Literal["reached", "played"]
"""Games that judge a move: all games that reached the position after it, or only games that played it."""
Standard = Literal["p", "score", "performance"]
"""What the margin compares: P = W/(W+L), the score (W + D/2)/N, or the score corrected for ratings."""
LEAST_GAMES: Final = 3
"""The default minimum number of games for a tally of few games."""
GAMES_PER_STEP: Final = 250_000
"""The number of games for which that minimum grows by 1."""


_KEPT: Final = "What is kept"
_OPPONENTS: Final = "Opponent's moves"
_WEIGHTS: Final = "Weights"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """The options that say which rows of a tally go into a book.

    Shares, spans and weights are stored as exact fractions. `bookbuilder.selection.select` explains the rules
    and their order.

    Example:
        >>> options = bb.SelectionOptions(min_win_rate="55%", margin="3%", for_side="white")
        >>> str(options.min_win_rate), str(options.margin), options.for_side
        ('11/20', '3/100', 'first')
    """

    min_win_rate: Share = declared(
        0, str, "Minimum P = W/(W+L) of the side that moved.",
        parse=as_fraction, flag="--min-win-rate", is_usual=True, panel=_KEPT, query="p", metavar="P",
    )  # fmt: skip
    confident: bool = declared(
        False, bool, "Compare the lower bound of P (Wilson, 95 %), not P.",
        flag="--confident", query="confident", panel=_KEPT,
    )  # fmt: skip
    min_games: int | None = declared(
        None, int, "Minimum number of games.",
        minimum=0, unset="auto", flag="--min-games", panel=_KEPT, query="min_games", metavar="N|auto",
        is_usual=True,
        shown="3 + games / 250,000",
    )  # fmt: skip
    margin: Share | None = declared(
        "0.05", str, "Maximum loss of P against the position.",
        parse=as_margin, unset="off", flag="--margin", query="margin", panel=_KEPT, metavar="M|off",
        shown="5%", is_usual=True,
    )  # fmt: skip
    by: Standard = declared(
        "p", Standard, "What --margin compares: P, the score (W + D/2)/N, or this corrected for ratings.",
        flag="--by", query="by", panel=_KEPT,
    )  # fmt: skip
    prior: int = declared(
        20, int, "Games at the position's own P that --margin adds to each move.",
        minimum=0, maximum=1_000_000, flag="--prior", query="prior", panel=_KEPT, metavar="GAMES",
    )  # fmt: skip
    min_score: Share | None = declared(
        None, str, "Minimum (W + D/2)/N: 0.45, 45%.",
        parse=as_share, flag="--min-score", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    min_share: Share | None = declared(
        "0.02", str, "Minimum share of the games at its position.",
        parse=as_share, unset="off", flag="--min-share", query="min_share", panel=_KEPT, metavar="SHARE|off",
        shown="2%", is_usual=True,
    )  # fmt: skip
    top: int | None = declared(
        None, int, "Maximum number of moves at a position.",
        minimum=1, flag="--top", panel=_KEPT, shown="all",
    )  # fmt: skip
    max_ply: int | None = declared(
        40, int, "Maximum plies after which a position stands.", minimum=0, unset="all", query="max_ply"
    )
    side: SideName | None = declared(
        None, SideWord, "Keep the moves of one side only.",
        parse=side_of, unset="both", flag="--side", panel=_KEPT, query="side", metavar="SIDE|both",
    )  # fmt: skip
    for_side: SideName | None = declared(
        None, SideWord, "Side that the book is for: white, black or red.",
        parse=side_of, flag="--for", is_usual=True, query="for", panel=_KEPT, metavar="SIDE",
    )  # fmt: skip
    opponent_min_win_rate: Share = declared(
        0, str, "With --for: minimum P of the opponent's moves.",
        parse=as_fraction, flag="--opponent-min-win-rate", panel=_OPPONENTS, metavar="P",
    )  # fmt: skip
    opponent_min_games: int | None = declared(
        1, int, "With --for: minimum number of games of the opponent's moves.",
        minimum=0, unset="auto", flag="--opponent-min-games",
        query="opponent_min_games", panel=_OPPONENTS, metavar="N|auto",
    )  # fmt: skip
    opponent_min_share: Share | None = declared(
        None, str, "With --for: minimum share of the opponent's moves, such as 0.5%.",
        parse=as_share, flag="--opponent-min-share",
        query="opponent_min_share", panel=_OPPONENTS, metavar="SHARE",
    )  # fmt: skip
    opponent_top: int | None = declared(
        None, int, "With --for: maximum number of the opponent's moves at a position.",
        minimum=1, flag="--opponent-top", panel=_OPPONENTS, shown="all",
    )  # fmt: skip
    connected: bool = declared(
        False, bool, "Keep only what kept moves reach from the start.",
        flag="--connected", query="connected", panel=_KEPT,
    )  # fmt: skip
    own_lines: bool = declared(
        True, bool, "Keep only moves that their side reaches by its own book moves.",
        flag="--own-lines/--no-own-lines", query="own_lines", panel=_KEPT,
    )  # fmt: skip
    undefined_p: UndefinedP = declared(
        "keep", UndefinedP, "Keep or drop rows without a win or a loss.",
        flag="--undefined-p", panel=_KEPT, query="undefined_p",
    )  # fmt: skip
    basis: Basis | None = declared(
        None, Basis,
        "Judge a move by all games that reached the position after it, or by those that played it.",
        flag="--basis", panel=_KEPT, shown="by the format",
    )  # fmt: skip
    half_life: str | float | Fraction | None = declared(
        None, str, "Halve a game's weight for every so many years: 5y, 18m.",
        parse=as_years, flag="--half-life", panel=_WEIGHTS, metavar="YEARS",
    )  # fmt: skip
    rating_half: int | None = declared(
        None, int, "Halve a game's weight for every so many rating points below the mean.",
        minimum=1, flag="--rating-half", panel=_WEIGHTS, metavar="POINTS",
    )  # fmt: skip
    sharpen: int | None = declared(
        3, int, "Raise weights to this power: 2 = squared; off = quality as by --quality.",
        minimum=1, maximum=8, unset="off", flag="--sharpen",
        query="sharpen", panel=_WEIGHTS, metavar="K|off",
    )  # fmt: skip
    repetition: RepetitionJudge | Rule | None = declared(
        None, str, "Drop moves by which their side would lose a perpetual (xiangqi).",
        parse=as_repetition,
    )  # fmt: skip
    evals: EvidenceLike | None = declared(
        None, str, "Evaluations by an engine: drop moves that lose.",
        parse=as_evidence, flag="--evals", panel=_KEPT, metavar="FILE",
    )  # fmt: skip
    veto: int | None = declared(
        None, int, "With --evals: centipawns that a move may lose.",
        minimum=1, flag="--veto", panel=_KEPT, metavar="CP", shown="60; in xiangqi 100",
    )  # fmt: skip
    max_loss: int | None = declared(
        None, int, "With --evals: maximum loss by backed-up values, in centipawns.",
        minimum=1, flag="--max-loss", panel=_KEPT, metavar="CP",
    )  # fmt: skip
    loss_scale: int | None = declared(
        None, int, "With --evals: divide a weight by e for each CP centipawns lost.",
        minimum=1, flag="--loss-scale", panel=_WEIGHTS, metavar="CP",
    )  # fmt: skip
    edits: MoveEditsLike | None = declared(
        None, str, "Changes by hand: moves to keep, drop or add.",
        parse=as_move_edits, flag="--edits", panel=_KEPT, metavar="FILE",
    )  # fmt: skip
    shape: Shape = declared("positions", Shape, "What a row is: a position or a move.")
    quality: QualityFunction | QualityWeights | str | None = declared(
        None, str, "Weights of the quality's terms: usage=1,p=2,rating=1,recency=0.5,marks=1.",
        parse=as_quality, flag="--quality", panel=_WEIGHTS, metavar="WEIGHTS",
        shown="p=50,usage=20,marks=15,rating=10,recency=5",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Reject invalid values and contradictions; store shares, spans and weights exactly."""
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.checked(name, getattr(self, name)))
        if self.side is not None and self.for_side is not None:
            raise SelectionError(
                "side (--side) and for_side (--for) contradict each other: expected one of them"
            )
        needing = [name for name in OF_EVALS if getattr(self, name) is not None]
        if self.evals is None and needing:
            flag = OPTIONS[needing[0]].flag
            raise SelectionError(f"{needing[0]} ({flag}) is about evaluations: expected evals (--evals) too")
        given = [name for name in _OPPONENT if getattr(self, name) != OPTIONS[name].default]
        if self.for_side is None and given:
            flag = OPTIONS[given[0]].flag
            raise SelectionError(
                f"{given[0]} ({flag}) is about the opponent's moves: expected for_side (--for) too"
            )

    @property
    def judged_by(self) -> Basis:
        """The basis in use: by default the one whose counts the shape stores.

        Example:
            >>> bb.SelectionOptions().judged_by, bb.SelectionOptions(shape="moves").judged_by
            ('reached', 'played')
        """
        return self.basis or ("reached" if self.shape == "positions" else "played")

    @property
    def opponent(self) -> SelectionOptions:
        """The options for the opponent's moves.

        Example:
            >>> options = bb.SelectionOptions(for_side="white", opponent_min_share="1%")
            >>> str(options.opponent.min_share)
            '1/100'
        """
        # Evaluations are for the own moves: an opponent's losing move needs an answer.
        own = {own: getattr(self, name) for name, own in _OPPONENT.items()}
        return SelectionOptions(**own, margin=None)

    def of_side(self, side: int) -> SelectionOptions:
        """Return the options for the moves of a side, 0 first, 1 second.

        Example:
            >>> options = bb.SelectionOptions(for_side="white", opponent_min_share="1%")
            >>> str(options.of_side(0).min_share), str(options.of_side(1).min_share)
            ('1/50', '1/100')
        """
        return self if self.for_side in (None, SIDES[side]) else self.opponent

    def by_side(self, side: Column) -> Iterator[tuple[SelectionOptions, Column]]:
        """Yield the options for the moves of each side, with the rows that they apply to.

        Args:
            side: side of each row.

        Example:
            >>> import numpy as np
            >>> options = bb.SelectionOptions(for_side="white", min_games=5)
            >>> sides = np.array([0, 1, 0])
            >>> [(own.min_games, rows.tolist()) for own, rows in options.by_side(sides)]
            [(5, [True, False, True]), (1, [False, True, False])]
        """
        if self.for_side is None:
            yield self, True
            return
        for number in range(len(SIDES)):
            yield self.of_side(number), side == number

    @property
    def compares_positions(self) -> bool:
        """Whether a rule compares a move with its position.

        Example:
            >>> bb.SelectionOptions().compares_positions, bb.preset("literature").compares_positions
            (True, False)
        """
        names = ("min_share", "margin", "opponent_min_share", "evals")
        return any(getattr(self, name) is not None for name in names)

    @property
    def trims(self) -> bool:
        """Whether positions of few games can be set aside before the graph is made.

        With a margin, only lines through positions of enough games count, and through moves that are kept by
        hand. Weights of games depend on the whole tally.

        Example:
            >>> bb.SelectionOptions().trims, bb.SelectionOptions(half_life="5y").trims
            (True, False)
        """
        is_weighted = self.half_life is not None or self.rating_half is not None
        is_own = self.judged_by == ("reached" if self.shape == "positions" else "played")
        return self.margin is not None and is_own and not is_weighted

    @property
    def needs_graph(self) -> bool:
        """Whether a rule depends on which move leads where.

        Example:
            >>> bb.SelectionOptions().needs_graph, bb.preset("literature").needs_graph
            (True, False)
        """
        among_siblings = self.compares_positions or self.top is not None or self.opponent_top is not None
        is_other_basis = self.judged_by != ("reached" if self.shape == "positions" else "played")
        needed = self.connected or self.own_lines or self.repetition is not None or is_other_basis
        needed = needed or self.evals is not None
        is_compared = among_siblings or (self.sharpen is not None and self.quality is None)
        return needed or (is_compared and self.shape == "positions")

    @property
    def least_games(self) -> int:
        """The smaller minimum number of games of both sides.

        Example:
            >>> bb.SelectionOptions(min_games=5).least_games
            5
        """
        sides = (self,) if self.for_side is None else (self, self.opponent)
        return min(own.min_games or 0 for own in sides)

    def for_games(self, games: int) -> SelectionOptions:
        """Return the options for a tally of this number of games, with a minimum number of games.

        The default minimum is 3, and 1 more for each 250,000 games.

        Example:
            >>> bb.SelectionOptions().for_games(1_000_000).min_games
            7
        """
        least = LEAST_GAMES + games // GAMES_PER_STEP
        return replace(
            self,
            min_games=least if self.min_games is None else self.min_games,
            opponent_min_games=least if self.opponent_min_games is None else self.opponent_min_games,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data.

        Options of relative thresholds and of sharpened weights are omitted where they are off. So a book by
        absolute thresholds has the same recipe as before these options existed.

        Example:
            >>> bb.SelectionOptions(margin="3%").to_json()["margin"]
            '3/100'
        """
        off = {"margin", "by", "prior"} if self.margin is None else set()
        off |= {name for name in ("sharpen", "evals", "edits", *OF_EVALS) if getattr(self, name) is None}
        off |= set() if self.own_lines else {"own_lines"}
        data = {name: plain_value(getattr(self, name)) for name in OPTIONS if name not in off}
        if self.quality is None:
            data["quality"] = FORMULA if self.sharpen is None else PICKED
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave; options that an older recipe lacks are off.

        Raises:
            SelectionError: an option is unknown, or a function judged repetitions or quality.

        Example:
            >>> options = bb.SelectionOptions(margin="3%")
            >>> bb.SelectionOptions.from_json(options.to_json()) == options
            True
        """
        if unknown := [name for name in data if name not in OPTIONS]:
            raise SelectionError(f'option "{unknown[0]}" of the selection is unknown to this program')
        options = {"margin": None, "sharpen": None, "own_lines": False, **data}
        repetition = options.get("repetition")
        if repetition is not None and repetition not in RULES_KNOWN:
            raise SelectionError(f"repetition is judged by {repetition}: only the codes can be repeated")
        quality = options.get("quality")
        if quality in (FORMULA, PICKED):
            options["quality"] = None
        elif isinstance(quality, str):
            raise SelectionError(f"quality is {quality}: only the default and weights can be repeated")
        return cls(**options)


OPTIONS: Final[Mapping[str, Option]] = {
    each.name: each.metadata["option"] for each in fields(SelectionOptions)
}
"""The options by name, in the order of a recipe."""

SelectionOptions.__doc__ = f"{(SelectionOptions.__doc__ or '').rstrip()}\n\n    Attributes:\n" + "".join(
    f"        {name}: {option.meaning}\n" for name, option in OPTIONS.items()
)

_OPPONENT: Final = {name: name.removeprefix("opponent_") for name in OPTIONS if name.startswith("opponent_")}
OF_EVALS: Final = ("veto", "max_loss", "loss_scale")
"""The options that need evaluations."""
