"""The options of a selection.

`SelectionOptions` declares each option once: type, default, and an `Option` with its meaning and limits.
`select`, the recipe of a book, the command line and the explorer read that declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, get_args

from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES, SideName
from bookbuilder.games.ruling import RULES_KNOWN, Rule
from bookbuilder.ratios import Column
from bookbuilder.selection.quality import FORMULA, QualityFunction, QualityWeights, parse_weights
from bookbuilder.selection.thresholds import Share, as_fraction, as_share, as_years

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["OPTIONS", "Basis", "Option", "RepetitionJudge", "SelectionOptions", "Shape", "UndefinedP"]

Shape = Literal["positions", "moves"]
"""What a row of a selection is: a position that was reached, or a move that was played."""
UndefinedP = Literal["keep", "drop"]
"""What happens to rows without a win or a loss."""
Basis = Literal["reached", "played"]
"""Which games judge a move: all that reached the position after it, or only those that played it."""
RepetitionJudge: TypeAlias = "Callable[[Position, tuple[str, ...]], SideName | None]"
"""A user's own judge: returns the side that loses if moves that lead back to a position go on forever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What an option means and takes, and how the command line and the explorer offer it.

    Attributes:
        default: value of an option that is not given.
        kind: type in which a user writes a value: `str`, `int`, `bool` or a `Literal`.
        meaning: the meaning in one sentence.
        minimum: smallest number.
        parse: converts a value to the one that is stored, or raises SelectionError.
        unset: word that a user may write for None.
        flag: name on the command line; None = not offered there.
        query: name of the explorer's parameter; None = not offered there.
        panel: group of options in the help of the command line.
        metavar: placeholder for the value in that help.
        shown: the default in that help, where the value itself says too little.
        default: value of an option that is not given.
    """

    default: Any
    kind: Any
    meaning: str
    minimum: int | None = None
    parse: Callable[[Any], Any] | None = None
    unset: str | None = None
    flag: str | None = None
    query: str | None = None
    panel: str | None = None
    metavar: str | None = None
    shown: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are allowed; empty = any value of `kind`."""
        return (*((self.unset,) if self.unset else ()), *get_args(self.kind))

    def checked(self, name: str, value: Any) -> Any:  # noqa: ANN401 (any option's value)
        """Return a value of the option, which has this name, as it is stored.

        Raises:
            SelectionError: the value is not valid.
        """
        if self.default is None and value in (None, self.unset):
            return None
        if self.words and value not in get_args(self.kind):
            known = [*(["None"] if self.default is None else []), *get_args(self.kind)]
            raise SelectionError(f"{name} is {value}: expected {' or '.join(known)}")
        if self.minimum is not None and value < self.minimum:
            raise SelectionError(f"{name} is {value}: expected at least {self.minimum}")
        return value if self.parse is None else self.parse(value)


def _option(default: Any, kind: Any, meaning: str, **rest: Any) -> Any:  # noqa: ANN401 (fields of Option)
    option = Option(kind=kind, meaning=meaning, default=default, **rest)
    return field(default=default, metadata={"option": option})


def _as_repetition(judge: RepetitionJudge | Rule) -> RepetitionJudge | Rule:
    if isinstance(judge, str) and judge not in RULES_KNOWN:
        raise SelectionError(f"repetition is {judge}: expected a function or one of {', '.join(RULES_KNOWN)}")
    return judge


def _as_quality(
    quality: QualityFunction | QualityWeights | str,
) -> QualityFunction | Mapping[str, Fraction]:
    return parse_weights(quality) if isinstance(quality, str | Mapping) else quality


_KEPT: Final = "What is kept"
_COUNTED: Final = "How games count"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """The options that say which rows of a tally go into a book.

    Shares, spans and weights are stored as exact fractions. `bookbuilder.selection.select` explains the rules
    and their order.
    """

    min_win_rate: Share = _option(
        "0.55", str, "Minimum W/(W+L) of the side that moved; compared exactly.",
        parse=as_fraction, flag="--min-win-rate", query="p", metavar="P",
    )  # fmt: skip
    confident: bool = _option(
        False, bool, "Compare the lower bound of P (Wilson, 95 %), not P.",
        flag="--confident", query="confident", panel=_KEPT,
    )  # fmt: skip
    min_games: int = _option(
        1, int, "Minimum number of games.", minimum=0, flag="--min-games", query="min_games"
    )
    min_score: Share | None = _option(
        None, str, "Minimum (W + D/2)/N: 0.45, 45%.",
        parse=as_share, flag="--min-score", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    min_share: Share | None = _option(
        None, str, "Minimum share of the moves at a position, such as 2%.",
        parse=as_share, flag="--min-share", query="min_share", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    top: int | None = _option(
        None, int, "Maximum number of moves at a position.",
        minimum=1, flag="--top", panel=_KEPT, shown="all",
    )  # fmt: skip
    max_ply: int | None = _option(
        None, int, "Maximum plies after which a position stands.", minimum=0, query="max_ply"
    )
    side: SideName | None = _option(
        None, SideName, "Keep moves of one side only.", unset="both", flag="--side", query="side"
    )
    for_side: SideName | None = _option(
        None, SideName, "The side that the book is for; the --opponent options apply to the other side.",
        flag="--for", panel=_KEPT,
    )  # fmt: skip
    opponent_min_win_rate: Share = _option(
        0, str, "With --for: minimum P of the opponent's moves.",
        parse=as_fraction, flag="--opponent-min-win-rate", panel=_KEPT, metavar="P",
    )  # fmt: skip
    opponent_min_games: int = _option(
        1, int, "With --for: minimum number of games of the opponent's moves.",
        minimum=0, flag="--opponent-min-games", panel=_KEPT,
    )  # fmt: skip
    opponent_min_share: Share | None = _option(
        None, str, "With --for: minimum share of the opponent's moves, such as 0.5%.",
        parse=as_share, flag="--opponent-min-share", panel=_KEPT, metavar="SHARE",
    )  # fmt: skip
    opponent_top: int | None = _option(
        None, int, "With --for: maximum number of the opponent's moves at a position.",
        minimum=1, flag="--opponent-top", panel=_KEPT, shown="all",
    )  # fmt: skip
    connected: bool = _option(
        False, bool, "Keep only what kept moves reach from the start.", flag="--connected", panel=_KEPT
    )
    undefined_p: UndefinedP = _option(
        "keep", UndefinedP, "Keep or drop rows without a win or a loss.",
        flag="--undefined-p", query="undefined_p",
    )  # fmt: skip
    basis: Basis | None = _option(
        None, Basis,
        "Judge a move by all games that reached the position after it, or by those that played it.",
        flag="--basis", panel=_COUNTED, shown="by the format",
    )  # fmt: skip
    half_life: str | float | Fraction | None = _option(
        None, str, "Halve a game's weight for every so many years: 5y, 18m.",
        parse=as_years, flag="--half-life", panel=_COUNTED, metavar="YEARS",
    )  # fmt: skip
    rating_half: int | None = _option(
        None, int, "Halve a game's weight for every so many rating points below the mean.",
        minimum=1, flag="--rating-half", panel=_COUNTED, metavar="POINTS",
    )  # fmt: skip
    repetition: RepetitionJudge | Rule | None = _option(
        None, str, "Drop moves by which their side would lose a perpetual (xiangqi).",
        parse=_as_repetition,
    )  # fmt: skip
    shape: Shape = _option("positions", Shape, "What a row is: a position or a move.")
    quality: QualityFunction | QualityWeights | str | None = _option(
        None, str, "Weights of the quality's terms: usage=1,p=2,rating=1,recency=0.5,marks=1.",
        parse=_as_quality, flag="--quality", panel=_COUNTED, metavar="WEIGHTS",
        shown="p=50,usage=20,marks=15,rating=10,recency=5",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Reject invalid values and contradictions; store shares, spans and weights exactly."""
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.checked(name, getattr(self, name)))
        if self.side is not None and self.for_side is not None:
            raise SelectionError(
                "side keeps one side's moves only, for_side both sides': expected one of them"
            )
        given = [name for name in _OPPONENT if getattr(self, name) != OPTIONS[name].default]
        if self.for_side is None and given:
            raise SelectionError(f"{given[0]} is about the opponent's moves: expected for_side too")

    @property
    def judged_by(self) -> Basis:
        """The basis in use: by default the one whose counts the shape stores."""
        return self.basis or ("reached" if self.shape == "positions" else "played")

    @property
    def opponent(self) -> SelectionOptions:
        """The options for the opponent's moves."""
        return SelectionOptions(**{own: getattr(self, name) for name, own in _OPPONENT.items()})

    def of_side(self, side: int) -> SelectionOptions:
        """Return the options for the moves of a side, 0 first, 1 second."""
        return self if self.for_side in (None, SIDES[side]) else self.opponent

    def by_side(self, side: Column) -> Iterator[tuple[SelectionOptions, Column]]:
        """Yield the options for the moves of each side, with the rows that they apply to.

        Args:
            side: side of each row.
        """
        if self.for_side is None:
            yield self, True
            return
        for number in range(len(SIDES)):
            yield self.of_side(number), side == number

    @property
    def needs_graph(self) -> bool:
        """Whether a rule depends on which move leads where."""
        names = ("min_share", "top", "opponent_min_share", "opponent_top")
        among_siblings = any(getattr(self, name) is not None for name in names)
        is_other_basis = self.judged_by != ("reached" if self.shape == "positions" else "played")
        needed = self.connected or self.repetition is not None or is_other_basis
        return needed or (among_siblings and self.shape == "positions")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        return {name: _plain(getattr(self, name)) for name in OPTIONS} | (
            {"quality": FORMULA} if self.quality is None else {}
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave; options that an older recipe lacks have their defaults.

        Raises:
            SelectionError: an option is unknown, or a function judged repetitions or quality.
        """
        if unknown := [name for name in data if name not in OPTIONS]:
            raise SelectionError(f'option "{unknown[0]}" of the selection is unknown to this program')
        options = dict(data)
        repetition = options.get("repetition")
        if repetition is not None and repetition not in RULES_KNOWN:
            raise SelectionError(f"repetition is judged by {repetition}: only the codes can be repeated")
        quality = options.get("quality")
        if quality == FORMULA:
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


def _plain(value: Any) -> Any:  # noqa: ANN401 (any option's value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {name: str(weight) for name, weight in value.items()}
    if callable(value):
        return f"function {getattr(value, '__qualname__', value)}"
    return value
