"""The options of counting: which games, positions and moves a tally has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, Literal, Self

from bookbuilder.archives.filters import FACETS, Facet, GameFilter
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, as_game

__all__ = ["TallyOptions"]


_CHOICES: Final = {
    "check": ("prefix", "full"),
    "on_error": ("drop", "prefix"),
    "dedupe": ("off", "exact", "players", "prefix"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyOptions:
    """The options that change which rows a tally has; tallies add up only if these are equal.

    Attributes:
        game: the game.
        max_ply: positions after 0 … max_ply plies are counted; None = all.
        check: `prefix` = moves beyond max_ply are not resolved; `full` = every game is played to its end;
            `dedupe` implies it.
        on_error: whether of a bad game nothing is counted (`drop`) or its legal beginning (`prefix`).
        custom_starts: whether games that do not begin at the start position are counted.
        variations: whether the variations of a game are counted too. A position that only variations reach
            counts once a game, without a result; a further move from a position that has counted gets a row
            of its own with 0 games. Wins, draws, losses and ratings are those of main lines.
        fold: whether left-right mirrors are one position (xiangqi; chess has no such mirror).
        filters: which games are counted.
        facets: what a store keeps apart, so that it can be filtered by without its archives: `year`, `rating`
            (bands of the mean of the known ratings), `speed` (class of the time control), `player-side` (the
            side of the player that the filters name). A tally in memory keeps nothing apart.
        dedupe: which games are left out as copies of others: none (`off`), those with the same moves and
            result (`exact`), with the same moves, surnames and date (`players`), or whose moves begin those
            of another game (`prefix`).
        limit: number of games counted, duplicates included, after which a run stops; None = none.
    """

    game: Game
    max_ply: int | None = None
    check: Literal["prefix", "full"] = "prefix"
    on_error: Literal["drop", "prefix"] = "drop"
    custom_starts: bool = False
    variations: bool = False
    fold: bool = True
    filters: GameFilter = GameFilter()  # noqa: RUF009 (frozen)
    facets: tuple[Facet, ...] = ()
    dedupe: Literal["off", "exact", "players", "prefix"] = "off"
    limit: int | None = None

    def __post_init__(self) -> None:
        """Refuse what has no meaning; settle `fold`, which chess does not have, and `check`."""
        as_game(self.game)
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                expected = f"{', '.join(known[:-1])} or {known[-1]}"
                raise OptionError(f'{name} "{getattr(self, name)}" is unknown: expected {expected}')
        for name, value, least in (("max_ply", self.max_ply, 0), ("limit", self.limit, 1)):
            if value is not None and value < least:
                raise OptionError(f"{name} is {value}: expected at least {least}")
        object.__setattr__(self, "fold", self.fold and self.game == "xiangqi")
        if strange := set(self.facets) - set(FACETS):
            raise OptionError(f"facet {', '.join(sorted(strange))} is unknown: expected {', '.join(FACETS)}")
        object.__setattr__(self, "facets", tuple(each for each in FACETS if each in self.facets))
        if "player-side" in self.facets and not self.filters.player:
            raise OptionError("the facet player-side is the side of a player: name one with --player")
        if self.dedupe != "off":
            object.__setattr__(self, "check", "full")

    def to_json(self) -> dict[str, Any]:
        """Return the options as JSON data."""
        filters = asdict(self.filters).items()
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in filters}
        # Without facets they are not named: recipes of books are what they were before there were any.
        facets = {"facets": list(self.facets)} if self.facets else {}
        rest = {name: value for name, value in asdict(self).items() if name not in ("filters", "facets")}
        return {**rest, "filters": plain, **facets}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the options that `to_json` gave.

        Raises:
            TypeError: an option is unknown.
        """
        rest = {name: value for name, value in data.items() if name != "filters"}
        return cls(**rest, filters=GameFilter(**data.get("filters", {})))

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return these options with others in place of some; filters are named like options.

        Example:
            >>> TallyOptions(game="chess").changed({"max_ply": 40, "min_rating": 2400}).filters.min_rating
            2400
        """
        names = {each.name for each in fields(GameFilter)}
        filters = {name: value for name, value in changes.items() if name in names}
        rest = {name: value for name, value in changes.items() if name not in names}
        return replace(self, filters=replace(self.filters, **filters), **rest)

    def differences(self, other: TallyOptions) -> list[str]:
        """Return one line for each option or filter in which the two differ.

        Example:
            >>> TallyOptions(game="chess", max_ply=40).differences(TallyOptions(game="chess"))
            ['max_ply 40 against None']
        """
        mine, theirs = ({**asdict(each), **asdict(each.filters), "filters": None} for each in (self, other))
        return [f"{name} {mine[name]} against {theirs[name]}" for name in mine if mine[name] != theirs[name]]
