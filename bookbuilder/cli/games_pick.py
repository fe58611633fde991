"""`bookbuilder games split|sample|dedupe`: archives in, some or all of their games out, byte for byte."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import reading
from bookbuilder.cli.games_output import OutputOption, check, game_of_files, output_at, tell
from bookbuilder.cli.inputs import named_files
from bookbuilder.cli.output import require_empty, whole_directory
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import GamesRun


class Sameness(StrEnum):
    """When two games are the same."""

    EXACT = "exact"
    PLAYERS = "players"
    PREFIX = "prefix"


def split(
    inputs: opt.Inputs,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIRECTORY", help="Directory to make, or an empty one.")
    ],
    game: opt.GameOption = opt.GameChoice.AUTO,
    parts: Annotated[
        int | None, typer.Option("--parts", min=1, help="Deal games out to this many files, in turn.")
    ] = None,
    every: Annotated[int | None, typer.Option("--every", min=1, help="Games in each file, in order.")] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="TAG", help="A file for each value of this tag.")
    ] = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Split archives into many files, by one of --parts, --every and --by; each game goes to one of them."""
    from bookbuilder import _core

    if [parts, every, by].count(None) != 2:
        raise OptionError("give one of --parts, --every and --by: how are games to be split?")
    require_empty(output)
    with named_files(inputs) as files:
        named = game_of_files(game, files)
        size = sum(path.stat().st_size for path in files)
        with reading(size, quiet=quiet) as progress, whole_directory(output) as directory:
            run = _core.split_games(
                [str(path) for path in files],
                named,
                str(directory),
                parts=parts,
                games=every,
                tag=by,
                progress=progress,
            )
    _end(run, json=json, quiet=quiet)


def sample(
    inputs: opt.Inputs,
    count: Annotated[int, typer.Option("--number", "-n", min=1, help="How many games.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Same seed, same games.")] = 1,
    output: OutputOption = None,
    game: opt.GameOption = opt.GameChoice.AUTO,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Draw games at random, each equally likely, and write them in the order of the archives."""
    from bookbuilder import _core

    _refuse_json_on_stdout(output, json=json)
    with named_files(inputs) as files:
        named = game_of_files(game, files)
        target = output_at(output, is_file_a_game=_has_a_file_a_game(output, named), force=force)
        size = sum(path.stat().st_size for path in files)
        with reading(size, quiet=quiet) as progress, target.opened() as sink:
            run = _core.sample_games(
                [str(path) for path in files],
                named,
                sink,
                layout=target.layout,
                count=count,
                seed=seed,
                progress=progress,
            )
    _end(run, json=json, quiet=quiet)


def dedupe(
    inputs: opt.Inputs,
    by: Annotated[
        Sameness,
        typer.Option(
            "--by",
            help="exact: start, moves and result; players: start, moves, names and date; "
            "prefix: a game that is the beginning of another, too.",
        ),
    ] = Sameness.EXACT,
    output: OutputOption = None,
    game: opt.GameOption = opt.GameChoice.AUTO,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Write the games without those that are the same as one before them."""
    from bookbuilder import _core

    _refuse_json_on_stdout(output, json=json)
    with named_files(inputs) as files:
        named = game_of_files(game, files)
        target = output_at(output, is_file_a_game=_has_a_file_a_game(output, named), force=force)
        # By prefix the archives are read three times.
        size = sum(path.stat().st_size for path in files) * (3 if by is Sameness.PREFIX else 1)
        with reading(size, quiet=quiet) as progress, target.opened() as sink:
            run = _core.dedupe_games(
                [str(path) for path in files],
                named,
                sink,
                layout=target.layout,
                by=by.value,
                progress=progress,
            )
    _end(run, json=json, quiet=quiet)


def _end(run: GamesRun, *, json: bool, quiet: bool) -> None:
    from bookbuilder.collection import CollectionReport

    report = CollectionReport.of_run(run)
    tell(report, json=json, quiet=quiet)
    check(report)


def _refuse_json_on_stdout(output: Path | None, *, json: bool) -> None:
    if json and output is None:
        raise OptionError("--json prints the report where the games go: give --output too")


def _has_a_file_a_game(output: Path | None, game: str) -> bool:
    """Whether games go to files of their own: those of xiangqi, unless the output is named as a text."""
    return game == "xiangqi" and output is not None and output.suffix.lower() in {"", ".xqf"}
