"""The options of selection on the command line, derived from their declaration in `SelectionOptions`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import typer

from bookbuilder.cli.options.arguments import Side
from bookbuilder.cli.options.fields import given_options
from bookbuilder.games.position import Game, SideName, require_side_word, side_of
from bookbuilder.games.ruling import Rule
from bookbuilder.selection.options import OPTIONS, PresetName, SelectionOptions, Shape, preset

_Class = TypeVar("_Class", bound=type)

in_selection = partial(typer.Option, rich_help_panel="What is kept")
Preset: TypeAlias = Annotated[
    PresetName | None, in_selection(metavar="NAME", help="engine (default), broad, repertoire, own-games …")
]


def _flag(name: str) -> Any:  # noqa: ANN401 (typer says so)
    """Return the option of the command line that sets an option of selection."""
    option = OPTIONS[name]

    def check(value: Any) -> Any:  # noqa: ANN401 (any option's value)
        # An invalid value is refused before archives are read.
        if value is not None:
            option.checked(option.flag or "", value)
        return value

    return typer.Option(
        option.flag or "",
        help=option.meaning,
        metavar=option.metavar,
        min=None if option.unset else option.minimum,
        max=None if option.unset else option.maximum,
        rich_help_panel=option.panel,
        show_default=option.shown or True,
        hidden=not option.is_usual,
        callback=check if option.parse is not None or option.unset else None,
    )


def _with_flags(target: _Class) -> _Class:
    """Give a class a field for each option of selection that has a flag."""
    types: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if not option.flag or name == "for_side":
            continue
        kind: Any = option.kind | None if option.default is None else option.kind
        default = option.unset if option.default is None else option.default
        if option.unset:  # a word, or a number or a word
            kind = Literal[(*option.words,)] if option.words else str
        if option.kind is str or kind is str:
            default = None if default is None else str(default)
        types[name] = Annotated[kind, _flag(name)]
        setattr(target, name, default)
    target.__annotations__ = {**target.__annotations__, **types}
    return target


@dataclass(frozen=True, kw_only=True)
class Judging:
    """The options that judge the moves at one position."""

    preset: Preset = None
    min_win_rate: Annotated[str, _flag("min_win_rate")] = "0"
    min_games: Annotated[str, _flag("min_games")] = "auto"
    margin: Annotated[str, _flag("margin")] = "0.05"

    def to_options(self, context: typer.Context) -> SelectionOptions:
        """Return the options of the preset, changed by the given ones."""
        given = given_options(context, ("min_win_rate", "min_games", "margin"))
        return preset(self.preset or "engine", **{name: getattr(self, name) for name in given})


@dataclass(frozen=True, kw_only=True)
@_with_flags
class Selecting:
    """The values of these options: a field for each option that has a flag, the preset and repetition."""

    preset: Preset = None
    repetition_safe: Annotated[
        bool, in_selection("--repetition-safe", help=OPTIONS["repetition"].meaning, hidden=True)
    ] = False

    def to_options(
        self,
        context: typer.Context,
        *,
        side: Side = "both",
        shape: Shape = "positions",
        **changes: Any,  # noqa: ANN401
    ) -> SelectionOptions:
        """Return the options of a selection for a side: the options of the preset, changed by the given ones.

        Args:
            context: the command line.
            side: the side.
            shape: what a row is.
            **changes: further options.
        """
        flags = [name for name, option in OPTIONS.items() if option.flag and name != "for_side"]
        given = {name: getattr(self, name) for name in given_options(context, flags)} | changes
        if side != "both":
            given["for_side"] = side
        name = self.preset or ("repertoire" if "for_side" in given else "engine")
        rule: Rule | None = "axf" if self.repetition_safe else None
        return preset(name, **given, shape=shape, repetition=rule)


def one_side(side: Side) -> SideName | None:
    """Return a side by its name, None for both."""
    return None if side == "both" else side_of(side)


def refuse_other_side(side: Side, game: Game) -> None:
    """Refuse a side that is named by a word of the other game."""
    if side != "both":
        require_side_word(side, game, "--side")
