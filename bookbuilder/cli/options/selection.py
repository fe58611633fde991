"""What commands share of the options of selection, which `SelectionOptions` declares."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, TypeAlias

import typer

from bookbuilder.cli.options.arguments import Side
from bookbuilder.games.position import Game, SideName, require_side_word, side_of
from bookbuilder.selection.options import OPTIONS, PresetName

in_selection = partial(typer.Option, rich_help_panel="What is kept")
Preset: TypeAlias = Annotated[
    PresetName | None, in_selection(metavar="NAME", help="engine (default), broad, repertoire, own-games …")
]


def flag(name: str) -> Any:  # noqa: ANN401 (typer says so)
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


def one_side(side: Side) -> SideName | None:
    """Return a side by its name, None for both."""
    return None if side == "both" else side_of(side)


def refuse_other_side(side: Side, game: Game) -> None:
    """Refuse a side that is named by a word of the other game."""
    if side != "both":
        require_side_word(side, game, "--side")
