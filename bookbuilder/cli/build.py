"""`bookbuilder build`: build a book from archives and tally stores, or again from a recipe."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.archives.filters import FACET_FILTERS, GameFilter
from bookbuilder.archives.sources import is_url
from bookbuilder.book.recipe import read_recipe, tallied_again
from bookbuilder.cli.book.summary import build_lines, dropped_rows, skipped_games
from bookbuilder.cli.console import display, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.inputs import (
    add_to,
    check_losses,
    named_files,
    nothing_counted,
    require_counted,
    require_game,
    require_plies,
    settle,
    tell_rejects,
)
from bookbuilder.cli.notation import notation_of
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import Counting
from bookbuilder.cli.options.fields import given_options
from bookbuilder.cli.options.position import position_at
from bookbuilder.cli.options.selecting import Selecting
from bookbuilder.cli.options.selection import in_selection, refuse_other_side
from bookbuilder.cli.output import require_free
from bookbuilder.cli.progress import phase
from bookbuilder.errors import OptionError
from bookbuilder.games.position import known_position

if TYPE_CHECKING:
    from bookbuilder.book.book import Book
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.formats.registry import Format
    from bookbuilder.selection.options import SelectionOptions, Shape
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally


_NODES: Final = 20_000  # of the least reached position, with --engine; of the most reached 64 times as many
_STEPS: Final = 6
_MOST_SEARCHED: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """Inputs, output and limits of a build."""

    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT", help="Archive, folder, URL, @LIST, - (stdin), or tally store."),
    ] = None
    output: Annotated[Path | None, opt.in_output("--output", "-o", metavar="BOOK", help="Book to write.")] = (
        None
    )
    form: Annotated[
        str | None,
        opt.in_output(
            "--format", metavar="FORMAT", help="polyglot, abk, obk, pgn, csv …", show_default="by its suffix"
        ),
    ] = None
    explain: Annotated[
        str | None, opt.in_output(metavar="POSITION", help="Explain the verdicts at a position.")
    ] = None
    recipe: Annotated[
        Path | None,
        opt.in_output(
            hidden=True, metavar="FILE", help="Rebuild a book byte for byte, from it or its recipe."
        ),
    ] = None
    memory: opt.Memory = None
    jobs: opt.Jobs = None
    rejects: opt.RejectsFile = None
    force: opt.Force = False
    json: opt.Json = False

    def format(self) -> Format:
        """Return the format to write, by the option or the name; without a suffix it is a clustered book."""
        from bookbuilder.book.formats.registry import FORMATS, format_of

        if self.output is None or (self.form is None and not self.output.suffix):
            return FORMATS["book"]
        return format_of(self.output, self.form)

    def add(self, tally: Tally, files: Sequence[Path]) -> tuple[Tally, TallyReport]:
        """Return the tally with the games of archives added, and the report of the run."""
        after, report = add_to(tally, files, rejects=self.rejects, memory=self.memory, jobs=self.jobs)
        if not tally.game_count and not report.games_used and self.output is not None:
            raise nothing_counted(f"{self.output}: not written", report)
        tell_rejects(report)
        return after, report


@dataclass(frozen=True, slots=True, kw_only=True)
class Valuing:
    """An engine that values moves before a book is built."""

    engine: Annotated[
        str | None, in_selection(metavar="CMD", help="Let this engine value the moves, into BOOK.evals.")
    ] = None
    minutes: Annotated[float, in_selection(metavar="M", min=0.01, help="Minutes for --engine.")] = 10


def build(
    context: typer.Context, counting: Counting, selecting: Selecting, valuing: Valuing, asked: Building
) -> None:
    """Build an opening book from archives or tally stores.

    A move stays if enough games played it, unless it is proved worse.
    """
    from bookbuilder.book.build import without_rare
    from bookbuilder.selection.select import select

    to = _checked(context, asked, counting, selecting, valuing)
    if asked.recipe is not None:
        recipe = read_recipe(asked.recipe)
        with ExitStack() as downloads:

            def file_of(name: str) -> Path:
                return downloads.enter_context(named_files([name]))[0] if is_url(name) else Path(name)

            tally = tallied_again(recipe, asked.add, file_of)
        options = recipe["selection"]
    else:
        shape: Shape = "positions" if to.name == "book" else "moves"
        options = _options(context, counting, selecting, shape=shape)
        tally = _tally(context, asked, replace(counting, max_ply=options.max_ply))
        refuse_other_side(counting.side, tally.game)
        # A store may be counted further than the book goes.
        if counting.max_ply is not None and counting.max_ply == tally.options.max_ply:
            options = replace(options, max_ply=None)
        elif options.max_ply not in (None, tally.options.max_ply):
            end, last = options.max_ply, tally.options.max_ply
            counted = "whole games" if last is None else f"{last} plies"
            if last is not None and last < end:
                note(f"the store counts {counted}: the book ends there, not at ply {end}")
            else:
                note(f"the store counts {counted}: visits of a position after ply {end} count too")
    answer: dict[str, Any] = {}
    if valuing.engine is not None and asked.output is not None:
        answer["engine"] = _valued(tally, options, valuing, asked.output, asked.jobs)
        options = replace(options, evals=answer["engine"]["evals"])
    with phase("selecting"):
        if asked.explain is None:
            tally = without_rare(tally, options)
        chosen = select(tally, options)
    if asked.explain is not None:
        with phase("explaining"):
            notation = None if asked.json else notation_of(tally.game)
            answer["explained"] = _explained(tally, chosen, asked.explain, notation)
    if "engine" in answer:
        answer["engine"] |= _losses(chosen)
    if asked.output is not None:
        answer |= _written(asked.output, tally, chosen, to, is_told=asked.json or not display.is_quiet)
    if asked.json:
        print_json({"game": tally.game, **answer})
    else:
        if (told := answer.get("explained")) is not None:
            from bookbuilder.cli.moves import print_answer

            rows = [{**row, "move": row["san"], "judged": row, "quality": None} for row in told["moves"]]
            print_answer({**told, "moves": rows})
        if "book" in answer and not display.is_quiet:
            for line in build_lines(tally.game, answer):
                say(line)
    check_losses(tally.report)
    if asked.output is None and not answer["explained"]["moves"]:
        raise finish(Exit.FAILED, f"no game has a move at {answer['explained']['fen']}")


def _checked(
    context: typer.Context, asked: Building, counting: Counting, selecting: Selecting, valuing: Valuing
) -> Format:
    """Return the format to write. Refuse impossible requests before archives are read."""
    if asked.output is None and asked.explain is None:
        raise typer.BadParameter("expected -o BOOK, or --explain POSITION")
    to = asked.format()
    for path, other in ((asked.output, None), (asked.rejects, asked.output)):
        require_free(path, force=asked.force, read=asked.inputs or (), other=other)
    if asked.recipe is not None:
        # It determines archives, options of counting and selection, columns and format.
        if asked.inputs:
            raise typer.BadParameter("--recipe names the archives itself: do not give INPUT with it")
        if to.name != "book":
            raise typer.BadParameter("--recipe needs -o with a name that ends in .book")
        fixed = [each.name for kind in (Counting, Selecting, Valuing) for each in fields(kind)]
        if given := given_options(context, fixed):
            names = {parameter.name: parameter.opts[0] for parameter in context.command.params}
            raise typer.BadParameter(
                f"--recipe builds the same book again: do not give {names[given[0]]} with it; "
                "to build another book, name the archives instead"
            )
    if valuing.engine is not None and (asked.output is None or given_options(context, ["evals"])):
        raise typer.BadParameter("--engine writes BOOK.evals: give -o BOOK with it, and no --evals")
    if valuing.engine is None and given_options(context, ["minutes"]):
        raise typer.BadParameter("--minutes is the time of --engine: give the engine too")
    _options(context, counting, selecting)
    return to


def _options(
    context: typer.Context, counting: Counting, selecting: Selecting, *, shape: Shape = "positions"
) -> SelectionOptions:
    """Return the options of the selection; --max-ply is an option of counting, too.

    With --engine they have empty evaluations, until the engine has made some.
    """
    pending: dict[str, Any] = {}
    if given_options(context, ["engine"]):
        from bookbuilder.evals.table import Evals

        pending = {"evals": Evals.empty("chess")}
    options = selecting.to_options(context, side=counting.side, shape=shape, **pending)
    return options if counting.max_ply is None else replace(options, max_ply=counting.max_ply)


def _valued(
    tally: Tally, options: SelectionOptions, valuing: Valuing, output: Path, jobs: int | None
) -> dict[str, Any]:
    """Let the engine value the moves, and return what was done."""
    from bookbuilder.cli.options.searching import evaluate_into
    from bookbuilder.engine.evaluate.plan import plan_tally

    file = output.with_name(f"{output.name}.evals")
    limits = options.resolved(tally.game, tally.game_count)
    least = max(limits.least_games, 1)
    with phase("planning the searches"):
        searches = plan_tally(tally, most=_MOST_SEARCHED, min_games=least, max_ply=limits.max_ply)
    done = evaluate_into(
        file,
        searches,
        tally.game,
        valuing.engine or "",
        product=f"{output}: not written",
        nodes=_NODES,
        steps=_STEPS,
        jobs=jobs or os.cpu_count() or 1,
        seconds=60 * valuing.minutes,
    )
    return {"name": done.engine, "network": done.network, "evals": str(file), "searched": done.searched}


def _losses(chosen: Selection) -> dict[str, float | None]:
    """Return what a book move loses on average by the engine's values, with and without them."""
    import numpy as np

    from bookbuilder.columns import values
    from bookbuilder.selection.candidates import group_starts
    from bookbuilder.selection.quality import mean_losses

    table, options = (moves := chosen.shaped("moves")).rows, moves.recipe["selection"]
    key, lock, kept = (values(table.column(name)) for name in ("key", "lock", "kept"))
    worth, games = (values(table.column(name), null=0).astype(float) for name in ("worth", "played"))
    starts = group_starts(key, lock)
    losses = mean_losses(
        worth * kept,
        games,
        table.column("expected").to_numpy(),
        np.repeat(np.arange(starts.size), np.diff(starts, append=key.size)),
        options["sharpen"] or 1,
        options["loss_scale"],
    )
    found = (None if loss != loss else loss for loss in losses)
    return dict(zip(("loss_cp", "loss_without_cp"), found, strict=True))


def _tally(context: typer.Context, asked: Building, counting: Counting) -> Tally:
    """Return the tally of all inputs: stores as they are, archives counted with the options of the stores."""
    from bookbuilder.tally.store.layout import is_store
    from bookbuilder.tally.tally import Tally

    inputs = asked.inputs or []
    if not inputs:
        raise typer.BadParameter("expected at least one archive or tally store")
    stores = [Path(entry) for entry in inputs if is_store(entry)]
    archives = [entry for entry in inputs if not is_store(entry)]
    if not archives and asked.rejects is not None:
        raise OptionError("--rejects is about archives: a store keeps no rejected games")
    if not stores:
        with named_files(archives) as files:
            return asked.add(Tally.empty(settle(counting, files)), files)[0]
    with phase("opening the store"):
        tally = _opened(context, stores, counting)
    if archives:
        with named_files(archives) as files:
            require_game(stores[0], tally.game, files)
            tally, _ = asked.add(tally, files)
    return tally


def _opened(context: typer.Context, stores: Sequence[Path], counting: Counting) -> Tally:
    """Return the tallies of stores, added up, with the games that facets tell apart."""
    from bookbuilder.tally.store.layout import read_manifest
    from bookbuilder.tally.tally import Tally

    # Only what was said on this command line can differ from what a store was counted with.
    given = counting.changes(context)
    # A store may be counted further than the book goes.
    given.pop("max_ply", None)
    tallies = []
    for store in stores:
        options, asked, filters = read_manifest(store).options, dict(given), None
        if counting.side != "both" and "player-side" in options.facets:
            asked["player_side"] = counting.side
        if options.facets:
            if "rating" in options.facets and not asked.keys().isdisjoint(("min_rating", "max_rating")):
                asked["rating_of"] = "mean"  # which the bands of ratings are of
            changed = options.changed(asked).filters
            pairs = ((name, getattr(changed, name)) for name in FACET_FILTERS)
            filters = GameFilter(**{k: value for k, value in pairs if value != getattr(options.filters, k)})
        tally = Tally.open(store, filters=filters)
        require_counted(store, tally.options, asked)
        tallies.append(tally)
    tally = reduce(add, tallies)
    require_plies(stores[0], tally.options, context.params["max_ply"])
    return tally


def _written(output: Path, tally: Tally, chosen: Selection, to: Format, *, is_told: bool) -> dict[str, Any]:
    """Write the book, and return what it is. Without `is_told` the walk through it is skipped."""
    from bookbuilder.book.book import Book
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.book.formats.registry import write_moves

    reasons = chosen.reasons()
    if not reasons.get("", 0):
        dropped = dropped_rows(reasons, chosen.recipe["selection"]["min_games"])
        why = ", ".join(f"{count:,} {words}" for words, count in dropped.items())
        why = f"; lower the limits: {why}" if dropped else ": no move was counted"
        raise finish(Exit.FAILED, f"{output}: not written, no {chosen.shape[:-1]} is kept{why}")
    if _has_few_results(chosen):
        note("most moves are of games without a result, and add no weight; --criteria result=0 counts games")
    facts: dict[str, Any] = {"book": str(output), "games": tally.game_count, "moves": None}
    book: Book | MoveBook
    with phase("writing the book"):
        if to.name == "book":
            book = Book.write(output, chosen)
            facts["positions"] = len(book)
        else:
            book = MoveBook.from_selection(chosen)
            written = write_moves(output, book, to.name)
            # What the file holds is what `info` will say.
            if is_told and to.read is not None and output.is_file():
                book = to.read(output)
            facts |= {"moves": len(book), "positions": book.positions, "written": written.to_json()}
    if not is_told:
        return facts
    from bookbuilder.book.reach import selection_reach

    with phase("following the book from the start"):
        reach = selection_reach(chosen, book)
    return {
        **facts,
        "bytes": output.stat().st_size,
        "verdicts": {reason or "kept": count for reason, count in reasons.items()},
        "min_games": chosen.recipe["selection"]["min_games"],
        "reach": reach.to_json(),
        "skipped": skipped_games(tally),
    }


def _has_few_results(chosen: Selection) -> bool:
    """Return whether results make the weights, though most of the games have none."""
    from bookbuilder.columns import values
    from bookbuilder.selection.criteria import Criteria

    options, names = chosen.recipe["selection"], ("wins", "draws", "losses")
    games, *known = (
        int(values(chosen.rows.column(name)).sum())
        for name in ("played" if chosen.shape == "moves" else "reached", *names)
    )
    weighs_results = options["sharpen"] > 0 and Criteria.of(options["criteria"]).result > 0
    return 0 < 2 * sum(known) < games and weighs_results


def _explained(tally: Tally, selection: Selection, position: str, notation: str | None) -> dict[str, Any]:
    """Return the moves at the position that a text names, each with its verdict and the reason in words."""
    from bookbuilder.selection.explain import explain, verdict_on

    here = known_position(position_at(tally.game, position), tally.reached)
    key, lock = here.stored(selection.fold)
    own = verdict_on(selection, here) if selection.shape == "positions" else None
    return {
        "game": tally.game,
        # The games whose results the rows have.
        "basis": "reached" if selection.shape == "positions" else "played",
        "fen": here.fen,
        "key": f"0x{key:016x}",
        "lock": f"0x{lock:08x}",
        "reached": tally.reached(here),
        "reason": None if own is None else own["reason"],
        "moves": explain(tally, selection, here, notation=notation).to_dict("records"),
    }
