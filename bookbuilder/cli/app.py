"""The root of the command line: all commands in one table, in the order of the help.

A command's file is imported when the command is used, so that no command waits for the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import say
from bookbuilder.cli.exits import Commands
from bookbuilder.cli.help import GAMES, Application, Command, Context, Group

_FRONT: Final = "bookbuilder"
_ADD: Final = "add"
_PANELS: Final[dict[str, dict[str, str]]] = {
    "Books": {
        "build": "Build an opening book from archives or tally stores",
        "show": "Show the moves at a position",
        "serve": "Serve the explorer of stores and books, until Ctrl-C",
        "threshold": "Show how many positions remain for each P",
        "coverage": "Show how far the games of archives follow a book",
        "calibrate": "Try the values of a rule on later games",
        "book": "Verify, compare, merge and change books",
    },
    "Games": {
        "tally": "Count archives into a store",
        "games": "Count, check, list, filter and convert the games of archives",
        "openings": "List the openings that positions are named by",
    },
    "Engines": {
        "engine": "Search and play with the bundled engine",
        "evaluate": "Let an engine evaluate positions, and list the moves that lose",
        "endgame": "Build, verify and probe endgame tables",
    },
    "Program": {
        "info": "Show what a file or folder is, and its facts",
        "demo": "Build a book of chess and one of xiangqi from the games of the program, and play from them",
        "doctor": "Show what is installed and test the native core",
    },
}
"""The front page: the first clause of each help, so that it loads no command."""
_SUMMARIES: Final = {name: text for summaries in _PANELS.values() for name, text in summaries.items()}
_FILES: Final[dict[str, dict[str, str]]] = {
    _FRONT: {name: name for name in _SUMMARIES}
    | dict.fromkeys(("threshold", "coverage", "calibrate"), "analysis"),
    "tally": {
        _ADD: "tally:tally",
        "verify": "tally",
        "merge": "tally",
        "remove-source": "tally:remove_source",
        "export": "tally",
    },
    "book": {
        "verify": "book.files",
        "check": "book.check",
        "grow": "book.grow",
        "convert": "book.files",
        "edit": "book.files",
        "repair": "book.files",
        "merge": "book.files",
        "gaps": "book.gaps",
        "diff": "book.files",
    },
    "games": {
        "count": "games",
        "check": "games",
        "list": "games:list_games",
        "filter": "games:filter_games",
        "convert": "games",
    },
    "engine": {
        "uci": "engine.serve",
        "ucci": "engine.serve",
        "match": "engine.match",
        "walk": "engine.walk",
        "search": "engine.search",
        "judge": "engine.search",
    },
    "endgame": dict.fromkeys(("build", "stats", "verify", "probe"), "endgame"),
}
"""The file of each command of a group; a function of another name follows a colon."""


class _Filters(Command):
    """The command whose subject are the filters: its help shows all of them."""

    shown_panels = (GAMES,)


class _NoJob(Command):
    """A command that goes on until it is told to end."""

    is_job = False


_SETTINGS: Final[dict[tuple[str, str], dict[str, Any]]] = {
    (_FRONT, "serve"): {"cls": _NoJob},
    ("engine", "uci"): {"cls": _NoJob},
    ("engine", "ucci"): {"cls": _NoJob},
    ("games", "filter"): {"cls": _Filters},
    ("tally", _ADD): {
        "epilog": "Commands for stores: bookbuilder tally verify | merge | remove-source | export; "
        "each has its --help. An archive that has such a name is given as ./verify."
    },
}


@cache
def _load(group: str, name: str) -> Any:  # noqa: ANN401 (the base class of commands has no public name)
    """Return a command with its file imported, or a group."""
    if group == _FRONT and name in _FILES:
        text = f"{_SUMMARIES[name]}."
        is_empty = name != "tally"  # `tally` alone is `tally add`
        return typer.main.get_group(
            Application(name=name, cls=_OnDemand, help=text, no_args_is_help=is_empty)
        )
    file, _, function = _FILES[group][name].partition(":")
    application = Application()
    define = application.command(name, **_SETTINGS.get((group, name), {}))
    define(getattr(import_module(f"bookbuilder.cli.{file}"), function or name))
    return typer.main.get_command(application)


class _OnDemand(Group):
    """A group that imports a command when it is used."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Put `add`, where the group has it, before words that do not begin with a command."""
        names = self.list_commands(ctx)
        if _ADD in names and (not args or args[0] not in names):
            args = [_ADD, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of all commands."""
        return list(_FILES[self.name or _FRONT])

    def get_command(self, ctx: Context, cmd_name: str) -> Any:  # noqa: ANN401 (as above)
        """Return a command or a group, None if there is none of this name."""
        return _load(self.name or _FRONT, cmd_name) if cmd_name in self.list_commands(ctx) else None


class _Front(Commands, _OnDemand):
    def summaries(self, ctx: Context) -> Iterator[tuple[str, str, str]]:
        """Yield panel, name and summary of each command, without loading it."""
        for panel, summaries in _PANELS.items():
            for name, text in summaries.items():
                yield panel, name, text


app = Application(
    name=_FRONT,
    cls=_Front,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        say(f"bookbuilder {metadata.version('bookbuilder')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Build opening books from game archives, for chess and xiangqi.

    Answers go to stdout, notes and progress to stderr. Exit codes: 0 done, 1 a check failed or the result is
    empty, 2 usage, 3 input unreadable, 4 output exists, 130 interrupted, 143 terminated.
    """
