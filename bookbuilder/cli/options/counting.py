"""The options of counting, as the fields of dataclasses."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from bookbuilder.archives.filters import GameFilter, RatingOf
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.fields import given_options
from bookbuilder.errors import OptionError
from bookbuilder.tally.options import OnError, TallyOptions

if TYPE_CHECKING:
    import typer

    from bookbuilder.games.position import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtering:
    """The filters of a command line. `GameFilter` gives names and defaults."""

    player: Annotated[
        list[str] | None, opt.in_games(metavar="NAME", help="Part of a player's name; may be repeated.")
    ] = None
    side: opt.SideOption = "both"
    min_rating: opt.MinRating = None
    max_rating: opt.MaxRating = None
    since: opt.Since = None
    until: opt.Until = None
    eco: Annotated[
        list[str] | None,
        opt.in_games(metavar="CODES", help="ECO or ECCO codes: C42, B20-B99, E; may be repeated."),
    ] = None
    time_control: opt.TimeControls = None
    tag: Annotated[
        list[str] | None,
        opt.in_games(metavar="TEST", help="Test of a tag: Name=Value, !=, >=, <= or Name~Regex."),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields by the names of `GameFilter` and `TallyOptions`."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        side = values.pop("side")
        # A side alone does not filter games: it is the side that a book is for.
        return {**values, "player_side": side} if side != "both" and self.player else values

    def require_player(self) -> None:
        """Refuse a side that is nobody's, where no book is for it."""
        if self.side != "both" and not self.player:
            raise OptionError("--side is the side of a --player: name one")

    def to_filter(self) -> GameFilter:
        """Return the filter."""
        return GameFilter(**self.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class AllFilters(Filtering):
    """All filters, for the command whose subject they are."""

    event: Annotated[
        list[str] | None,
        opt.in_games(hidden=True, metavar="NAME", help="Part of the event's name; may be repeated."),
    ] = None
    rating_of: Annotated[
        RatingOf,
        opt.in_games(
            hidden=True,
            metavar="WHICH",
            help="The rating that must be within the limits: both, either, or mean.",
        ),
    ] = "both"
    result: Annotated[
        list[str] | None,
        opt.in_games(hidden=True, metavar="RESULT", help="1-0, 0-1, 1/2-1/2 or *; may be repeated."),
    ] = None
    min_plies: Annotated[int, opt.in_games(hidden=True, min=0, help="Minimum number of recorded plies.")] = 0


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

    on_error: Annotated[
        OnError,
        opt.in_games(
            hidden=True, help="drop: skip invalid games; prefix: count their moves before the error."
        ),
    ] = "drop"
    variations: Annotated[
        bool,
        opt.in_games(
            "--variations", hidden=True, help="Count variations too: positions reached, without results."
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all. The store must keep them apart by facets."""

    since: opt.Since = None
    until: opt.Until = None
    min_rating: opt.MinRating = None
    max_rating: opt.MaxRating = None
    time_control: opt.TimeControls = None
    side: opt.SideOption = "both"

    def filters(self) -> GameFilter | None:
        """Return the filters; None if there are none."""
        values = asdict(self)
        side = values.pop("side")
        if side != "both":
            values["player_side"] = side
        if not any(values.values()):
            return None
        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**values, rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter."""
        if any(getattr(self, each.name) != each.default for each in fields(self)):
            raise OptionError(why)
