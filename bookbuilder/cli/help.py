"""The help of commands: plain text of 80 columns, with the everyday options first.

`--help` shows the usual options of a command, `--help-all` also the options declared `hidden`.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from bookbuilder.cli.console import ColorChoice, set_display, set_notation
from bookbuilder.cli.examples import EXAMPLES
from bookbuilder.cli.options.arguments import OUTPUT, Quiet

_WIDTH: Final = 80
_NAME_WIDTH: Final = 21
"""Longest name that shares its line with the text."""
_HELP_ALL: Final = "--help-all"
_PANELS: Final = (
    "",
    "Games",
    "Games (of a store counted with --facet)",
    "What is kept",
    "Engines",
    "Book",
    "Search",
    "Options",
    "Output",
)
"""The order of the groups of options."""
_WORDS_WIDTH: Final = 14
"""Longest list of words that stands in place of a value."""
_VALUES: Final[dict[Any, str]] = {int: "N", float: "X", Path: "FILE", str: "TEXT"}


def _display(
    quiet: Quiet = False,
    wide: Annotated[
        bool,
        typer.Option(
            "--wide",
            help="Show all columns of tables, however narrow the terminal is.",
            callback=lambda value: set_display(is_wide=value),
            hidden=True,
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    color: Annotated[
        ColorChoice,
        typer.Option(
            "--color",
            help="Colours in tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
            callback=lambda value: set_display(color=value),
            hidden=True,
            rich_help_panel=OUTPUT,
        ),
    ] = "auto",
    notation: Annotated[
        Literal["san", "uci", "iccs", "wxf", "chinese", "chinese-traditional"] | None,
        typer.Option(
            "--notation",
            help="How moves are shown.",
            show_default="by the language",
            callback=set_notation,
            hidden=True,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Carry the options of all commands: how answers are displayed."""


@cache
def _display_options() -> list[Any]:
    """Return the options of all commands. Their callbacks do the work, so that commands do not take them."""
    app = typer.Typer(add_completion=False)
    app.command()(_display)
    options = [each for each in typer.main.get_command(app).params if each.name != "help"]
    for each in options:
        each.expose_value = False
    return options


_F = TypeVar("_F", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command with plain help, `--help-all`, and the options that all commands have.

    Attributes:
        shown_panels: panels whose options `--help` shows, even those declared `hidden`.
    """

    shown_panels: tuple[str, ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (as above)
        """Parse a command line."""
        if _HELP_ALL in itertools.takewhile(lambda word: word != "--", args):
            ctx.meta[_HELP_ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 (as above)
        """Return the parameters, with the options that all commands have."""
        *own, last = super().get_params(ctx)
        names = {each.name for each in own}
        return [*own, *(each for each in _display_options() if each.name not in names), last]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (as above)
        """Write the help."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
        shows_all = _HELP_ALL in ctx.meta
        yield from _wrapped(self.help or "")
        yield ""
        # `tally` is the usual name of `tally add`.
        path = ctx.command_path.removesuffix(" add")
        yield f"{_strong('Usage:')} {path} {' '.join(self._usage())}"
        panels = self._panels(ctx, shows_all=shows_all)
        records = {panel: [_record(each) for each in params] for panel, params in panels.items()}
        # The arguments stand below the usage, without a heading.
        lines = list(_listed({"": records.pop("", []), **records}))
        count = next((number for number, line in enumerate(lines[2:], start=2) if not line), len(lines))
        yield from lines[2:count]
        yield from _examples(path)
        yield from lines[count:]
        further = sum(self._is_further(each) for each in self.get_params(ctx))
        if further and not shows_all:
            yield from ("", f"{further} more options: {path} --help-all")
        if self.epilog:
            yield from ("", *_wrapped(self.epilog))

    def _is_further(self, parameter: Any) -> bool:  # noqa: ANN401 (as above)
        """Whether --help leaves an option to --help-all."""
        return bool(parameter.hidden) and parameter.rich_help_panel not in self.shown_panels

    def _usage(self) -> Iterator[str]:
        yield "[OPTIONS]"
        for each in self.params:
            if each.param_type_name == "argument":
                name = _argument_name(each) + ("..." if each.nargs != 1 else "")
                yield name if each.required else f"[{name}]"

    def _panels(self, ctx: Any, *, shows_all: bool) -> dict[str, list[Any]]:  # noqa: ANN401
        """Return the parameters by panel, in the order of their declaration."""
        panels: dict[str, list[Any]] = {}
        params: list[Any] = list(self.get_params(ctx))
        for each in params:
            if shows_all or not self._is_further(each):
                is_argument = each.param_type_name == "argument"
                is_help = each.name == "help"
                panel = "" if is_argument else each.rich_help_panel or ("Output" if is_help else "Options")
                panels.setdefault(panel, []).append(each)
        order = [*(each for each in panels if each not in _PANELS), *_PANELS]
        return {panel: panels[panel] for panel in sorted(panels, key=order.index)}


class Group(TyperGroup):
    """A group of commands with plain help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (typer does not export the class)
        """Write the help: the commands by panel, then the options."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
        yield from _wrapped(self.help or "")
        yield ""
        yield f"{_strong('Usage:')} {ctx.command_path} COMMAND [OPTIONS]"
        yield from _examples(ctx.command_path)
        panels: dict[str, list[tuple[str, str]]] = {}
        for panel, name, summary in self.summaries(ctx):
            panels.setdefault(panel, []).append((name, summary))
        yield from _listed({**panels, "Options": [_record(each) for each in self.get_params(ctx)]})
        if self.epilog:
            yield from ("", *_wrapped(self.epilog))

    def summaries(self, ctx: Any) -> Iterator[tuple[str, str, str]]:  # noqa: ANN401 (as above)
        """Yield panel, name and summary of each command in the order of the help."""
        for name in self.list_commands(ctx):
            command = self.commands[name]
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                panel = panel if isinstance(panel, str) else "Commands"
                yield panel, name, _summary(command.help or "")


class Application(typer.Typer):
    """A typer application whose commands have this help."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 (the settings of the parent class)
        super().__init__(**{"cls": Group, "rich_markup_mode": None, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[_F], _F]:  # noqa: ANN401 (as above)
        """Return a decorator that adds a command."""
        return super().command(name, **{"cls": Command, **settings})


def _examples(path: str) -> Iterator[str]:
    """Yield the examples of a command, which has this path from the program on."""
    program, _, name = path.partition(" ")
    if lines := EXAMPLES.get("tally add" if name == "tally" else name, ()):
        yield from ("", _strong("Examples:"), *(f"  {program} {line}" for line in lines))


def _summary(text: str) -> str:
    """Return the first clause of a description."""
    return re.split(r"[.:;] ", " ".join(text.split()) + " ", maxsplit=1)[0].strip(" .")


def _wrapped(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from textwrap.wrap(" ".join(paragraph.split()), _WIDTH)


def _listed(panels: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    """Yield the lines of lists of names and texts. A long name has a line of its own."""
    names = [name for rows in panels.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= _NAME_WIDTH), default=_NAME_WIDTH)
    for panel, rows in panels.items():
        yield from ("", _strong(f"{panel}:"))
        for name, text in rows:
            lines = textwrap.wrap(text, _WIDTH - width - 4, break_long_words=False, break_on_hyphens=False)
            first = lines.pop(0) if lines and len(name) <= width else ""
            yield f"  {name:<{width}}  {first}".rstrip()
            yield from (" " * (width + 4) + line for line in lines)


def _record(parameter: Any) -> tuple[str, str]:  # noqa: ANN401 (as above)
    """Return what the list of options says of a parameter: its names with its value, and its text."""
    if parameter.param_type_name == "argument":
        name = _argument_name(parameter) + ("..." if parameter.nargs != 1 else "")
        return name, " ".join([parameter.help or "", *_extra(parameter)]).strip()
    long = [name for name in parameter.opts if name.startswith("--")]
    short = [name for name in parameter.opts if not name.startswith("--")]
    name = "/".join([", ".join([*short, *long]), *parameter.secondary_opts])
    words = "|".join(_words(parameter))
    is_long = len(words) > _WORDS_WIDTH
    if not parameter.is_flag and not parameter.count:
        general = long[0].lstrip("-").upper() if is_long else words or _value(parameter)
        name = f"{name} {parameter.metavar or general}"
    text = f"{parameter.help or ''} [{words}]" if is_long and not parameter.metavar else parameter.help or ""
    return name, " ".join([text, *_extra(parameter)]).strip()


def _argument_name(parameter: Any) -> str:  # noqa: ANN401 (as above)
    return str(parameter.metavar or parameter.name.upper()).strip("[].")


def _words(parameter: Any) -> Sequence[str]:  # noqa: ANN401 (as above)
    """Return the words that an option accepts; none if it accepts other values."""
    kinds = _kinds(parameter)
    return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())


def _value(parameter: Any) -> str:  # noqa: ANN401 (as above)
    return next((_VALUES[kind] for kind in _kinds(parameter) if kind in _VALUES), "VALUE")


def _kinds(parameter: Any) -> list[Any]:  # noqa: ANN401 (as above)
    """Return the type of an option, and the types that it consists of."""
    kinds = [parameter.type_descriptor.annotation]
    for kind in kinds:
        if get_origin(kind) is not Literal:
            kinds += get_args(kind)
    return kinds


def _extra(parameter: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
    """Yield the default in brackets, if it says something."""
    if parameter.required and parameter.param_type_name == "option":
        yield "[required]"
        return
    shown, value = parameter.show_default, parameter.default
    if isinstance(shown, str):
        yield f"[default: {shown}]"
    elif shown and value not in (None, False, "", "0", 0, [], ()) and not callable(value):
        text = parameter.opts[0].lstrip("-") if value is True else str(getattr(value, "value", value))
        # A switch that is on by default shows it by its name.
        yield f"[default: {text}]"


def _strong(text: str) -> str:
    """Return a heading: bold on a terminal that shows it."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else f"\x1b[1m{text}\x1b[0m"
