"""The options of all commands that print tables: `--wide` and `--color`.

They are added to the commands in one place, because no command does anything with them itself.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from bookbuilder.cli.terminal import ColorChoice, set_display

__all__ = ["add_display_options"]


def _set_wide(value: bool) -> bool:
    set_display(is_wide=value)
    return value


def _set_color(value: ColorChoice) -> ColorChoice:
    set_display(color=value)
    return value


def _display(
    wide: Annotated[
        bool,
        typer.Option(
            "--wide",
            help="Show all columns of tables, however narrow the terminal is.",
            callback=_set_wide,
            expose_value=False,
            hidden=True,
            rich_help_panel="Output",
        ),
    ] = False,
    color: Annotated[
        ColorChoice,
        typer.Option(
            "--color",
            help="Colours in tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
            callback=_set_color,
            expose_value=False,
            hidden=True,
            rich_help_panel="Output",
        ),
    ] = "auto",
) -> None:
    """Carry the two options."""


@cache
def _options() -> list[Any]:
    app = typer.Typer(add_completion=False)
    app.command()(_display)
    return [each for each in typer.main.get_command(app).params if each.name in {"wide", "color"}]


def add_display_options(command: Any) -> Any:  # noqa: ANN401 (typer does not export the class of commands)
    """Return a command with these options, or a group whose commands have them.

    A command that prints tables has --json for the same answer, so this is how they are found.
    """
    for each in getattr(command, "commands", {}).values():
        add_display_options(each)
    if any(parameter.name == "json" for parameter in command.params):
        command.params.extend(_options())
    return command
