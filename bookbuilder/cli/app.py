"""The front door of the command line: the root app, its version, and which file holds which command.

A command is imported when it is named, so that none waits for the others.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import say
from bookbuilder.cli.exits import Commands


@cache
def _tally() -> typer.Typer:
    from bookbuilder.cli.tally import count, stores

    stores.add_to(count.app)
    return count.app


@cache
def _book() -> typer.Typer:
    from bookbuilder.cli import analysis
    from bookbuilder.cli.book import change, compare, convert, info

    info.app.command()(convert.convert)
    info.app.command()(change.edit)
    info.app.command()(change.undo)
    info.app.command()(change.journal)
    info.app.command()(change.merge)
    info.app.command()(compare.diff)
    info.app.command()(compare.pick)
    info.app.command()(analysis.coverage)
    info.app.command()(analysis.calibrate)
    return info.app


@cache
def _games() -> typer.Typer:
    from bookbuilder.cli.games import check, convert, listing, pick

    check.app.command(name="list")(listing.list_games)
    check.app.command()(convert.convert)
    check.app.command()(pick.split)
    check.app.command()(pick.sample)
    check.app.command()(pick.dedupe)
    return check.app


@cache
def _engine() -> typer.Typer:
    from bookbuilder.cli.engine import judge, search

    search.app.command()(judge.judge)
    return search.app


@cache
def _endgame() -> typer.Typer:
    from bookbuilder.cli import endgame

    return endgame.app


# Commands by themselves with the file that holds the function of that name, then groups of commands; the
# order is that of the help.
_ALONE: Final = {
    "build": "build",
    "show": "show",
    "openings": "openings",
    "threshold": "threshold",
    "coverage": "analysis",
    "calibrate": "analysis",
    "serve": "serve",
    "demo": "demo",
    "doctor": "doctor",
}
_GROUPS: Final[dict[str, Callable[[], typer.Typer]]] = {
    "tally": _tally,
    "book": _book,
    "games": _games,
    "engine": _engine,
    "endgame": _endgame,
}
_NAMES: Final = (*_ALONE, *_GROUPS)


def _made(name: str) -> Any:  # noqa: ANN401 (typer does not export the class of commands)
    """The command or group of that name, its files imported."""
    holder = typer.Typer()
    if name in _GROUPS:
        holder.add_typer(_GROUPS[name](), name=name)
    else:
        holder.command()(getattr(import_module(f"bookbuilder.cli.{_ALONE[name]}"), name))
    return typer.main.get_group(holder).commands[name]


class _OnDemand(UserDict[str, Any]):
    """All commands by name; one is made when it is first taken."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 (as above)
        if name in _NAMES and name not in self.data:
            self.data[name] = _made(name)
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


class _Front(Commands):
    """The root group, which knows its commands by name only."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 (the settings of the class above)
        super().__init__(**settings)
        self.commands = _OnDemand()


app = typer.Typer(
    cls=_Front,
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
    """Opening books from game archives, for chess and xiangqi.

    Data goes to stdout, everything else to stderr.

    Exit codes: 0 done, 1 a check failed or the result is empty, 2 usage,

    3 input unreadable, 4 output exists, 130 interrupted.
    """
