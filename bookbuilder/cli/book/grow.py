"""`bookbuilder book grow`: let a book grow beyond its archive, by searches where it matters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.console import note, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, EvalsFile, known_evals
from bookbuilder.cli.output import require_free
from bookbuilder.cli.progress import counting
from bookbuilder.cli.tables import facts_columns, print_table
from bookbuilder.games.position import SIDES

if TYPE_CHECKING:
    from bookbuilder.book.formats.registry import Written
    from bookbuilder.engine.grow.growth import Growth
    from bookbuilder.tally.store.reading import OpenStore

_SUFFIX: Final = ".growth"
# What a line may lose, and the scale of weights: expected values are means of many searches.
_SCALE_CP: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """How far the book grows, and what it keeps."""

    searches: Annotated[int, typer.Option(min=0, help="Searches in all, with those of earlier runs.")] = 1000
    min_games: Annotated[int, typer.Option(min=1, help="Minimum games of a move of the store.")] = 3
    max_ply: Annotated[int, typer.Option(min=1, help="Longest line, in plies.")] = 60
    own_loss: Annotated[
        int,
        typer.Option(metavar="CP", min=0, help="What the book's own moves may lose on a line, all together."),
    ] = _SCALE_CP
    evals: EvalsFile = None


def grow(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A tally store, from which the book grows.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="BOOK", help="The book, of any format; by its suffix.")
    ],
    *,
    growing: Growing,
    engines: Engines,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Let a book grow beyond its archive: an engine searches where games and opponents go.

    The same command resumes an interrupted run, and with more searches the book grows on.
    """
    from bookbuilder.book.formats.registry import format_of
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.tally.store.reading import OpenStore

    require_free(output, force=force)
    opened = OpenStore(store)
    format_of(output).require_game(output, opened.options.game)
    try:
        growth = _grown(opened, output, growing, engines)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{output}: not written: the engine {fault}") from None
    facts = _facts(store, output, growth, _write(output, growth, growing, nodes=engines.nodes))
    if json:
        print_json({**facts, "failures": [{"fen": fen, "reason": reason} for fen, reason in growth.failed]})
    else:
        _print(output, facts)
    if growth.note:
        note(growth.note)
    for fen, reason in growth.failed[:3]:
        note(f"not searched: {fen}: {reason}")


def _grown(store: OpenStore, output: Path, growing: Growing, engines: Engines) -> Growth:
    import hashlib

    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.grow.growth import GrowOptions
    from bookbuilder.engine.grow.growth import grow as run

    game, fold = store.options.game, store.options.fold
    # The digests of its sources tell an archive from others.
    digests = sorted(source.blake3 for source in store.manifest.sources)
    known = None if growing.evals is None else known_evals(growing.evals, game, fold=fold)
    options = GrowOptions(
        searches=growing.searches,
        nodes=engines.nodes,
        min_games=growing.min_games,
        max_ply=growing.max_ply,
        jobs=engines.jobs,
    )
    return run(
        TallyMoves(store, game, fold=fold),
        game,
        engines.spec(game),
        options,
        fold=fold,
        seed=hashlib.sha256(" ".join(digests).encode()).hexdigest()[:16],
        known=known,
        log=output.with_name(f"{output.name}{_SUFFIX}"),
        progress=counting,
    )


def _write(output: Path, growth: Growth, growing: Growing, *, nodes: int) -> Written:
    """Write the book, and the evaluations if they are asked for."""
    from bookbuilder.book.formats.registry import write_moves
    from bookbuilder.engine.grow.book import grown_book, growth_evals
    from bookbuilder.evals.table import merge_evals

    book = grown_book(growth.tree, own_loss=growing.own_loss, scale=_SCALE_CP)
    written = write_moves(output, book, scale="position")
    if growing.evals is not None:
        tree = growth.tree
        known = known_evals(growing.evals, tree.nodes[0].position.game, fold=tree.fold)
        new = growth_evals(growth, nodes=nodes)
        (new if known is None else merge_evals([known, new])).write(growing.evals)
    return written


def _facts(store: Path, output: Path, growth: Growth, written: Written) -> dict[str, Any]:
    tree = growth.tree
    return {
        "store": str(store),
        "book": str(output),
        "engine": growth.engine,
        "positions": len(tree.nodes),
        "resumed": growth.resumed,
        "searched": growth.searched,
        "searches": growth.total,
        "known": growth.known,
        "failed": len(growth.failed),
        "expanded": {side: growth.expanded[number] for number, side in enumerate(SIDES)},
        "longest_line": max(node.ply for node in tree.nodes),
        "start_value_cp": round(tree.nodes[0].expected[0]),
        "written": written.to_json(),
    }


def _print(output: Path, facts: dict[str, Any]) -> None:
    written = facts["written"]
    rows = [
        ("engine", facts["engine"]),
        ("positions in the tree", f"{facts['positions']:,}"),
        ("  from earlier runs", f"{facts['resumed']:,}"),
        ("searches made", f"{facts['searched']:,}"),
        ("  with earlier runs", f"{facts['searches']:,}"),
        ("evaluations used", f"{facts['known']:,}"),
        ("failed", f"{facts['failed']:,}"),
        ("longest line, plies", f"{facts['longest_line']:,}"),
        ("value of the start, cp", f"{facts['start_value_cp']:+}"),
        ("book moves", f"{written['moves']:,}"),
    ]
    print_table(facts_columns(output.name, "figure"), rows)
