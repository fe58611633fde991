"""The root of the command line: its commands in the order of the help, and the files that define them.

A command's file is imported when the command is used, so that no command waits for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final, NamedTuple

import click

from bookbuilder.cli.exits import Commands
from bookbuilder.cli.help import Group


def _tally() -> Group:
    from bookbuilder.cli.tally import count, stores

    for function in (
        stores.verify,
        stores.compact,
        stores.merge,
        stores.remove_source,
        stores.export,
    ):
        count.app.define(function)
    return count.app


def _book() -> Group:
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
        info.app.define(command)
    return info.app


def _games() -> Group:
    from bookbuilder.cli.games import check, convert, listing

    check.app.define(listing.list_games, "list")
    check.app.define(convert.filter_games, "filter", kind=convert.FilterCommand)
    check.app.define(convert.convert)
    return check.app


def _engine() -> Group:
    from bookbuilder.cli.engine import judge, search

    search.app.define(judge.judge)
    return search.app


def _endgame() -> Group:
    from bookbuilder.cli import endgame

    return endgame.app


class _Entry(NamedTuple):
    """A command of the front page.

    Attributes:
        source: the file that defines a single command, or the function that assembles a group.
        summary: the first clause of its help, so that the front page loads no command.
    """

    source: str | Callable[[], Group]
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


class _Front(Commands):
    """The root group, which loads its commands on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command or a group, with its files imported."""
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            source = _COMMANDS[cmd_name][1].source
            if callable(source):
                self.add_command(source(), cmd_name)
            else:
                self.define(getattr(import_module(f"bookbuilder.cli.{source}"), cmd_name))
        return super().get_command(ctx, cmd_name)

    def summaries(self, ctx: click.Context) -> Iterator[tuple[str, str, str]]:
        """Yield panel, name and summary of each command, without loading it."""
        for name, (panel, entry) in _COMMANDS.items():
            yield panel, name, entry.summary


app = click.version_option(
    package_name="bookbuilder", message="%(prog)s %(version)s", help="Print the version and exit."
)(
    _Front(
        "bookbuilder",
        help="""Build opening books from game archives, for chess and xiangqi.

        Answers go to stdout, notes and progress to stderr. Exit codes: 0 done, 1 a check failed or the result
        is empty, 2 usage, 3 input unreadable, 4 output exists, 130 interrupted.""",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
)
