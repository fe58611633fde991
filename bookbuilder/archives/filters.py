"""Filters: which games are counted.

The core applies the filters before it resolves a move, and counts the games that each filter skips. A game
without the information that a filter needs (a rating, a date, an opening …) is skipped. A store with facets
answers some filters without its archives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, Self, TypeAlias, TypedDict, get_args

from bookbuilder.errors import OptionError
from bookbuilder.games.position import side_of
from bookbuilder.keywords import as_integer

Facet: TypeAlias = Literal["year", "rating", "speed", "player-side"]
"""A property by which a store can keep games apart."""
FACETS: Final[tuple[Facet, ...]] = get_args(Facet)
"""All facets, in the order in which a store names them."""

RatingOf: TypeAlias = Literal["both", "either", "mean"]
"""The ratings of a game that must be within the limits."""

PlayerSide: TypeAlias = Literal["any", "first", "second", "white", "black", "red"]
"""The side of a player."""

FACET_FILTERS: Final = (
    "min_rating",
    "max_rating",
    "rating_of",
    "since",
    "until",
    "time_control",
    "player_side",
)
"""The filters that a store with facets can answer."""

_LARGEST: Final = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFilter:
    """Which games are counted; the default is all. Of several values in one tuple, one must match.

    Attributes:
        min_rating: minimum rating.
        max_rating: maximum rating.
        rating_of: which rating: of `both` players, of `either`, or the `mean` of the known ones.
        since: first date: `2010`, `2010-05` or `2010-05-17`. A game with an incomplete date stays if it may
            lie between the bounds.
        until: last date, in the same forms.
        result: `1-0`, `0-1`, `1/2-1/2`, `*` (unknown).
        player: parts of names, ignoring case. The whole name: `tag=["White=Name"]`.
        player_side: the side that the player must have, such as `white`, `red` or `any`; stored as `first`
            or `second`.
        event: parts of events, ignoring case.
        eco: codes or ranges of ECO or ECCO: `C42`, `B20-B99`, `B2` (B20 to B29), `E`.
        time_control: as the tag has it (`300+3`), or a class of lichess, by base + 40 × increment:
            `ultrabullet`, `bullet`, `blitz`, `rapid`, `classical`.
        min_plies: minimum number of recorded plies, legal or not.
        tag: tests that must all be true: `Name=Value`, `Name!=Value`, `Name>=Value`, `Name<=Value` (numbers
            if both are, else texts), `Name~Regex`.

    Raises:
        OptionError: a value is invalid.

    Example:
        >>> GameFilter(min_rating=2400, since="2010", eco=["B20-B99"]).eco
        ('B20-B99',)
    """

    min_rating: int | None = None
    max_rating: int | None = None
    rating_of: RatingOf = "both"
    since: str | None = None
    until: str | None = None
    result: tuple[str, ...] = ()
    player: tuple[str, ...] = ()
    player_side: PlayerSide = "any"
    event: tuple[str, ...] = ()
    eco: tuple[str, ...] = ()
    time_control: tuple[str, ...] = ()
    min_plies: int = 0
    tag: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject invalid values, and bring each value into one form, so that equal filters compare equal."""
        for name in ("min_rating", "max_rating", "min_plies"):
            object.__setattr__(self, name, as_integer(name, getattr(self, name), 0, _LARGEST))
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, tuple):
                object.__setattr__(
                    self, field.name, (value,) if isinstance(value, str) else tuple(value or ())
                )
        if self.player_side not in get_args(PlayerSide):
            known = ", ".join(get_args(PlayerSide))
            raise OptionError(f"player_side is {self.player_side}: expected one of {known}")
        if self.player_side != "any":
            object.__setattr__(self, "player_side", side_of(self.player_side))
        for name in ("since", "until"):
            if date := getattr(self, name):
                # `2010.5` becomes `2010-05`.
                parts = re.split(r"[-./]", str(date).strip())
                object.__setattr__(self, name, "-".join(part.zfill(2) for part in parts))
        if any(getattr(self, field.name) != field.default for field in fields(self)):
            from bookbuilder import _core  # `doctor` must start without the core

            _core.check_filters(self)
        if self.since and self.until and self.since > _last_day(self.until):
            raise OptionError(
                f"--since {self.since} is after --until {self.until}: no game is of both; exchange the dates"
            )
        low, high = self.min_rating, self.max_rating
        if low is not None and high is not None and low > high:
            raise OptionError(
                f"--min-rating {low} is above --max-rating {high}: no rating is within; exchange the limits"
            )

    def narrowed(self, asked: Self) -> Self:
        """Return the filter that a game passes if it passes this one and another.

        Args:
            asked: a filter by dates, ratings, time controls and the side of the player only.

        Raises:
            OptionError: no single filter means both.

        Example:
            >>> filters = GameFilter(since="2010").narrowed(GameFilter(until="2020"))
            >>> filters.since, filters.until
            ('2010', '2020')
        """
        changes: dict[str, Any] = {
            "since": max(filter(None, (self.since, asked.since)), default=None),
            "until": min(filter(None, (self.until, asked.until)), key=_last_day, default=None),
            "min_rating": max(_known(self.min_rating, asked.min_rating), default=None),
            "max_rating": min(_known(self.max_rating, asked.max_rating), default=None),
        }
        is_rated, asks_ratings = (bool(_known(each.min_rating, each.max_rating)) for each in (self, asked))
        if asks_ratings:
            if is_rated and self.rating_of != asked.rating_of:
                raise OptionError(f"rating_of {asked.rating_of}: counted by ratings of {self.rating_of}")
            changes["rating_of"] = asked.rating_of
        if asked.time_control:
            if self.time_control and not set(asked.time_control) <= set(self.time_control):
                raise OptionError(f"time_control: counted with {', '.join(self.time_control)} alone")
            changes["time_control"] = asked.time_control
        if asked.player_side != "any":
            if self.player_side not in ("any", asked.player_side):
                raise OptionError(f"player_side: counted with {self.player_side} alone")
            changes["player_side"] = asked.player_side
        return replace(self, **changes)


class FilterArguments(TypedDict, total=False):
    """The fields of `GameFilter` as keyword arguments."""

    min_rating: int | None
    max_rating: int | None
    rating_of: RatingOf
    since: str | None
    until: str | None
    result: str | Sequence[str]
    player: str | Sequence[str]
    player_side: PlayerSide
    event: str | Sequence[str]
    eco: str | Sequence[str]
    time_control: str | Sequence[str]
    min_plies: int
    tag: str | Sequence[str]


def _known(*numbers: int | None) -> list[int]:
    return [number for number in numbers if number is not None]


def _last_day(date: str) -> str:
    """Return a text that sorts after all days that the date may mean."""
    return f"{date}-99"
