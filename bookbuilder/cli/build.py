"""`bookbuilder build`: archives and tally stores in, a clustered book out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bookbuilder.cli import options as opt
from bookbuilder.cli.console import format_bytes, print_json, print_table
from bookbuilder.cli.counting import Counting, spread
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import add_to, held_tally, losses, named_files, settle
from bookbuilder.cli.output import require_free
from bookbuilder.cli.recipe import read_recipe, selected_again, tallied_again

if TYPE_CHECKING:
    from bookbuilder.selection import Selection
    from bookbuilder.tally import Tally


@spread
def build(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="BOOK", help="The book.")],
    counting: Counting,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Archives (files, directories, patterns, @lists, -) and tally stores.",
            show_default=False,
        ),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            metavar="FILE",
            help="Make the book of this recipe (a book or its recipe as .json) again, byte for byte.",
        ),
    ] = None,
    min_win_rate: opt.MinWinRate = "0.55",
    min_games: opt.MinGames = 1,
    side: opt.SideOption = opt.Side.BOTH,
    undefined_p: opt.UndefinedOption = opt.UndefinedP.KEEP,
    columns: Annotated[
        bool, typer.Option("--columns/--no-columns", help="Store locks and full counts beside the records.")
    ] = True,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Build a book: the positions whose P = W/(W+L), for the side that moved, is high enough."""
    from bookbuilder.book import Book
    from bookbuilder.selection import select

    require_free(output, force=force)
    require_free(rejects, force=force)
    if recipe is not None and inputs:
        raise typer.BadParameter("--recipe names the archives itself: expected no INPUT beside it")
    repeated = None if recipe is None else read_recipe(recipe)
    if repeated is not None:
        tally = tallied_again(repeated, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet)
    else:
        tally = _gathered(
            context, inputs or [], counting, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet
        )
    if strict and losses(tally.report):
        raise finish(Exit.FAILED, f"{output}: not written, {losses(tally.report)}")
    if repeated is not None:
        chosen = selected_again(tally, repeated)
    else:
        chosen = select(
            tally,
            min_win_rate=min_win_rate,
            min_games=min_games,
            side=opt.one_side(side),
            undefined_p=undefined_p.value,
        )
    if not chosen.reasons().get("", 0):
        raise finish(
            Exit.FAILED, f"{output}: not written, no position is kept; lower --min-win-rate or --min-games"
        )
    Book.write(output, chosen, columns=columns if repeated is None else repeated["columns"])
    _print(output, tally, chosen, json=json)


def _gathered(
    context: typer.Context,
    inputs: list[str],
    counting: Counting,
    *,
    max_inflate: int | None,
    rejects: Path | None,
    jobs: int | None,
    quiet: bool,
) -> Tally:
    """The tally of all inputs: stores as they are, archives counted with the stores' options."""
    from bookbuilder.store import is_store
    from bookbuilder.tally import Tally

    stores = [Path(entry) for entry in inputs if is_store(entry)]
    archives = [entry for entry in inputs if not is_store(entry)]
    held = held_tally(context, stores, counting) if stores else None
    if not archives:
        if held is None:
            raise typer.BadParameter("expected at least one archive or tally store")
        return held
    with named_files(archives) as files:
        before = held or Tally.empty(settle(counting, files))
        return add_to(before, files, rejects=rejects, max_inflate=max_inflate, jobs=jobs, quiet=quiet)[0]


def _print(output: Path, tally: Tally, chosen: Selection, *, json: bool) -> None:
    verdicts = {reason or "kept": count for reason, count in chosen.reasons().items()}
    size = output.stat().st_size
    if json:
        print_json(
            {
                "game": tally.game,
                "book": str(output),
                "bytes": size,
                "games": tally.games.num_rows,
                "positions": len(chosen),
                "verdicts": verdicts,
            }
        )
        return
    rows = [
        ("games counted", f"{tally.games.num_rows:,}"),
        ("positions", f"{len(chosen):,}"),
        *((f"  {verdict}", f"{count:,}") for verdict, count in verdicts.items()),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
    ]
    print_table((str(output), "figure"), rows)
