"""`bookbuilder build`: archives and tally stores in, a book out, clustered or of another format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.book.recipe import read_recipe, tallied_again
from bookbuilder.cli.book.convert import FormatName, Weighing, loss_rows, written_facts
from bookbuilder.cli.console import format_bytes, print_json, print_table
from bookbuilder.cli.drawing import PlotFile, draw, require_plotting
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.explained import explained, print_explained
from bookbuilder.cli.inputs import add_to, check_losses, held_tally, named_files, settle
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting, given_options, spread
from bookbuilder.cli.options.position import POSITION_HELP
from bookbuilder.cli.options.selection import Selecting
from bookbuilder.cli.output import require_free
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.book.edits import Edit
    from bookbuilder.book.formats.registry import Format, Written
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally


@spread
def build(
    context: typer.Context,
    counting: Counting,
    selecting: Selecting,
    weighing: Weighing,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Archives (files, directories, patterns, @lists, -) and tally stores.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="BOOK", help="The book.", show_default=False)
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            metavar="FILE",
            help="Make the book of this recipe (a book or its recipe as .json) again, byte for byte.",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="POSITION",
            help=f"Tell why each move at a position is kept or not. {POSITION_HELP}",
        ),
    ] = None,
    columns: Annotated[
        bool, typer.Option("--columns/--no-columns", help="Store locks and full counts beside the records.")
    ] = True,
    form: Annotated[
        FormatName | None, typer.Option("--format", help="Format of the book.", show_default="by its name")
    ] = None,
    memory: opt.Memory = None,
    max_inflate: opt.MaxInflate = None,
    jobs: opt.Jobs = None,
    rejects: opt.RejectsFile = None,
    strict: opt.Strict = False,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Build a book: the positions whose P = W/(W+L), for the side that moved, is high enough.

    Other formats than .book hold moves: those whose own P is high enough.
    """
    from bookbuilder.analysis import plots
    from bookbuilder.selection.select import select

    if output is None and explain is None:
        raise typer.BadParameter("expected -o BOOK, or --explain POSITION")
    to = _format(output, form)
    is_clustered = to.name == FormatName.BOOK
    require_free(output, force=force)
    require_free(rejects, force=force)
    require_plotting(plot, force=force)
    if recipe is not None:
        _refuse_beside_recipe(context, inputs, is_clustered=is_clustered)
    selecting.to_options()  # options without meaning are refused before archives are read
    add = partial(add_to, rejects=rejects, max_inflate=max_inflate, memory=memory, jobs=jobs, quiet=quiet)
    edits: Sequence[Edit] = ()
    if recipe is not None:
        repeated = read_recipe(recipe)
        tally = tallied_again(repeated, add)
        options, columns, edits = repeated.selection, repeated.columns, repeated.edits
    else:
        tally = _gathered(context, inputs or [], counting, add)
        # Of a store that was counted further than that, the book takes the positions up to there.
        shallower = None if counting.max_ply == tally.options.max_ply else counting.max_ply
        options = selecting.to_options(max_ply=shallower, shape="positions" if is_clustered else "moves")
    if strict:
        check_losses(tally.report, strict=True, instead=f"{output}: not written, ")
    chosen = select(tally, options)
    answer = {} if explain is None else {"explained": explained(tally, chosen, explain)}
    written = None
    if output is not None:
        if not (reasons := chosen.reasons()).get("", 0):
            why = ", ".join(f"{count:,} {reason}" for reason, count in reasons.items())
            what = f"no {chosen.shape[:-1]} is kept; ask for less: {why or 'no game was counted'}"
            raise finish(Exit.FAILED, f"{output}: not written, {what}")
        if is_clustered:
            _write_clustered(output, chosen, edits, columns=columns)
        else:
            written = _write_moves(output, chosen, to, weighing)
        answer |= _answer(output, tally, chosen, written)
    draw(
        plot,
        lambda ax: plots.reasons(chosen, ax=ax, log=True),
        lambda ax: plots.quality(chosen, ax=ax),
        quiet=quiet,
        size=(8, 7),
    )
    _print(tally, answer, chosen, written, json=json)
    check_losses(tally.report)


def _refuse_beside_recipe(context: typer.Context, inputs: list[str] | None, *, is_clustered: bool) -> None:
    """Refuse what a recipe says itself: the archives, how games count, what is kept and how it is stored."""
    if inputs:
        raise typer.BadParameter("--recipe names the archives itself: expected no INPUT beside it")
    if not is_clustered:
        raise typer.BadParameter("--recipe makes a clustered book again: expected a name that ends in .book")
    said = [each.name for kind in (Counting, Selecting, Weighing) for each in fields(kind)]
    if given := given_options(context, [*said, "columns"]):
        names = {parameter.name: parameter.opts[0] for parameter in context.command.params}
        raise typer.BadParameter(
            f"--recipe makes the same book again: expected no {names[given[0]]} beside it; "
            "name the archives instead to make another book"
        )


def _format(output: Path | None, form: FormatName | None) -> Format:
    """The format to write: that of the option or of the name; without a suffix a clustered book."""
    from bookbuilder.book.formats.registry import FORMATS, format_of

    if output is None or (form is None and not output.suffix):
        return FORMATS[FormatName.BOOK]
    return format_of(output, None if form is None else form.value)


def _write_clustered(output: Path, chosen: Selection, edits: Sequence[Edit], *, columns: bool) -> None:
    from bookbuilder.book.edits import write_edited

    write_edited(output, chosen, edits, columns=columns)


def _write_moves(output: Path, chosen: Selection, to: Format, weighing: Weighing) -> Written:
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.formats.registry import write_moves

    moves = MoveBook.from_selection(chosen, "score" if weighing.weight is None else weighing.weight.value)
    return write_moves(output, moves, to.name, scale=weighing.scale.value)


def _answer(output: Path, tally: Tally, chosen: Selection, written: Written | None) -> dict[str, Any]:
    """What was written, as the command prints it."""
    return {
        "book": str(output),
        "bytes": output.stat().st_size,
        "games": tally.game_count,
        chosen.shape: len(chosen),
        "verdicts": {reason or "kept": count for reason, count in chosen.reasons().items()},
        **({} if written is None else {"written": written_facts(written)}),
    }


def _gathered(
    context: typer.Context,
    inputs: list[str],
    counting: Counting,
    add: Callable[[Tally, Sequence[Path]], tuple[Tally, TallyReport]],
) -> Tally:
    """The tally of all inputs: stores as they are, archives counted with the stores' options."""
    from bookbuilder.tally.store.layout import is_store
    from bookbuilder.tally.tally import Tally

    stores = [Path(entry) for entry in inputs if is_store(entry)]
    archives = [entry for entry in inputs if not is_store(entry)]
    if not stores and not archives:
        raise typer.BadParameter("expected at least one archive or tally store")
    if not stores:
        with named_files(archives) as files:
            return add(Tally.empty(settle(counting, files)), files)[0]
    tally = held_tally(context, stores, counting, apart_from=("max_ply",))
    limit = tally.options.max_ply
    if limit is not None and counting.max_ply is not None and counting.max_ply > limit:
        raise OptionError(
            f"{stores[0]}: was counted up to ply {limit}, --max-ply asks for {counting.max_ply}"
        )
    if archives:
        with named_files(archives) as files:
            tally, _ = add(tally, files)
    return tally


def _print(
    tally: Tally, answer: dict[str, Any], chosen: Selection, written: Written | None, *, json: bool
) -> None:
    if json:
        print_json({"game": tally.game, **answer})
        return
    if "explained" in answer:
        print_explained(answer["explained"])
    if "book" not in answer:
        return
    size = answer["bytes"]
    rows = [
        ("games counted", f"{answer['games']:,}"),
        (chosen.shape, f"{len(chosen):,}"),
        *((f"  {verdict}", f"{count:,}") for verdict, count in answer["verdicts"].items()),
        *(() if written is None else [(f"written: {written.format}", f"{written.moves:,}")]),
        ("bytes", f"{size:,} ({format_bytes(size)})"),
        *(() if written is None else loss_rows(written)),
    ]
    print_table((answer["book"], "figure"), rows)
