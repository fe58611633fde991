"""The options of a count: which games, positions and moves are counted, and the limits of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, Self, TypeAlias, TypedDict, get_args

from bookbuilder.archives.filters import FACETS, Facet, FilterArguments, GameFilter
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import as_integer, require_known

Check: TypeAlias = Literal["prefix", "full"]
"""How far games are resolved."""

OnError: TypeAlias = Literal["drop", "prefix"]
"""What is counted of a bad game."""

Dedupe: TypeAlias = Literal["off", "exact", "players", "prefix"]
"""Which games are copies of others."""

Progress: TypeAlias = Callable[[int, int, int], None]
"""Called several times a second with (bytes read, games read, rejects)."""

MAX_PLY: Final = 0xFFFF
"""The largest ply that a tally can be limited to: the core has 16 bits for it."""

MAX_JOBS: Final = 1024
"""The largest number of threads: more than machines have processors."""

_CHOICES: Final = {"check": Check, "on_error": OnError, "dedupe": Dedupe}


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyOptions:
    """The options that change the rows of a tally. Tallies add up only if these are equal.

    The core reads the attributes of this value; JSON and the command line follow its fields.

    Attributes:
        game: the game.
        max_ply: positions after 0 … max_ply plies are counted; None = all.
        check: `prefix` = moves beyond max_ply are not resolved; `full` = every game is played to its end.
            `dedupe` implies `full`.
        on_error: what is counted of a bad game: nothing (`drop`) or its legal beginning (`prefix`).
        custom_starts: whether games that do not begin at the start position are counted.
        variations: whether the variations of a game are counted too. A position that only variations reach
            counts once a game, without a result. A further move from a counted position gets its own row with
            0 games. Wins, draws, losses and ratings are of main lines only.
        fold: whether left-right mirrors are one position (xiangqi; chess has no such mirror).
        filters: which games are counted.
        facets: what a store keeps apart, so that it can be filtered without its archives: `year`, `rating`
            (bands of the mean of the known ratings), `speed` (class of the time control), `player-side` (the
            side of the player that the filters name). A tally in memory keeps nothing apart.
        dedupe: which games are skipped as copies of others: none (`off`), games with the same moves and
            result (`exact`), games with the same moves, surnames and date (`players`), or games whose moves
            begin those of another game (`prefix`).
        limit: number of games counted, duplicates included, after which a run stops; None = none.

    Raises:
        OptionError: an option is invalid.
    """

    game: Game
    max_ply: int | None = None
    check: Check = "prefix"
    on_error: OnError = "drop"
    custom_starts: bool = False
    variations: bool = False
    fold: bool = True
    filters: GameFilter = GameFilter()  # noqa: RUF009 (frozen)
    facets: tuple[Facet, ...] = ()
    dedupe: Dedupe = "off"
    limit: int | None = None

    def __post_init__(self) -> None:
        """Reject invalid values, and settle `fold`, which chess does not have, and `check`."""
        as_game(self.game)
        for name, kind in _CHOICES.items():
            known = get_args(kind)
            if getattr(self, name) not in known:
                expected = f"{', '.join(known[:-1])} or {known[-1]}"
                raise OptionError(f'{name} "{getattr(self, name)}" is unknown: expected {expected}')
        object.__setattr__(self, "max_ply", as_integer("max_ply", self.max_ply, 0, MAX_PLY))
        object.__setattr__(self, "limit", as_integer("limit", self.limit, 1))
        object.__setattr__(self, "fold", self.fold and self.game == "xiangqi")
        if strange := set(self.facets) - set(FACETS):
            raise OptionError(f"facet {', '.join(sorted(strange))} is unknown: expected {', '.join(FACETS)}")
        object.__setattr__(self, "facets", tuple(each for each in FACETS if each in self.facets))
        if "player-side" in self.facets and not self.filters.player:
            raise OptionError("the facet player-side is the side of a player: name one with --player")
        if self.facets and self.custom_starts:
            raise OptionError("facets need games from the start position: leave custom_starts out")
        if self.dedupe != "off":
            object.__setattr__(self, "check", "full")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        data = asdict(self)
        filters = data.pop("filters").items()
        facets = list(data.pop("facets"))
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in filters}
        return {**data, "filters": plain, **({"facets": facets} if facets else {})}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options from the result of `to_json`.

        Raises:
            TypeError: an option is unknown.
        """
        return cls(**{**data, "filters": GameFilter(**data.get("filters", {}))})

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return these options with some changed. The fields of `filters` are named like options."""
        names = {each.name for each in fields(GameFilter)}
        filters = {name: value for name, value in changes.items() if name in names}
        rest = {name: value for name, value in changes.items() if name not in names}
        changed = replace(rest.pop("filters", None) or self.filters, **filters)
        return replace(self, filters=changed, **rest)

    def differences(self, other: TallyOptions) -> dict[str, tuple[Any, Any]]:
        """Return the values of both for each option or filter in which they differ."""
        mine, theirs = ({**asdict(each), **asdict(each.filters), "filters": None} for each in (self, other))
        return {name: (mine[name], theirs[name]) for name in mine if mine[name] != theirs[name]}

    def differences_in_words(self, other: TallyOptions, *, named: Callable[[str], str] = str) -> str:
        """Return the names of these options, by a function, with both values; empty if there are none."""
        found = self.differences(other).items()
        return "; ".join(
            f"{named(name)} {_shown(own)} against {_shown(given)}" for name, (own, given) in found
        )

    def require(self, other: TallyOptions, where: object) -> None:
        """Refuse other options than these, with which the store at `where` was counted.

        Raises:
            StoreError: they differ; the message names the differences.
        """
        if self.game != other.game:
            raise StoreError(
                f"{where}: tallies of {self.game} and of {other.game} do not add up; name stores of one game"
            )
        if words := self.differences_in_words(other, named=flag_of):
            raise StoreError(f"{where}: was counted with other options: {words}")


_FLAGS: Final = {"limit": "--max-games", "player_side": "--side", "facets": "--facet"}
_OF_PYTHON: Final = frozenset(
    ("check", "on_error", "variations", "fold", "rating_of", "result", "event", "min_plies")
)


def flag_of(name: str) -> str:
    """Return the option of the command line for an option or filter; its own name if only Python has it."""
    return name if name in _OF_PYTHON else _FLAGS.get(name, f"--{name.replace('_', '-')}")


def _shown(value: object) -> object:
    return "none" if value in (None, ()) else ", ".join(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """The limits of a run, and what it reports on the way. They never change the tally.

    The core reads the attributes of this value.

    Raises:
        OptionError: a limit is invalid.
    """

    # Bytes that the process may have in memory. None = no limit for a tally in memory; for a store half
    # of the machine's memory, at most 2 GiB. The program itself, about 150 MiB, is part of it. A run
    # takes at least 16 MiB more than that.
    memory: int | None = None
    jobs: int | None = None  # threads; None = one for each processor
    # Bytes that each file's compressed data may become; None = 1 GiB or a hundred times the file's
    # size, whichever is more.
    max_inflate: int | None = None
    keep_rejected: bool = False  # whether to keep the text of rejected games
    progress: Progress | None = None  # called several times a second

    def __post_init__(self) -> None:
        """Reject invalid values."""
        as_integer("memory", self.memory, 1)
        as_integer("max_inflate", self.max_inflate, 1)
        as_integer("jobs", self.jobs, 1, MAX_JOBS)

    @property
    def threads(self) -> int:
        """The number of threads."""
        return self.jobs or os.cpu_count() or 1


class LimitArguments(TypedDict, total=False):
    """The fields of `RunLimits` as keyword arguments."""

    memory: int | None
    jobs: int | None
    max_inflate: int | None
    keep_rejected: bool
    progress: Progress | None


class CountArguments(FilterArguments, LimitArguments, total=False):
    """The fields of `TallyOptions`, except the game, and of `GameFilter` and `RunLimits`."""

    max_ply: int | None
    check: Check
    on_error: OnError
    custom_starts: bool
    variations: bool
    fold: bool
    filters: GameFilter
    facets: Sequence[Facet]
    dedupe: Dedupe
    limit: int | None


def parted(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], RunLimits]:
    """Return the options of a count and the limits of a run from keyword arguments that name both.

    Raises:
        TypeError: an argument is unknown.
    """
    require_known(arguments, CountArguments.__annotations__)
    names = LimitArguments.__annotations__
    limits = {name: value for name, value in arguments.items() if name in names}
    options = {name: value for name, value in arguments.items() if name not in names}
    return options, RunLimits(**limits)
