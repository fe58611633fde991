"""The options of a selection: what they are, which go together, and which rules they make for each side.

In come the words and numbers of a request; out go checked options, as values and as the JSON data of a
recipe.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Final, Literal, Self

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES, SideName
from bookbuilder.games.ruling import RULES_KNOWN, Rule
from bookbuilder.ratios import Counts
from bookbuilder.selection.candidates import Shape
from bookbuilder.selection.perpetuals import RepetitionJudge
from bookbuilder.selection.quality import FORMULA, QualityFunction, QualityWeights, parse_weights
from bookbuilder.selection.thresholds import Share, as_fraction, as_share
from bookbuilder.selection.weights import CountWeights, as_years

__all__ = ["Basis", "Rules", "SelectionOptions", "UndefinedP"]

UndefinedP = Literal["keep", "drop"]
"""What becomes of rows that nobody won or lost."""
Basis = Literal["reached", "played"]
"""Which games a move is judged by: all that reached the position after it, or those that played it."""

_CHOICES: Final[Mapping[str, tuple[str | None, ...]]] = {
    "side": (None, *SIDES),
    "for_side": (None, *SIDES),
    "undefined_p": ("keep", "drop"),
    "basis": (None, "reached", "played"),
    "shape": ("positions", "moves"),
}
_LEAST: Final = {"min_games": 0, "opponent_min_games": 0, "max_ply": 0, "top": 1, "opponent_top": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a side's moves must have.

    Attributes:
        min_win_rate: least P = W / (W + L).
        confident: whether the lower Wilson bound of P must be so high.
        min_games: fewest games.
        min_score: least (W + D / 2) / N; None = any.
        min_share: least share of the games that moved on from the position; None = any.
        top: how many moves a position keeps; None = all.
        undefined_p: what becomes of rows that nobody won.
    """

    min_win_rate: Fraction
    confident: bool = False
    min_games: int = 1
    min_score: Fraction | None = None
    min_share: Fraction | None = None
    top: int | None = None
    undefined_p: UndefinedP = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOptions:
    """The options of `select`, which tells what each means; shares and spans are taken exactly."""

    min_win_rate: Share = "0.55"
    confident: bool = False
    min_games: int = 1
    min_score: Share | None = None
    min_share: Share | None = None
    top: int | None = None
    max_ply: int | None = None
    side: SideName | None = None
    for_side: SideName | None = None
    opponent_min_win_rate: Share = 0
    opponent_min_games: int = 1
    opponent_min_share: Share | None = None
    opponent_top: int | None = None
    connected: bool = False
    undefined_p: UndefinedP = "keep"
    basis: Basis | None = None
    half_life: str | float | Fraction | None = None
    rating_half: int | None = None
    repetition: RepetitionJudge | Rule | None = None
    shape: Shape = "positions"
    quality: QualityFunction | QualityWeights | str | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning; take shares, spans and weights exactly."""
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                expected = " or ".join(str(each) for each in known)
                raise SelectionError(f"{name} is {getattr(self, name)}: expected {expected}")
        for name, least in _LEAST.items():
            number = getattr(self, name)
            if number is not None and number < least:
                raise SelectionError(f"{name} is {number}: expected at least {least}")
        for name in ("min_win_rate", "opponent_min_win_rate"):
            object.__setattr__(self, name, as_fraction(getattr(self, name)))
        for name in ("min_score", "min_share", "opponent_min_share"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_share(getattr(self, name)))
        if isinstance(self.repetition, str) and self.repetition not in RULES_KNOWN:
            codes = ", ".join(RULES_KNOWN)
            raise SelectionError(f"repetition is {self.repetition}: expected a function or one of {codes}")
        if self.half_life is not None:
            object.__setattr__(self, "half_life", as_years(self.half_life))
        if isinstance(self.quality, str | Mapping):
            object.__setattr__(self, "quality", parse_weights(self.quality))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        if self.side is not None and self.for_side is not None:
            raise SelectionError(
                "side keeps one side's moves only, for_side both sides': expected one of them"
            )
        asked = [name for name, default in _OPPONENT.items() if getattr(self, name) != default]
        if self.for_side is None and asked:
            raise SelectionError(f"{asked[0]} is of the opponent's moves: expected for_side beside it")
        CountWeights(rating_half=self.rating_half)

    @property
    def judged_by(self) -> Basis:
        """The basis that is meant: unless told, the one whose counts the shape stores."""
        return self.basis or ("reached" if self.shape == "positions" else "played")

    @property
    def count_weights(self) -> CountWeights:
        """How much a game counts."""
        half_life = None if self.half_life is None else as_years(self.half_life)
        return CountWeights(half_life=half_life, rating_half=self.rating_half)

    @property
    def rules(self) -> Rules:
        """The rules for all moves, or for those of the side that the book is for."""
        return Rules(
            min_win_rate=as_fraction(self.min_win_rate),
            confident=self.confident,
            min_games=self.min_games,
            min_score=_share(self.min_score),
            min_share=_share(self.min_share),
            top=self.top,
            undefined_p=self.undefined_p,
        )

    @property
    def opponent_rules(self) -> Rules:
        """The rules for the opponent's moves."""
        return Rules(
            min_win_rate=as_fraction(self.opponent_min_win_rate),
            min_games=self.opponent_min_games,
            min_share=_share(self.opponent_min_share),
            top=self.opponent_top,
        )

    def rules_of(self, side: int) -> Rules:
        """Return the rules for the moves of a side, 0 first, 1 second."""
        is_own = self.for_side is None or side == SIDES.index(self.for_side)
        return self.rules if is_own else self.opponent_rules

    def by_side(self, side: Counts) -> Iterator[tuple[Rules, npt.NDArray[np.bool_]]]:
        """Yield each set of rules with the rows that it is for, given the side of each row."""
        if self.for_side is None:
            yield self.rules, np.ones(side.shape, dtype=np.bool_)
            return
        for number in (0, 1):
            yield self.rules_of(number), side == number

    @property
    def needs_graph(self) -> bool:
        """Whether moves must be played on a board to tell what they lead to."""
        limits = (self.min_share, self.top, self.opponent_min_share, self.opponent_top)
        among_siblings = any(limit is not None for limit in limits)
        is_other_basis = self.judged_by != ("reached" if self.shape == "positions" else "played")
        asked = self.connected or self.repetition is not None or is_other_basis
        return asked or (among_siblings and self.shape == "positions")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        plain = {each.name: _plain(getattr(self, each.name)) for each in fields(self)}
        return {**plain, "quality": plain["quality"] or FORMULA}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave; what an older recipe does not name has its default.

        Raises:
            SelectionError: an option is unknown, or the quality came from a user's own formula.
        """
        known = {each.name for each in fields(cls)}
        if unknown := [name for name in data if name not in known]:
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

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, as JSON data."""
        plain = self.to_json()
        defaults = SelectionOptions().to_json()
        return {name: value for name, value in plain.items() if value != defaults[name]}


_OPPONENT: Final = {
    each.name: each.default for each in fields(SelectionOptions) if each.name.startswith("opponent_")
}


def _share(value: Share | None) -> Fraction | None:
    return None if value is None else as_fraction(value)


def _plain(value: Any) -> Any:  # noqa: ANN401 (whatever an option is)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {name: str(weight) for name, weight in value.items()}
    if callable(value):
        return f"function {getattr(value, '__qualname__', value)}"
    return value
