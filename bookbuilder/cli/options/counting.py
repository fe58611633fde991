"""The options of counting as the fields of a dataclass, and commands that take the fields of dataclasses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Container, Iterable, Iterator
from copy import copy
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar, get_args, get_type_hints

from bookbuilder.archives.filters import GameFilter
from bookbuilder.cli.options import arguments as opt
from bookbuilder.errors import OptionError
from bookbuilder.tally.options import TallyOptions

if TYPE_CHECKING:
    import typer

    from bookbuilder.games.position import Game

P = ParamSpec("P")
R = TypeVar("R")


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
        """Return the filter.

        Raises:
            OptionError: a value is invalid.
        """
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
    max_ply: opt.MaxPly = None
    custom_starts: opt.CustomStarts = False
    dedupe: opt.DedupeOption = "off"
    limit: opt.Limit = None

    def to_options(self, game: Game) -> TallyOptions:
        """Return the options of a tally of that game.

        Raises:
            OptionError: an option is invalid.
        """
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


def given_options(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Return the names of those parameters that the command line sets."""
    sources = ((name, context.get_parameter_source(name)) for name in names)
    return [name for name, source in sources if source is not None and source.name == "COMMANDLINE"]


def spread(command: Callable[P, R]) -> Callable[..., R]:
    """Return a command that takes the fields of a dataclass instead of a parameter of that type.

    Typer derives the options of a command from its signature. Here the signature has the fields, with their
    annotations and defaults.
    """
    return spread_with()(command)


def spread_with(**usual: str) -> Callable[[Callable[P, R]], Callable[..., R]]:
    """Return `spread` with the defaults of some fields in words: what the command does without them."""

    def spread_out(command: Callable[P, R]) -> Callable[..., R]:
        signature = inspect.signature(command, eval_str=True)
        packed: dict[str, Any] = {
            name: each.annotation for name, each in signature.parameters.items() if _is_packed(each)
        }

        @functools.wraps(command)
        def taking_fields(**given: Any) -> R:  # noqa: ANN401 (whatever the options are)
            for name, kind in packed.items():
                given[name] = kind(**{each.name: given.pop(each.name) for each in fields(kind)})
            return command(**given)  # type: ignore[call-arg]  # by the signature below

        parameters = [one for each in signature.parameters.values() for one in _spread_out(each)]
        parameters = [
            _with_default(each, usual[each.name]) if each.name in usual else each for each in parameters
        ]
        taking_fields.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return taking_fields

    return spread_out


def _with_default(parameter: inspect.Parameter, words: str) -> inspect.Parameter:
    """Return a parameter whose help gives these words as its default."""
    kind, option = get_args(parameter.annotation)
    option = copy(option)
    option.show_default = words
    return parameter.replace(annotation=Annotated[kind, option])


def _is_packed(parameter: inspect.Parameter) -> bool:
    return isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)


def _spread_out(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    by_name = inspect.Parameter.KEYWORD_ONLY
    if not _is_packed(parameter):
        yield parameter.replace(kind=by_name)
        return
    hints = get_type_hints(parameter.annotation, include_extras=True)
    for each in fields(parameter.annotation):
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(each.name, by_name, default=default, annotation=hints[each.name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which games of a store are shown; the default is all."""

    since: opt.SinceYear = None
    until: opt.UntilYear = None
    min_rating: opt.MinMeanRating = None
    max_rating: opt.MaxMeanRating = None
    time_control: opt.Speeds = None
    side: opt.SideOption = "both"

    def filters(self, facets: Container[str] = ("player-side",)) -> GameFilter | None:
        """Return the filters; None if there are none. A side is one of the player if it is among the facets.

        Raises:
            OptionError: an option is invalid.
        """
        values = asdict(self)
        side = values.pop("side")
        if side != "both" and "player-side" in facets:
            values["player_side"] = side
        if not any(values.values()):
            return None
        is_rated = self.min_rating is not None or self.max_rating is not None
        return GameFilter(**values, rating_of="mean" if is_rated else "both")

    def refuse(self, why: str) -> None:
        """Refuse any filter.

        Raises:
            OptionError: there is a filter; `why` is the message.
        """
        if any(getattr(self, each.name) != each.default for each in fields(self)):
            raise OptionError(why)
