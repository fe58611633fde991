"""The options of a selection, and the presets that combine them.

`SelectionOptions` declares each option once: type, default, and an `Option` with its meaning and limits.
`select`, the recipe of a book, the command line and the explorer read that declaration.

| preset | keeps |
|---|---|
| engine | the default: every move of enough games that is not proved worse, weighted |
| broad | every move of enough games, weighted by popularity |
| human | every move of enough games, played as often as the games did |
| repertoire | the moves of one side and the opponent's common replies, connected |
| own-games | every move of a small collection, such as the games of one player |
| literature | positions with P ≥ 0.55 in the absolute, as in the paper on opening libraries |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypedDict,
    Unpack,
    get_args,
)

from bookbuilder.errors import OptionError, SelectionError
from bookbuilder.games.position import SIDES, Game, SideName, SideWord, side_of
from bookbuilder.games.ruling import RULES_KNOWN, Rule
from bookbuilder.keywords import as_integer, require_known, spelled_out
from bookbuilder.ratios import Column, Share, as_fraction, as_margin, as_share
from bookbuilder.selection.criteria import Criteria, CriteriaLike
from bookbuilder.selection.evidence import EvidenceLike, as_evidence

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from bookbuilder._core import Position
    from bookbuilder.selection.by_hand import MoveEdits, MoveEditsLike

RepetitionJudge: TypeAlias = "Callable[[Position, tuple[str, ...]], SideName | None]"
"""A user's own judge: returns the side that loses if moves that lead back to a position go on forever."""
QualityFunction: TypeAlias = "Callable[[pd.DataFrame], npt.ArrayLike]"
"""A user's formula: takes a frame and returns 0 … 31 for each row.

The frame has the columns of the selection up to `score`, then rating (mean, NaN = unknown), year_max (0 =
unknown), marks, paired, performance (NaN = unknown) and games, which is reached or played. Counts are signed.
"""

PRIOR_GAMES: Final = 320
PRIORS: Final = (0, 5, 20, 80, 320, 640, 1_000_000)
"""The priors that are compared with later results. With the last, a move has the P of its position."""
_KEPT: Final = "What is kept"
_SHARPEN: Final[Mapping[Game, int]] = {"chess": 3, "xiangqi": 2}
_LOSS_SCALE: Final = 8
# In xiangqi a square is worth as much as a cube, and keeps more variety.


Shape = Literal["positions", "moves"]
"""What a row of a selection is: a position that was reached, or a move that was played."""


class Option(NamedTuple):
    """What an option means and takes, and how the command line and the explorer offer it."""

    default: Any
    kind: Any  # type in which a user writes a value: `str`, `int`, `bool` or a `Literal`
    meaning: str  # the meaning in one sentence
    minimum: int | None = None  # smallest number
    maximum: int | None = None  # largest number
    # Converts a value to the one that is stored, or raises SelectionError.
    parse: Callable[[Any], Any] | None = None
    unset: str | None = None  # word that a user may write for None
    flag: str | None = None  # name on the command line, if it is offered there
    query: str | None = None  # name of the explorer's parameter, likewise
    panel: str | None = None  # group of options in the help of the command line
    metavar: str | None = None  # placeholder for the value in that help
    shown: str | None = None  # the default in that help
    is_usual: bool = False  # whether the short help shows the option
    has_decimals: bool = False  # whether Python may give a float where `kind` is int

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are allowed; empty = any value of `kind`."""
        choices = get_args(self.kind)
        return (*((self.unset,) if self.unset else ()), *choices) if choices else ()

    @property
    def can_be_unset(self) -> bool:
        """Whether None is a value."""
        return self.default is None or self.unset is not None

    def checked(self, name: str, value: Any) -> Any:  # noqa: ANN401 (any option's value)
        """Return a value of the option, which has this name, as it is stored.

        Raises:
            SelectionError: the value is not valid.
        """
        if self.can_be_unset and value in (None, self.unset):
            return None
        if self.words and value not in get_args(self.kind):
            known = [*(["None"] if self.can_be_unset else []), *get_args(self.kind)]
            raise SelectionError(f"{name} is {value}: expected {' or '.join(known)}")
        if self.kind is int and isinstance(value, str):
            try:
                value = int(value)
            except ValueError:
                expected = "a whole number" + (f" or {self.unset}" if self.unset else "")
                raise SelectionError(f"{name} is {value}: expected {expected}") from None
        if self.kind is bool:
            if value not in (True, False):
                raise SelectionError(f"{name} is {value}: expected True or False")
            return bool(value)
        if self.kind is int:
            try:
                if self.has_decimals and isinstance(value, float):
                    as_integer(name, math.floor(value), self.minimum or 0, self.maximum)
                    return float(value)
                value = as_integer(name, value, self.minimum or 0, self.maximum)
            except OptionError as error:
                raise SelectionError(str(error)) from None
            except (OverflowError, ValueError):  # infinity, not a number
                raise SelectionError(f"{name} is {value}: expected a number") from None
        try:
            return value if self.parse is None else self.parse(value)
        except SelectionError as error:
            # What is wrong stands behind the name that the parser gives the value.
            reason = str(error).partition(": ")[2] or str(error)
            raise SelectionError(f"{name} is {value}: {reason}") from error


def declared(default: Any, kind: Any, meaning: str, **rest: Any) -> Any:  # noqa: ANN401 (fields of Option)
    """Return the field of a dataclass that an option declares."""
    option = Option(kind=kind, meaning=meaning, default=default, **rest)
    return field(default=default, metadata={"option": option})


def _as_repetition(judge: RepetitionJudge | Rule) -> RepetitionJudge | Rule:
    if isinstance(judge, str) and judge not in RULES_KNOWN:
        raise SelectionError(f"repetition is {judge}: expected a function or one of {', '.join(RULES_KNOWN)}")
    return judge


def _as_edits(edits: MoveEditsLike) -> MoveEdits:
    # `show` and the help of commands do not wait for numpy and pyarrow.
    from bookbuilder.selection.by_hand import as_move_edits

    return as_move_edits(edits)


def _as_quality(quality: QualityFunction) -> QualityFunction:
    if not callable(quality):
        raise SelectionError(f"quality is {quality}: expected a function from a frame to 0 … 31")
    return quality


def minimum_for(games: int) -> float:
    """Return the default minimum number of games of a move, for an archive with this number of games.

    It is 1 at 20 games and grows by 0.36 with each tenfold, and by 1 with each 250,000 games.

    Example:
        >>> [minimum_for(games) for games in (20, 200, 2_000, 12_000, 1_000_000)]
        [1.0, 1.36, 1.73, 2.05, 6.69]
    """
    return round(1 + 0.36 * math.log10(max(games, 20) / 20) + games / 250_000, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """The options that say which rows of a tally go into a book.

    Shares and thresholds are stored as exact fractions. `bookbuilder.selection.select` explains the rules and
    their order.

    Example:
        >>> options = bb.SelectionOptions(min_win_rate="55%", margin="3%", for_side="white")
        >>> str(options.min_win_rate), str(options.margin), options.for_side
        ('11/20', '3/100', 'first')
    """

    min_win_rate: Share = declared(
        0, str, "Minimum P = W/(W+L) of the side that moved.",
        parse=as_fraction, flag="--min-win-rate", is_usual=True, panel=_KEPT, query="p", metavar="P",
    )  # fmt: skip
    min_games: float | None = declared(
        None, int, "Minimum games of a move.",
        minimum=0, maximum=10**12,  # `needed_games` multiplies it by 4,000, in 64 bits
        unset="auto", flag="--min-games", panel=_KEPT, query="min_games", metavar="N|auto",
        shown="by number of games", is_usual=True, has_decimals=True,
    )  # fmt: skip
    margin: Share | None = declared(
        "0.05", str, "Drop moves proved worse than this.",
        parse=as_margin, unset="off", flag="--margin", query="margin", panel=_KEPT, metavar="M|off",
        shown="5%", is_usual=True,
    )  # fmt: skip
    prior: int | None = declared(
        PRIOR_GAMES, int, "Games at its position's P that are added to a move before it is compared.",
        minimum=0, maximum=PRIORS[-1], unset="auto", flag="--prior", panel=_KEPT, metavar="N|auto",
        shown="320",
    )  # fmt: skip
    min_score: Share | None = declared(
        None, str, "Minimum (W + D/2)/N: 0.45, 45%.",
        parse=as_share, flag="--min-score", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    min_share: Share | None = declared(
        None, str, "Minimum share of its position's games.",
        parse=as_share, unset="off", flag="--min-share", query="min_share", panel=_KEPT, metavar="SHARE|off",
        is_usual=True,
    )  # fmt: skip
    top: int | None = declared(
        None, int, "Maximum number of moves at a position.",
        minimum=1, flag="--top", panel=_KEPT, shown="all", is_usual=True,
    )  # fmt: skip
    max_ply: int | None = declared(
        40, int, "Maximum plies after which a position stands.", minimum=0, unset="all", query="max_ply"
    )
    for_side: SideWord | None = declared(
        None, SideWord, "Side that the book is for: white, black or red.",
        parse=side_of, flag="--side", is_usual=True, query="for", panel=_KEPT, metavar="SIDE",
    )  # fmt: skip
    opponent_min_share: Share | None = declared(
        None, str, "With --side: minimum share of the opponent's moves, such as 0.5%.",
        parse=as_share, flag="--opponent-min-share",
        query="opponent_min_share", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    connected: bool = declared(
        False, bool, "Keep only what kept moves reach from the start.",
        flag="--connected", query="connected", panel=_KEPT,
    )  # fmt: skip
    sharpen: int | None = declared(
        None, int, "Raise weights to this power.",
        minimum=0, maximum=8, unset="auto", flag="--sharpen",
        query="sharpen", panel=_KEPT, metavar="K", shown="3; xiangqi 2", is_usual=True,
    )  # fmt: skip
    criteria: CriteriaLike = declared(
        Criteria(), str, "Weights of usage, strength, date, result, annotation.",
        parse=Criteria.of, flag="--criteria", query="criteria", panel=_KEPT, metavar="NAME=X,…",
        shown="usage=1,result=1",
    )  # fmt: skip
    repetition: RepetitionJudge | Rule | None = declared(
        None, str, "Drop moves by which their side would lose a perpetual (xiangqi).",
        parse=_as_repetition,
    )  # fmt: skip
    evals: EvidenceLike | None = declared(
        None, str, "Evaluations by an engine: drop moves that lose.",
        parse=as_evidence, flag="--evals", panel=_KEPT, metavar="FILE", is_usual=True,
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
        None, int, "With --evals: centipawns lost that divide a weight by e. 0 ignores losses.",
        minimum=0, unset="auto", flag="--loss-scale", panel=_KEPT, metavar="CP", shown="8",
    )  # fmt: skip
    edits: MoveEditsLike | None = declared(
        None, str, "Changes by hand: moves to keep, drop or add.",
        parse=_as_edits, flag="--edits", panel=_KEPT, metavar="FILE", is_usual=True,
    )  # fmt: skip
    shape: Shape = declared("positions", Shape, "What a row is: a position or a move.")
    quality: QualityFunction | None = declared(
        None, str, "A function that returns the quality of each row, 0 … 31.", parse=_as_quality
    )

    def __post_init__(self) -> None:
        """Reject invalid values and contradictions; store shares exactly."""
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.checked(name, getattr(self, name)))
        needing = [name for name in OF_EVALS if getattr(self, name) is not None]
        if self.evals is None and needing:
            flag = OPTIONS[needing[0]].flag
            raise SelectionError(f"{needing[0]} ({flag}) is about evaluations: expected evals (--evals) too")
        if self.sharpen == 0 and self.criteria != Criteria():
            raise SelectionError(
                "criteria (--criteria) weigh moves: expected sharpen (--sharpen) of at least 1"
            )
        if self.margin is None and self.prior != PRIOR_GAMES:
            raise SelectionError("prior (--prior) has no effect without a margin (--margin)")
        if self.for_side is None and self.opponent_min_share is not None:
            raise SelectionError(
                "opponent_min_share (--opponent-min-share) is about opponents: expected for_side (--side) too"
            )

    @property
    def opponent(self) -> SelectionOptions:
        """The options for the opponent's moves, which need not be good: only as many games as the own ones.

        Example:
            >>> options = bb.SelectionOptions(for_side="white", opponent_min_share="1%")
            >>> str(options.opponent.min_share)
            '1/100'
        """
        # Evaluations are for the own moves: an opponent's losing move needs an answer.
        return SelectionOptions(min_games=self.min_games, min_share=self.opponent_min_share, margin=None)

    def of_side(self, side: int) -> SelectionOptions:
        """Return the options for the moves of a side, 0 first, 1 second.

        Example:
            >>> options = bb.SelectionOptions(for_side="white", opponent_min_share="1%")
            >>> options.of_side(0).min_share, str(options.of_side(1).min_share)
            (None, '1/100')
        """
        return self if self.for_side in (None, SIDES[side]) else self.opponent

    def by_side(self, side: Column) -> Iterator[tuple[SelectionOptions, Column]]:
        """Yield options, with the rows that they apply to: those for the moves of each side, if they differ.

        Args:
            side: side of each row.

        Example:
            >>> import numpy as np
            >>> options = bb.SelectionOptions(for_side="white", top=5)
            >>> sides = np.array([0, 1, 0])
            >>> [(own.top, rows.tolist()) for own, rows in options.by_side(sides)]
            [(5, [True, False, True]), (None, [False, True, False])]
        """
        if self.for_side is None:
            yield self, side < len(SIDES)
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
        hand.

        Example:
            >>> bb.SelectionOptions().trims, bb.preset("literature").trims
            (True, False)
        """
        return self.margin is not None

    @property
    def needs_graph(self) -> bool:
        """Whether a rule depends on which move leads where.

        Example:
            >>> bb.SelectionOptions().needs_graph, bb.preset("literature").needs_graph
            (True, False)
        """
        rules = (self.repetition, self.evals, self.margin)
        if self.connected or any(rule is not None for rule in rules):
            return True
        is_compared = self.compares_positions or self.top is not None
        is_sharpened = self.sharpen != 0 and self.quality is None
        return self.shape == "positions" and (is_compared or is_sharpened)

    @property
    def least_games(self) -> int:
        """The minimum number of games, 0 while it is not known.

        Example:
            >>> bb.SelectionOptions(min_games=5).least_games
            5
        """
        return int(self.min_games or 0)

    def resolved(self, game: Game, games: int) -> SelectionOptions:
        """Return the options for a tally: with its minimum number of games, and the power of its game.

        Example:
            >>> options = bb.SelectionOptions().resolved("xiangqi", 1_000_000)
            >>> options.min_games, options.sharpen
            (6.69, 2)
        """
        return replace(
            self,
            min_games=minimum_for(games) if self.min_games is None else self.min_games,
            sharpen=_SHARPEN[game] if self.sharpen is None else self.sharpen,
            loss_scale=_LOSS_SCALE if self.evals and self.loss_scale is None else self.loss_scale,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data.

        Example:
            >>> bb.SelectionOptions(margin="3%").to_json()["margin"]
            '3/100'
        """
        return {name: _plain(getattr(self, name)) for name in OPTIONS}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave.

        Raises:
            SelectionError: an option is unknown, or a function judged repetitions or quality.

        Example:
            >>> options = bb.SelectionOptions(margin="3%")
            >>> bb.SelectionOptions.from_json(options.to_json()) == options
            True
        """
        if unknown := [name for name in data if name not in OPTIONS]:
            raise SelectionError(f'option "{unknown[0]}" of the selection is unknown to this program')
        repetition = data.get("repetition")
        if repetition is not None and repetition not in RULES_KNOWN:
            raise SelectionError(f"repetition is judged by {repetition}: only the codes can be repeated")
        if data.get("quality") is not None:
            raise SelectionError(f"quality is {data['quality']}: only the default can be repeated")
        return cls(**data)


def _plain(value: Any) -> Any:  # noqa: ANN401 (any option's value)
    """Return the value of an option as JSON data."""
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "to_json"):  # evidence, or changes by hand
        return value.to_json()
    return f"function {getattr(value, '__qualname__', value)}" if callable(value) else value


OPTIONS: Final[Mapping[str, Option]] = {
    each.name: each.metadata["option"] for each in fields(SelectionOptions)
}
"""The options by name, in the order of a recipe."""

SelectionOptions.__doc__ = f"{(SelectionOptions.__doc__ or '').rstrip()}\n\n    Attributes:\n" + "".join(
    f"        {name}: {option.meaning}\n" for name, option in OPTIONS.items()
)

OF_EVALS: Final = ("veto", "max_loss", "loss_scale")
"""The options that need evaluations."""

PresetName: TypeAlias = Literal["engine", "broad", "human", "repertoire", "own-games", "literature"]
"""The name of a preset."""

PRESETS: Final[Mapping[PresetName, Mapping[str, Any]]] = {
    "engine": {},
    "broad": {"margin": None, "sharpen": 1},
    "human": {"margin": None, "sharpen": 1, "criteria": "result=0"},
    "repertoire": {"for_side": "first", "opponent_min_share": "0.01", "connected": True},
    "own-games": {"margin": None, "min_games": 1, "sharpen": 1, "max_ply": 60},
    "literature": {"min_win_rate": "0.55", "min_games": 1, "margin": None, "max_ply": None, "sharpen": 0},
}
"""The options of each preset that differ from the defaults of `SelectionOptions`."""

# A preset keeps its name when these differ: they say for whom and how a book is written.
_FREE: Final = ("for_side", "shape", "max_ply", "min_games")


class SelectArguments(TypedDict, total=False):
    """The fields of `SelectionOptions` as keyword arguments. None stands for a limit that is off."""

    min_win_rate: Share
    min_games: float | None
    margin: Share | None
    prior: int | None
    min_score: Share | None
    min_share: Share | None
    top: int | None
    max_ply: int | None
    for_side: SideWord | None
    opponent_min_share: Share | None
    connected: bool
    sharpen: int | None
    criteria: CriteriaLike
    repetition: RepetitionJudge | Rule | None
    evals: EvidenceLike | None
    veto: int | None
    max_loss: int | None
    loss_scale: int | None
    edits: MoveEditsLike | None
    shape: Shape
    quality: QualityFunction | None


@spelled_out(SelectArguments)
def preset(name: str, **changes: Unpack[SelectArguments]) -> SelectionOptions:
    """Return the options of a preset.

    Args:
        name: of the preset.
        **changes: options that differ from it.

    Raises:
        SelectionError: the preset is unknown, or an option is not valid.
        TypeError: an option is unknown.

    Example:
        >>> str(preset("literature").min_win_rate), preset("broad", margin="0.05").sharpen
        ('11/20', 1)
    """
    require_known(changes, OPTIONS)
    for known in get_args(PresetName):
        if known == name:
            return SelectionOptions(**{**PRESETS[known], **changes})
    raise SelectionError(f"preset {name}: expected {', '.join(PRESETS)}")


def preset_of(options: SelectionOptions, game: Game) -> PresetName | None:
    """Return the preset with these options; None if there is none.

    The side, the shape and the limits of games and plies may differ.
    """
    for name in PRESETS:
        same = preset(name, shape=options.shape)
        if options in (same, same.resolved(game, 0)):
            return name
    free = {name: getattr(options, name) for name in _FREE}
    for name in PRESETS:
        if options.for_side is None and "for_side" in PRESETS[name]:
            continue
        same = replace(preset(name), **free)
        if options in (same, same.resolved(game, 0)):
            return name
    return None
