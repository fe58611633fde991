"""The help of commands: plain text of 80 columns, with the everyday options first.

`--help` shows the usual options of a command, `--help-all` also the options declared `hidden`.
"""

from __future__ import annotations

import inspect
import itertools
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar

import click

from bookbuilder.cli.console import ColorChoice, set_display, set_notation
from bookbuilder.cli.declare import Argument, Option, Words, declared_parameters, option, taking_options
from bookbuilder.cli.examples import EXAMPLES
from bookbuilder.cli.options.arguments import OUTPUT

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
_VALUES: Final = {"path": "FILE", "text": "TEXT"}
"""What click calls the type of a value, and what the help says in its place."""


def _display(
    quiet: Annotated[
        bool,
        option(
            "--quiet",
            "-q",
            help="Print errors alone, and what --json asks for.",
            callback=lambda value: set_display(is_quiet=value),
            panel=OUTPUT,
        ),
    ] = False,
    wide: Annotated[
        bool,
        option(
            "--wide",
            help="Show all columns of tables, however narrow the terminal is.",
            callback=lambda value: set_display(is_wide=value),
            hidden=True,
            panel=OUTPUT,
        ),
    ] = False,
    color: Annotated[
        ColorChoice,
        option(
            "--color",
            help="Colours in tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
            callback=lambda value: set_display(color=value),
            hidden=True,
            panel=OUTPUT,
        ),
    ] = "auto",
    notation: Annotated[
        Literal["san", "uci", "iccs", "wxf", "chinese", "chinese-traditional"] | None,
        option(
            "--notation",
            help="How moves are shown.",
            show_default="by the language",
            callback=set_notation,
            hidden=True,
            panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Carry the options of all commands: how answers are displayed."""


@cache
def _display_options() -> list[click.Parameter]:
    """Return the options of all commands. Their callbacks do the work, so that commands do not take them."""
    options = declared_parameters(_display)
    for each in options:
        each.expose_value = False
    return options


_F = TypeVar("_F", bound=Callable[..., Any])


class Command(click.Command):
    """A command with plain help, `--help-all`, and the options that all commands have.

    Attributes:
        shown_panels: panels whose options `--help` shows, even those declared `hidden`.
    """

    shown_panels: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line."""
        if _HELP_ALL in itertools.takewhile(lambda word: word != "--", args):
            ctx.meta[_HELP_ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with the options that all commands have."""
        *own, last = super().get_params(ctx)
        names = {each.name for each in own}
        return [*own, *(each for each in _display_options() if each.name not in names), last]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: click.Context) -> Iterator[str]:
        shows_all = _HELP_ALL in ctx.meta
        yield from _wrapped(self.help or "")
        yield ""
        # `tally` is the usual name of `tally add`.
        path = ctx.command_path.removesuffix(" add")
        yield f"{_strong('Usage:')} {path} {' '.join(_usage(self.params))}"
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

    def _is_further(self, parameter: click.Parameter) -> bool:
        """Whether --help leaves an option to --help-all."""
        is_hidden = isinstance(parameter, click.Option) and parameter.hidden
        return is_hidden and _panel(parameter) not in self.shown_panels

    def _panels(self, ctx: click.Context, *, shows_all: bool) -> dict[str, list[click.Parameter]]:
        """Return the parameters by panel, in the order of their declaration."""
        panels: dict[str, list[click.Parameter]] = {}
        for each in self.get_params(ctx):
            if shows_all or not self._is_further(each):
                panels.setdefault(_panel(each), []).append(each)
        order = [*(each for each in panels if each not in _PANELS), *_PANELS]
        return {panel: panels[panel] for panel in sorted(panels, key=order.index)}


class Group(click.Group):
    """A group of commands with plain help."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help: the commands by panel, then the options."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: click.Context) -> Iterator[str]:
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

    def summaries(self, ctx: click.Context) -> Iterator[tuple[str, str, str]]:
        """Yield panel, name and summary of each command in the order of the help."""
        for name in self.list_commands(ctx):
            if (command := self.get_command(ctx, name)) is not None and not command.hidden:
                yield "Commands", name, _summary(command.help or "")

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order in which they were added."""
        return list(self.commands)

    def define(self, function: _F, name: str | None = None, **settings: Any) -> _F:  # noqa: ANN401 (of `command`)
        """Add the command that a function with declared options makes. Return the function."""
        self.add_command(command(function, name, **settings))
        return function


def command(
    function: Callable[..., Any],
    name: str | None = None,
    kind: type[Command] = Command,
    **settings: Any,  # noqa: ANN401 (of the class)
) -> Command:
    """Return the command that a function with declared options makes.

    Args:
        function: the function; its docstring is the help.
        name: the name of the command; the name of the function by default.
        kind: the class of the command.
        settings: what its class takes besides.
    """
    return kind(
        name or function.__name__.replace("_", "-"),
        callback=taking_options(function),
        params=declared_parameters(function),
        help=inspect.getdoc(function),
        **settings,
    )


def commands_below(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield each command of a group, and of the groups in it, by the words that lead to it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if (each := command.get_command(context, name)) is not None:
                yield (words := f"{path} {name}".strip()), each
                yield from commands_below(each, words)


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


def _usage(parameters: Sequence[click.Parameter]) -> Iterator[str]:
    yield "[OPTIONS]"
    for each in parameters:
        if isinstance(each, Argument):
            yield argument_name(each) if each.required else f"[{argument_name(each)}]"


def _panel(parameter: click.Parameter) -> str:
    """Return the group of a parameter. Arguments stand below the usage; click adds --help itself."""
    if isinstance(parameter, Argument):
        return ""
    return parameter.panel if isinstance(parameter, Option) else OUTPUT


def _record(parameter: click.Parameter) -> tuple[str, str]:
    """Return what the list of options says of a parameter: its names with its value, and its text."""
    if isinstance(parameter, Argument):
        return argument_name(parameter), " ".join([parameter.text, *_extra(parameter)]).strip()
    assert isinstance(parameter, click.Option)
    long = [name for name in parameter.opts if name.startswith("--")]
    short = [name for name in parameter.opts if not name.startswith("--")]
    name = "/".join([", ".join([*short, *long]), *parameter.secondary_opts])
    choices = parameter.type.choices if isinstance(parameter.type, Words) else ()
    words = "|".join(choices)
    is_long = len(words) > _WORDS_WIDTH
    if not parameter.is_flag:
        kind = parameter.type.name
        general = long[0].lstrip("-").upper() if is_long else words or _VALUES.get(kind, kind)
        name = f"{name} {parameter.metavar or general}"
    text = f"{parameter.help or ''} [{words}]" if is_long and not parameter.metavar else parameter.help or ""
    return name, " ".join([text, *_extra(parameter)]).strip()


def argument_name(parameter: click.Parameter) -> str:
    """Return the name of an argument, with dots if it takes several."""
    name = (parameter.metavar or (parameter.name or "").upper()).strip("[].")
    return name + ("..." if parameter.nargs != 1 else "")


def _extra(parameter: click.Option | Argument) -> Iterator[str]:
    """Yield the default in brackets, if it says something."""
    if parameter.required:
        yield from ["[required]"] if isinstance(parameter, click.Option) else []
        return
    shown, value = parameter.show_default, parameter.default
    if isinstance(shown, str):
        yield f"[default: {shown}]"
    elif shown and value not in (None, False, "", "0", 0, [], ()):
        # A switch that is on by default shows it by its name.
        yield f"[default: {parameter.opts[0].lstrip('-') if value is True else value}]"


def _strong(text: str) -> str:
    """Return a heading: bold on a terminal that shows it."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else f"\x1b[1m{text}\x1b[0m"
