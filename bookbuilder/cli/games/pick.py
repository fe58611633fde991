"""`bookbuilder games split|sample|dedupe`: write some or all games of archives, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from bookbuilder.cli.console import counted, note
from bookbuilder.cli.games.input import Reading
from bookbuilder.cli.games.output import Writing, check, is_file_a_game, tell
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.output import require_empty
from bookbuilder.disk import draft_directory
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import GamesRun
    from bookbuilder.archives.collection import CollectionReport


Sameness: TypeAlias = Literal["exact", "players", "prefix"]
"""Which games are duplicates."""


@spread
def split(
    inputs: opt.Inputs,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIRECTORY", help="New or empty directory.")
    ],
    read: Reading,
    parts: Annotated[
        int | None, typer.Option("--parts", min=1, help="Split games into this number of files, in turn.")
    ] = None,
    every: Annotated[int | None, typer.Option("--every", min=1, help="Games in each file, in order.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="TAG", help="A file for each value of this tag.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Split archives into many files, by one of --parts, --every and --by; each game goes to one of them."""
    from bookbuilder import _core

    if [parts, every, by].count(None) != 2:
        raise OptionError("give one of --parts, --every and --by: how are games to be split?")
    require_empty(output)
    with read.opened(inputs) as (paths, game, limits), draft_directory(output) as directory:
        into = str(directory)
        run = _core.split_games(paths, game, into, parts=parts, games=every, tag=by, limits=limits)
    _end(run, json=json, quiet=read.quiet)


@spread
def sample(
    inputs: opt.Inputs,
    count: Annotated[int, typer.Option("--number", "-n", min=1, help="How many games.", show_default=False)],
    read: Reading,
    write: Writing,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Same seed, same games.")] = 1,
) -> None:
    """Draw games at random, each equally likely, and write them in the order of the archives."""
    from bookbuilder import _core

    write.check()
    with read.opened(inputs) as (paths, game, limits):
        target = write.target(is_file_a_game=is_file_a_game(write.output, game), inputs=paths)
        with target.opened() as sink:
            layout = target.layout
            run = _core.sample_games(paths, game, sink, layout=layout, count=count, seed=seed, limits=limits)
    written = _end(run, json=write.json, quiet=read.quiet).games_written
    if written < count:
        note(
            f"note: the archives have {counted(written, 'game')}, fewer than --number {count:,}",
            quiet=read.quiet,
        )


@spread
def dedupe(
    inputs: opt.Inputs,
    read: Reading,
    write: Writing,
    by: Annotated[
        Sameness,
        typer.Option(
            "--by",
            help="exact: start, moves and result; players: start, moves, names and date; "
            "prefix: a game that is the beginning of another, too.",
        ),
    ] = "exact",
) -> None:
    """Write the games without duplicates of earlier games."""
    from bookbuilder import _core

    write.check()
    # By prefix the archives are read three times.
    times = 3 if by == "prefix" else 1
    with read.opened(inputs, times=times) as (paths, game, limits):
        target = write.target(is_file_a_game=is_file_a_game(write.output, game), inputs=paths)
        with target.opened() as sink:
            run = _core.dedupe_games(paths, game, sink, layout=target.layout, by=by, limits=limits)
    _end(run, json=write.json, quiet=read.quiet)


def _end(run: GamesRun, *, json: bool, quiet: bool) -> CollectionReport:
    from bookbuilder.archives.collection import CollectionReport

    report = CollectionReport.of_run(run)
    tell(report, json=json, quiet=quiet)
    check(report)
    return report
