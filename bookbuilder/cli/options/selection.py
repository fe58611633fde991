"""The options of selection on the command line, derived from their declaration in `SelectionOptions`."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import typer

from bookbuilder.games.position import SideName
from bookbuilder.games.ruling import Rule
from bookbuilder.selection.options import OPTIONS, Option, SelectionOptions, Shape, UndefinedP

_Class = TypeVar("_Class", bound=type)
Side: TypeAlias = Literal["both", "first", "second"]
"""The sides whose moves are kept."""


def _ratio(text: str) -> str:
    """Reject a text that is not a decimal number from 0 to 1; the text itself stays exact."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise typer.BadParameter(f'"{text}" is not a decimal number such as 0.55') from None
    if not 0 <= value <= 1:
        raise typer.BadParameter(f"{text} is not from 0 to 1")
    return text


def _flag(name: str) -> Any:  # noqa: ANN401 (typer says so)
    """Return the option of the command line that sets an option of selection."""
    option = OPTIONS[name]
    return typer.Option(
        option.flag,
        help=option.meaning,
        metavar=option.metavar,
        min=option.minimum,
        rich_help_panel=option.panel,
        show_default=option.shown or True,
        callback=_ratio if name == "min_win_rate" else None,
    )


def _value_type(option: Option) -> Any:  # noqa: ANN401 (a type)
    if option.unset:
        return Literal[(*option.words,)]
    return option.kind | None if option.default is None else option.kind


def _default(option: Option) -> Any:  # noqa: ANN401 (any option's value)
    value = option.unset if option.default is None else option.default
    return str(value) if option.kind is str and value is not None else value


def _with_flags(target: _Class) -> _Class:
    """Give a class a field for each option of selection that has a flag."""
    derived = {name: option for name, option in OPTIONS.items() if option.flag}
    for name, option in derived.items():
        setattr(target, name, _default(option))
    types = {name: Annotated[_value_type(option), _flag(name)] for name, option in derived.items()}
    target.__annotations__ = {**types, **target.__annotations__}
    return target


MinWinRate: TypeAlias = Annotated[str, _flag("min_win_rate")]
MinGames: TypeAlias = Annotated[int, _flag("min_games")]
Confident: TypeAlias = Annotated[bool, _flag("confident")]
SideOption: TypeAlias = Annotated[Side, _flag("side")]
UndefinedOption: TypeAlias = Annotated[UndefinedP, _flag("undefined_p")]
RepetitionSafe: TypeAlias = Annotated[
    bool,
    typer.Option("--repetition-safe", help=OPTIONS["repetition"].meaning, rich_help_panel="What is kept"),
]
RepetitionRule: TypeAlias = Annotated[
    Rule,
    typer.Option(
        "--repetition-rule", help="The code that judges repetitions.", rich_help_panel="What is kept"
    ),
]


@dataclass(frozen=True, kw_only=True)
@_with_flags
class Selecting:
    """The values of these options: a field for each option that has a flag, and two for repetition."""

    repetition_safe: RepetitionSafe = False
    repetition_rule: RepetitionRule = "axf"

    def to_options(self, *, max_ply: int | None = None, shape: Shape = "positions") -> SelectionOptions:
        """Return the options of a selection.

        Raises:
            SelectionError: an option is not valid, or two contradict each other.
        """
        given = {name: getattr(self, name) for name, option in OPTIONS.items() if option.flag}
        rule = self.repetition_rule if self.repetition_safe else None
        return SelectionOptions(**given, max_ply=max_ply, shape=shape, repetition=rule)


def one_side(side: Side) -> SideName | None:
    """Return a side by its name, None for both."""
    return None if side == "both" else side
