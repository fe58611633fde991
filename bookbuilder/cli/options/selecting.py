"""The options of selection on the command line, derived from their declaration in `SelectionOptions`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import typer

from bookbuilder.cli.options.arguments import Side
from bookbuilder.cli.options.fields import given_options
from bookbuilder.cli.options.selection import Preset, flag, in_selection
from bookbuilder.games.ruling import Rule
from bookbuilder.selection.options import OPTIONS, SelectionOptions, Shape, preset

_Class = TypeVar("_Class", bound=type)


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
        types[name] = Annotated[kind, flag(name)]
        setattr(target, name, default)
    target.__annotations__ = {**target.__annotations__, **types}
    return target


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
        """Return the options of a selection for a side: those of the preset, changed by the given ones."""
        flags = [name for name, option in OPTIONS.items() if option.flag and name != "for_side"]
        given = {name: getattr(self, name) for name in given_options(context, flags)} | changes
        if side != "both":
            given["for_side"] = side
        name = self.preset or ("repertoire" if "for_side" in given else "engine")
        rule: Rule | None = "axf" if self.repetition_safe else None
        return preset(name, **given, shape=shape, repetition=rule)
