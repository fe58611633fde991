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
from functools import cache, partial
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from bookbuilder.cli.console import ColorChoice, display
from bookbuilder.cli.examples import EXAMPLES
from bookbuilder.cli.options.fields import taking_fields
from bookbuilder.errors import OptionError

Context: TypeAlias = Any
Formatter: TypeAlias = Any
"""What typer gives to its commands, of classes without public names."""
Parameter: TypeAlias = TyperArgument | TyperOption

_WIDTH: Final = 80
_NAME_WIDTH: Final = 21
"""Longest name that shares its line with the text."""
_HELP_ALL: Final = "--help-all"
GAMES: Final = "Games"
OUTPUT: Final = "Output"
_PANELS: Final = ("", GAMES, "What is kept", "Engines", "Book", "Search", "Options", OUTPUT)
"""The order of the groups of options."""
_WORDS_WIDTH: Final = 14
"""Longest list of words that stands in place of a value."""
_VALUES: Final = {"int": "N", "float": "X", "path": "FILE", "str": "TEXT"}

_shown = partial(typer.Option, rich_help_panel=OUTPUT, expose_value=False)


def _display(
    quiet: Annotated[
        bool,
        _shown(
            "--quiet",
            "-q",
            help="Print errors alone, and what --json asks for.",
            callback=lambda value: display.set(is_quiet=value),
        ),
    ] = False,
    wide: Annotated[
        bool,
        _shown(
            "--wide",
            help="Show all columns of tables, however narrow the terminal is.",
            callback=lambda value: display.set(is_wide=value),
            hidden=True,
        ),
    ] = False,
    color: Annotated[
        ColorChoice,
        _shown(
            "--color",
            help="Colours in tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb.",
            callback=lambda value: display.set(color=value),
            hidden=True,
        ),
    ] = "auto",
    notation: Annotated[
        Literal["san", "uci", "iccs", "wxf", "chinese", "chinese-traditional"] | None,
        _shown(
            "--notation",
            help="How moves are shown.",
            show_default="by the language",
            callback=lambda value: display.set(notation=value),
            hidden=True,
        ),
    ] = None,
) -> None:
    """Carry the options of all commands: how answers are displayed."""


@cache
def _display_options() -> list[Any]:
    """Return the options of all commands. Their callbacks do the work, so that commands do not take them."""
    application = typer.Typer(add_completion=False)
    application.command(add_help_option=False)(_display)
    return typer.main.get_command(application).params


_F = TypeVar("_F", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command with plain help, `--help-all`, and the options that all commands have.

    Attributes:
        shown_panels: panels whose options `--help` shows, even those declared `hidden`.
        is_job: whether it does one job and ends, so that freed memory is not returned.
    """

    shown_panels: tuple[str, ...] = ()
    is_job = True

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse a command line."""
        if _HELP_ALL in itertools.takewhile(lambda word: word != "--", args):
            ctx.meta[_HELP_ALL] = True
            args = ["--help"]
        rest: list[str] = super().parse_args(ctx, args)
        if ctx.params.get("json") and ctx.params.get("csv"):
            raise OptionError("--json and --csv cannot be combined: give one of them")
        return rest

    def invoke(self, ctx: Context) -> Any:  # noqa: ANN401 (what a command returns)
        """Run the command."""
        if self.is_job:
            from bookbuilder.system import use_one_heap

            use_one_heap()
        return super().invoke(ctx)

    def get_params(self, ctx: Context) -> list[Any]:
        """Return the parameters, with the options that all commands have."""
        *own, last = super().get_params(ctx)
        names = {each.name for each in own}
        return [*own, *(each for each in _display_options() if each.name not in names), last]

    def format_help(self, ctx: Context, formatter: Formatter) -> None:
        """Write the help."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: Context) -> Iterator[str]:
        shows_all = _HELP_ALL in ctx.meta
        yield from _wrapped(self.help or "")
        yield ""
        # `tally` is the usual name of `tally add`.
        path = ctx.command_path.removesuffix(" add")
        arguments = [each for each in self.params if isinstance(each, TyperArgument)]
        names = (argument_name(each) if each.required else f"[{argument_name(each)}]" for each in arguments)
        yield f"{_strong('Usage:')} {path} {' '.join(['[OPTIONS]', *names])}"
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

    def _is_further(self, parameter: Parameter) -> bool:
        """Whether --help leaves an option to --help-all."""
        return parameter.hidden and _panel(parameter) not in self.shown_panels

    def _panels(self, ctx: Context, *, shows_all: bool) -> dict[str, list[Any]]:
        """Return the parameters by panel, in the order of their declaration."""
        panels: dict[str, list[Any]] = {}
        for each in self.get_params(ctx):
            if shows_all or not self._is_further(each):
                panels.setdefault(_panel(each), []).append(each)
        order = [*(each for each in panels if each not in _PANELS), *_PANELS]
        return {panel: panels[panel] for panel in sorted(panels, key=order.index)}


class Group(TyperGroup):
    """A group of commands with plain help."""

    def format_help(self, ctx: Context, formatter: Formatter) -> None:
        """Write the help: the commands by panel, then the options."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: Context) -> Iterator[str]:
        yield from _wrapped(self.help or "")
        yield ""
        yield f"{_strong('Usage:')} {ctx.command_path} COMMAND [OPTIONS]"
        yield from _examples(ctx.command_path)
        params: list[Any] = self.get_params(ctx)
        panels: dict[str, list[tuple[str, str]]] = {}
        for panel, name, summary in self.summaries(ctx):
            panels.setdefault(panel, []).append((name, summary))
        yield from _listed(panels)
        yield from _listed({"Options": [_record(each) for each in params]})
        if self.epilog:
            yield from ("", *_wrapped(self.epilog))

    def summaries(self, ctx: Context) -> Iterator[tuple[str, str, str]]:
        """Yield panel, name and the first clause of the help of each command, in the order of the help."""
        for name in self.list_commands(ctx):
            if (command := self.get_command(ctx, name)) is not None and not command.hidden:
                text = " ".join((command.help or "").split())
                yield "Commands", name, re.split(r"[.:;] ", f"{text} ", maxsplit=1)[0].strip(" .")

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Parse the words before the command; a command is needed, so that none gets the help."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help(), err=True)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)


class Application(typer.Typer):
    """A typer application whose commands have this help, and take the fields of dataclasses."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 (the settings of the parent class)
        usual = {"cls": Group, "rich_markup_mode": None, "add_completion": False, "suggest_commands": False}
        super().__init__(**{**usual, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[_F], _F]:  # noqa: ANN401 (as above)
        """Return a decorator that adds a command and returns its function as it is."""
        add = super().command(name, **{"cls": Command, **settings})

        def define(function: _F) -> _F:
            add(taking_fields(function))
            return function

        return define


def commands_below(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401 (any command)
    """Yield each command of a group, and of the groups in it, by the words that lead to it."""
    if isinstance(command, TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            if (each := command.get_command(context, name)) is not None:
                yield (words := f"{path} {name}".strip()), each
                yield from commands_below(each, words)


def _examples(path: str) -> Iterator[str]:
    """Yield the examples of a command, which has this path from the program on."""
    program, _, name = path.partition(" ")
    if lines := EXAMPLES.get("tally add" if name == "tally" else name, ()):
        yield from ("", _strong("Examples:"), *(f"  {program} {line}" for line in lines))


def _wrapped(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from textwrap.wrap(" ".join(paragraph.split()), _WIDTH)


def _listed(panels: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    """Yield the lines of lists of names and texts. A long name has its own line."""
    names = [name for rows in panels.values() for name, _ in rows]
    width = max((len(name) for name in names if len(name) <= _NAME_WIDTH), default=_NAME_WIDTH)
    for panel, rows in panels.items():
        yield from ("", _strong(f"{panel}:"))
        for name, text in rows:
            lines = textwrap.wrap(text, _WIDTH - width - 4, break_long_words=False, break_on_hyphens=False)
            first = lines.pop(0) if lines and len(name) <= width else ""
            yield f"  {name:<{width}}  {first}".rstrip()
            yield from (" " * (width + 4) + line for line in lines)


def _panel(parameter: Parameter) -> str:
    """Return the group of a parameter. Arguments stand below the usage; typer adds --help itself."""
    if isinstance(parameter, TyperArgument):
        return ""
    return parameter.rich_help_panel or (OUTPUT if parameter.name == "help" else "Options")


def _record(parameter: Parameter) -> tuple[str, str]:
    """Return what the list of options says of a parameter: its names with its value, and its text."""
    help_text = parameter.help or ""
    if isinstance(parameter, TyperArgument):
        return argument_name(parameter), " ".join([help_text, *_extra(parameter)]).strip()
    long = [name for name in parameter.opts if name.startswith("--")]
    short = [name for name in parameter.opts if not name.startswith("--")]
    name = "/".join([", ".join([*short, *long]), *parameter.secondary_opts])
    kind = parameter.type.name.removesuffix(" range")
    words = "|".join(getattr(parameter.type, "choices", ()))
    is_long = len(words) > _WORDS_WIDTH
    if not parameter.is_flag:
        general = long[0].lstrip("-").upper() if is_long else words or _VALUES.get(kind)
        name = f"{name} {parameter.metavar or general}"
    text = f"{help_text} [{words}]" if is_long and not parameter.metavar else help_text
    return name, " ".join([text, *_extra(parameter)]).strip()


def argument_name(parameter: Parameter) -> str:
    """Return the name of an argument, with dots if it takes several."""
    name = (parameter.metavar or (parameter.name or "").upper()).strip("[].")
    return name + ("..." if parameter.nargs != 1 else "")


def _extra(parameter: Parameter) -> Iterator[str]:
    """Yield the default in brackets, if it says something."""
    if parameter.required:
        yield from ["[required]"] if isinstance(parameter, TyperOption) else []
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
