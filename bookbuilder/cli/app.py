"""The front door of the command line: the root app, its version, and which file holds which command."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from bookbuilder.cli import (
    book,
    book_change,
    book_compare,
    book_convert,
    build,
    demo,
    doctor,
    endgame,
    engine,
    engine_judge,
    follow,
    games,
    games_convert,
    games_list,
    games_pick,
    openings,
    serve,
    show,
    tally,
    tally_store,
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
app.add_typer(tally.app, name="tally")
tally_store.add_to(tally.app)
app.command()(show.show)
app.command()(openings.openings)
app.command()(threshold.threshold)
book.app.command()(book_convert.convert)
book.app.command()(book_change.edit)
book.app.command()(book_change.undo)
book.app.command()(book_change.journal)
book.app.command()(book_change.merge)
book.app.command()(book_compare.diff)
book.app.command()(book_compare.pick)
book.app.command()(follow.coverage)
book.app.command()(follow.calibrate)
app.add_typer(book.app, name="book")
app.command()(follow.coverage)
app.command()(follow.calibrate)
games.app.command(name="list")(games_list.list_games)
games.app.command()(games_convert.convert)
games.app.command()(games_pick.split)
games.app.command()(games_pick.sample)
games.app.command()(games_pick.dedupe)
app.add_typer(games.app, name="games")
engine.app.command()(engine_judge.judge)
app.add_typer(engine.app, name="engine")
app.add_typer(endgame.app, name="endgame")
app.command()(serve.serve)
app.command()(demo.demo)
app.command()(doctor.doctor)
