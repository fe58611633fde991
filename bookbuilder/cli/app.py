"""The root of the command line: its commands in the order of the help, and the files that define them.

A command's file is imported when the command is used, so that no command waits for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer

from bookbuilder.cli.console import say
from bookbuilder.cli.exits import Commands
from bookbuilder.cli.help import Application, Context


def _tally() -> Application:
    from bookbuilder.cli.tally import count, stores

    for function in (
        stores.verify,
        stores.compact,
        stores.merge,
        stores.remove_source,
        stores.export,
    ):
        count.app.command()(function)
    return count.app


def _book() -> Application:
    from bookbuilder.cli.book import check, compare, convert, edit, gaps, grow, info

    for command in (
        check.check,
        grow.grow,
        convert.convert,
        edit.edit,
        edit.repair,
        compare.merge,
        gaps.gaps,
        compare.diff,
    ):
        info.app.command()(command)
    return info.app


def _games() -> Application:
    from bookbuilder.cli.games import check, convert, listing

    check.app.command("list")(listing.list_games)
    check.app.command("filter", cls=convert.FilterCommand)(convert.filter_games)
    check.app.command()(convert.convert)
    return check.app


def _engine() -> Application:
    from bookbuilder.cli.engine import judge, search

    search.app.command()(judge.judge)
    return search.app


def _endgame() -> Application:
    from bookbuilder.cli import endgame

    return endgame.app


class _Entry(NamedTuple):
    """A command of the front page.

    Attributes:
        source: the file that defines a single command, or the function that assembles a group.
        summary: the first clause of its help, so that the front page loads no command.
    """

    source: str | Callable[[], Application]
    summary: str


_PANELS: Final[dict[str, dict[str, _Entry]]] = {
    "Books": {
        "build": _Entry("build", "Build an opening book from archives or tally stores"),
        "show": _Entry("show", "Show the moves at a position"),
        "serve": _Entry("serve", "Serve the explorer of stores and books, until Ctrl-C"),
        "threshold": _Entry("threshold", "Show how many positions remain for each P or margin"),
        "coverage": _Entry("analysis", "Show how far the games of archives follow a book"),
        "calibrate": _Entry("analysis", "Compare P of earlier games with later results"),
        "book": _Entry(_book, "Verify, compare, merge and change books"),
    },
    "Games": {
        "tally": _Entry(_tally, "Count archives into a store"),
        "games": _Entry(_games, "Count, check, list, filter and convert the games of archives"),
        "openings": _Entry("openings", "List the openings that positions are named by"),
    },
    "Engines": {
        "engine": _Entry(_engine, "Search and play with the bundled engine"),
        "evaluate": _Entry("evaluate", "Let an engine evaluate positions, and list the moves that lose"),
        "endgame": _Entry(_endgame, "Build, verify and probe endgame tables"),
    },
    "Program": {
        "info": _Entry("info", "Show what a file or folder is, and its facts"),
        "demo": _Entry("demo", "Try the whole flow with the archives of the program"),
        "doctor": _Entry("doctor", "Show what is installed and test the native core"),
    },
}
_COMMANDS: Final = {name: (panel, entry) for panel, each in _PANELS.items() for name, entry in each.items()}


@cache
def _load(name: str) -> Any:  # noqa: ANN401 (the base class of commands has no public name)
    """Return a command or a group, with its files imported."""
    source = _COMMANDS[name][1].source
    if callable(source):
        return typer.main.get_command(source())
    application = Application()
    application.command()(getattr(import_module(f"bookbuilder.cli.{source}"), name))
    return typer.main.get_command(application)


class _Front(Commands):
    """The root group, which loads its commands on demand."""

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> Any:  # noqa: ANN401 (as above)
        """Return a command or a group, None if there is none of this name."""
        return _load(cmd_name) if cmd_name in _COMMANDS else None

    def summaries(self, ctx: Context) -> Iterator[tuple[str, str, str]]:
        """Yield panel, name and summary of each command, without loading it."""
        for name, (panel, entry) in _COMMANDS.items():
            yield panel, name, entry.summary


app = Application(
    name="bookbuilder",
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
    empty, 2 usage, 3 input unreadable, 4 output exists, 130 interrupted.
    """
