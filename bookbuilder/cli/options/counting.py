"""The options of counting, as the fields of dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

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
