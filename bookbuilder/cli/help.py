"""The help of commands: plain text of 80 columns, with the everyday options first.

`--help` shows the usual options of a command, `--help-all` also those that are declared `hidden`. The section
"Examples:" of a command's docstring is printed as it stands; tests run each line of it.
"""

from __future__ import annotations

import itertools
import os
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from bookbuilder.cli.renamed import renamed

__all__ = ["Application", "Command", "Group"]

_WIDTH: Final = 80
_NAME_WIDTH: Final = 25
"""Longest name that shares its line with the text."""
_EXAMPLES: Final = "Examples:"
_HELP_ALL: Final = "--help-all"
_VALUES: Final[dict[Any, str]] = {int: "N", float: "X", Path: "FILE", str: "TEXT"}


class Command(TyperCommand):
    """A command with plain help, `--help-all`, and hints about old names of options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (as above)
        """Parse a command line. Old names of options count as their new names."""
        if _HELP_ALL in itertools.takewhile(lambda word: word != "--", args):
            ctx.meta[_HELP_ALL] = True
            args = ["--help"]
        known = {name for each in self.params for name in (*each.opts, *each.secondary_opts)}
        return super().parse_args(ctx, renamed(args, known))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (as above)
        """Write the help."""
        text, examples = _parts(self.help or "")
        formatter.write("\n".join(self._help_lines(ctx, text, examples)))

    def _help_lines(self, ctx: Any, text: str, examples: Sequence[str]) -> Iterator[str]:  # noqa: ANN401
        shows_all = _HELP_ALL in ctx.meta
        yield from _wrapped(text)
        yield ""
        yield f"{_strong('Usage:')} {ctx.command_path} {' '.join(self._usage())}"
        if examples:
            yield from ("", _strong(_EXAMPLES), *(f"  {line}" for line in examples))
        for panel, params in self._panels(ctx, shows_all=shows_all).items():
            yield from ("", _strong(f"{panel}:"), *_listed([_record(each) for each in params]))
        further = sum(_is_further(each) for each in self.params)
        if further and not shows_all:
            yield from ("", f"{further} more options: {ctx.command_path} --help-all")
        if self.epilog:
            yield from ("", *_wrapped(self.epilog))

    def _usage(self) -> Iterator[str]:
        yield "[OPTIONS]"
        for each in self.params:
            if each.param_type_name == "argument":
                name = _argument_name(each) + ("..." if each.nargs != 1 else "")
                yield name if each.required else f"[{name}]"

    def _panels(self, ctx: Any, *, shows_all: bool) -> dict[str, list[Any]]:  # noqa: ANN401
        """Return the parameters by panel, in the order of their declaration."""
        panels: dict[str, list[Any]] = {}
        for each in super().get_params(ctx):
            if shows_all or not each.hidden:
                is_argument = each.param_type_name == "argument"
                panel = each.rich_help_panel or ("Arguments" if is_argument else "Options")
                panels.setdefault(panel, []).append(each)
        # Options without a panel come last.
        rest = panels.pop("Options", [])
        return {**panels, **({"Options": rest} if rest else {})}


class Group(TyperGroup):
    """A group of commands with plain help."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (typer does not export the class)
        """Write the help: the commands by panel, then the options."""
        formatter.write("\n".join(self._help_lines(ctx)))

    def _help_lines(self, ctx: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
        text, examples = _parts(self.help or "")
        yield from _wrapped(text)
        yield ""
        yield f"{_strong('Usage:')} {ctx.command_path} COMMAND [OPTIONS]"
        if examples:
            yield from ("", _strong(_EXAMPLES), *(f"  {line}" for line in examples))
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.commands[name]
            if not command.hidden:
                panel = getattr(command, "rich_help_panel", None)
                panel = panel if isinstance(panel, str) else "Commands"
                panels.setdefault(panel, []).append((name, _first_sentence(command.help or "")))
        for panel, rows in panels.items():
            yield from ("", _strong(f"{panel}:"), *_listed(rows))
        options = [_record(each) for each in self.get_params(ctx)]
        yield from ("", _strong("Options:"), *_listed(options))
        if self.epilog:
            yield from ("", *_wrapped(self.epilog))


class Application(typer.Typer):
    """A typer application whose commands have this help."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 (the settings of the parent class)
        super().__init__(**{"cls": Group, "rich_markup_mode": None, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Any:  # noqa: ANN401 (as above)
        """Return a decorator that adds a command."""
        return super().command(name, **{"cls": Command, **settings})


def _is_further(parameter: Any) -> bool:  # noqa: ANN401 (typer does not export the class)
    """Whether --help leaves an option to --help-all."""
    return bool(parameter.hidden)


def _parts(text: str) -> tuple[str, list[str]]:
    """Return the description and the lines of the examples of a docstring."""
    description, _, examples = text.partition(f"\n{_EXAMPLES}\n")
    return description.strip(), textwrap.dedent(examples).strip().splitlines()


def _first_sentence(text: str) -> str:
    paragraph = " ".join(_parts(text)[0].split("\n\n", 1)[0].split())
    return paragraph.split(". ", 1)[0].rstrip(".:")


def _wrapped(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from textwrap.wrap(" ".join(paragraph.split()), _WIDTH)


def _listed(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of a list of names and texts. A long name has a line of its own."""
    width = max((len(name) for name, _ in rows if len(name) <= _NAME_WIDTH), default=_NAME_WIDTH)
    for name, text in rows:
        lines = textwrap.wrap(text, _WIDTH - width - 4, break_long_words=False, break_on_hyphens=False)
        if len(name) > width:
            yield f"  {name}"
        else:
            yield f"  {name:<{width}}  {lines.pop(0) if lines else ''}".rstrip()
        yield from (" " * (width + 4) + line for line in lines)


def _record(parameter: Any) -> tuple[str, str]:  # noqa: ANN401 (as above)
    """Return what the list of options says of a parameter: its names with its value, and its text."""
    if parameter.param_type_name == "argument":
        name = _argument_name(parameter) + ("..." if parameter.nargs != 1 else "")
        return name, " ".join([parameter.help or "", *_extra(parameter)]).strip()
    long = [name for name in parameter.opts if name.startswith("--")]
    short = [name for name in parameter.opts if not name.startswith("--")]
    name = ", ".join([*short, *long]) if short else f"    {', '.join(long)}"
    if parameter.secondary_opts:
        name = "    " + " / ".join([*long, *parameter.secondary_opts])
    if not parameter.is_flag and not parameter.count:
        name += f" {_value_name(parameter)}"
    return name, " ".join([parameter.help or "", *_extra(parameter)]).strip()


def _argument_name(parameter: Any) -> str:  # noqa: ANN401 (as above)
    return str(parameter.metavar or parameter.name.upper()).strip("[].")


def _value_name(parameter: Any) -> str:  # noqa: ANN401 (as above)
    if parameter.metavar:
        return str(parameter.metavar)
    kinds = [parameter.type_descriptor.annotation]
    while kinds:
        kind = kinds.pop()
        if get_origin(kind) is Literal:
            return "|".join(get_args(kind))
        if kind in _VALUES:
            return _VALUES[kind]
        kinds += get_args(kind)
    return "VALUE"


def _extra(parameter: Any) -> Iterator[str]:  # noqa: ANN401 (as above)
    """Yield the default in brackets, if it says something."""
    if parameter.required and parameter.param_type_name == "option":
        yield "[required]"
        return
    shown, value = parameter.show_default, parameter.default
    if isinstance(shown, str):
        yield f"[default: {shown}]"
    elif shown and value not in (None, False, "", [], ()) and not callable(value):
        text = parameter.opts[0].lstrip("-") if value is True else str(getattr(value, "value", value))
        # A switch that is on by default shows it by its name.
        yield f"[default: {text}]"


def _strong(text: str) -> str:
    """Return a heading: bold on a terminal that shows it."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else f"\x1b[1m{text}\x1b[0m"
