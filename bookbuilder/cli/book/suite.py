"""`bookbuilder book suite`: write the positions where lines leave a book, as openings for matches."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.book.judged import EvalsFile, book_in_use, evaluated
from bookbuilder.cli.console import print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.options.searching import Searching
from bookbuilder.cli.output import require_free, whole_file
from bookbuilder.cli.words import counted

__all__ = ["suite"]

# A third of the positions that are evaluated are exits.
_POSITIONS_OF_AN_EXIT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The options that say which exits are written."""

    against: Annotated[
        Path, typer.Option("--against", metavar="STORE", help="A tally store: the opponent plays its moves.")
    ]
    number: Annotated[int, typer.Option("--number", min=1, help="Maximum number of positions.")] = 200
    min_cp: Annotated[
        int, typer.Option("--min-cp", metavar="CP", help="Smallest value for White or Red, in centipawns.")
    ] = -60
    max_cp: Annotated[
        int, typer.Option("--max-cp", metavar="CP", help="Largest value for White or Red, in centipawns.")
    ] = 60
    min_ply: Annotated[int, typer.Option("--min-ply", min=0, help="Minimum length of a line, in plies.")] = 4
    max_ply: Annotated[int, typer.Option("--max-ply", min=0, help="Maximum length of a line, in plies.")] = 40
    evals: EvalsFile = None


@spread
def suite(
    book: AnyBook,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="The suite, an .epd file.")],
    *,
    choosing: Choosing,
    searching: Searching,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Write the positions where lines leave a book as EPD, as openings for matches; exit code 1 if none fits.

    The most reached exits of both sides come first, each position once. An engine values them.
    """
    from bookbuilder.engine.check.suite import suite_of
    from bookbuilder.engine.match.player import PlayerFault

    require_free(output, force=force)
    positions = choosing.number * _POSITIONS_OF_AN_EXIT
    in_use = book_in_use(book, choosing.against)
    games = in_use.played(positions)
    try:
        done = evaluated(in_use, games, choosing.evals, searching, quiet=quiet)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{output}: not written: the engine {fault}") from None
    found = suite_of(
        games,
        done.evals,
        least_cp=choosing.min_cp,
        most_cp=choosing.max_cp,
        plies=(choosing.min_ply, choosing.max_ply),
        number=choosing.number,
    )
    if not found:
        limits = f"{choosing.min_cp} to {choosing.max_cp} cp, plies {choosing.min_ply} to {choosing.max_ply}"
        raise finish(Exit.FAILED, f"{output}: not written, no exit fits ({limits})")
    with whole_file(output) as stream:
        stream.writelines(f"{each.epd()}\n".encode() for each in found)
    if json:
        facts = {"book": str(book), "output": str(output), "game": in_use.game, "engine": done.engine}
        print_json({**facts, "openings": [asdict(each) for each in found]})
    else:
        values = sorted(each.score_cp for each in found)
        say(f"{output}: {counted(len(found), 'position')}, values {values[0]:+} to {values[-1]:+} cp")
