"""The front door of the command line: the root app, its version, and which file holds which command."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bookbuilder.cli import (
    book,
    build,
    demo,
    doctor,
    engine,
    games,
    games_convert,
    games_list,
    games_pick,
    show,
    tally,
    threshold,
)
from bookbuilder.cli.console import say
from bookbuilder.cli.exits import Commands

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
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


app.command()(build.build)
app.command()(tally.tally)
app.command()(show.show)
app.command()(threshold.threshold)
app.add_typer(book.app, name="book")
games.app.command(name="list")(games_list.list_games)
games.app.command()(games_convert.convert)
games.app.command()(games_pick.split)
games.app.command()(games_pick.sample)
games.app.command()(games_pick.dedupe)
app.add_typer(games.app, name="games")
app.add_typer(engine.app, name="engine")
app.command()(demo.demo)
app.command()(doctor.doctor)
