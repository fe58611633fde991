"""The options of counting, as the fields of dataclasses."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.fields import given_options
from bookbuilder.errors import OptionError
from bookbuilder.tally.options import TallyOptions

if TYPE_CHECKING:
    import typer

    from bookbuilder.games.position import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtering:
    """The filters of a command line. `GameFilter` gives names and defaults."""

    player: opt.Players = None
    side: opt.SideOption = "both"
    min_rating: opt.MinRating = None
    max_rating: opt.MaxRating = None
    since: opt.Since = None
    until: opt.Until = None
    eco: opt.Openings = None
    time_control: opt.TimeControls = None
    tag: opt.Tags = None

    def values(self) -> dict[str, Any]:
        """Return the fields by the names of `GameFilter` and `TallyOptions`."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        side = values.pop("side")
        # A side alone does not filter games: it is the side that a book is for.
        return {**values, "player_side": side} if side != "both" and self.player else values

    def to_filter(self) -> GameFilter:
        """Return the filter."""
        return GameFilter(**self.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class AllFilters(Filtering):
    """All filters, for the command whose subject they are."""

    event: opt.Events = None
    rating_of: opt.RatingOfOption = "both"
    result: opt.Results = None
    min_plies: opt.MinPlies = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting(Filtering):
    """The options of counting on a command line. `TallyOptions` gives names and defaults."""

    game: opt.GameOption = "auto"
    max_ply: opt.UsualMaxPly = None
    custom_starts: opt.CustomStarts = False
    dedupe: opt.DedupeOption = "off"
    limit: opt.Limit = None

    def to_options(self, game: Game) -> TallyOptions:
        """Return the options of a tally of that game."""
        return TallyOptions(game=game).changed({**self.values(), "game": game})

    def changes(self, context: typer.Context) -> dict[str, Any]:
        """Return the options that the user gives, for `TallyOptions.changed`."""
        given = set(given_options(context, (each.name for each in fields(self)))) | {"player_side"}
        return {name: value for name, value in self.values().items() if name in given and value != "auto"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCounting(Counting):
    """The options of counting into a store."""

    on_error: opt.OnErrorOption = "drop"
    variations: opt.Variations = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all. The store must keep them apart by facets."""

    since: opt.Since = None
    until: opt.Until = None
    min_rating: opt.MinRating = None
    max_rating: opt.MaxRating = None
    time_control: opt.TimeControls = None
    side: opt.SideOption = "both"

    def filters(self, facets: Container[str] = ("player-side",)) -> GameFilter | None:
        """Return the filters; None if there are none. A side counts if it is among the facets."""
        values = asdict(self)
        side = values.pop("side")
        if side != "both" and "player-side" in facets:
            values["player_side"] = side
        if not any(values.values()):
            return None
        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**values, rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter."""
        if any(getattr(self, each.name) != each.default for each in fields(self)):
            raise OptionError(why)
