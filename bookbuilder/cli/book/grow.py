"""`bookbuilder book grow`: let a book grow beyond its archive, by searches where it matters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import note, print_json
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, EvalsFile, known_evals
from bookbuilder.cli.output import require_free
from bookbuilder.cli.progress import counting
from bookbuilder.cli.tables import print_facts
from bookbuilder.games.position import SIDES

# What a line may lose, and the scale of weights: expected values are means of many searches.
_SCALE_CP: Final = 2


def grow(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A tally store, from which the book grows.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="BOOK", help="The book, of any format; by its suffix.")
    ],
    *,
    searches: Annotated[int, typer.Option(min=0, help="Searches in all, earlier runs included.")] = 1000,
    min_games: Annotated[int, typer.Option(min=1, help="Minimum games of a move of the store.")] = 3,
    max_ply: Annotated[int, typer.Option(min=1, help="Longest line, in plies.")] = 60,
    own_loss: Annotated[
        int,
        typer.Option(metavar="CP", min=0, help="What the book's own moves may lose on a line, all together."),
    ] = _SCALE_CP,
    evals: EvalsFile = None,
    engines: Engines,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Let a book grow beyond its archive: an engine searches where games and opponents go.

    The same command resumes an interrupted run. With more searches and --force the book grows on.
    """
    import hashlib

    from bookbuilder.book.formats.registry import format_of, write_moves
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.engine.grow.book import grown_book, growth_evals
    from bookbuilder.engine.grow.growth import GrowOptions
    from bookbuilder.engine.grow.growth import grow as run
    from bookbuilder.evals.table import merge_evals
    from bookbuilder.tally.store.reading import OpenStore

    require_free(output, force=force)
    opened = OpenStore(store)
    game, fold = opened.options.game, opened.options.fold
    format_of(output).require_game(output, game)
    # The digests of its sources tell an archive from others.
    digests = sorted(source.blake3 for source in opened.manifest.sources)
    options = GrowOptions(
        searches=searches, nodes=engines.nodes, min_games=min_games, max_ply=max_ply, jobs=engines.jobs
    )
    try:
        growth = run(
            TallyMoves(opened, game, fold=fold),
            game,
            engines.spec(game),
            options,
            fold=fold,
            seed=hashlib.sha256(" ".join(digests).encode()).hexdigest()[:16],
            known=None if evals is None else known_evals(evals, game, fold=fold),
            log=output.with_name(f"{output.name}.growth"),
            progress=counting,
        )
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{output}: not written: the engine {fault}") from None
    tree = growth.tree
    written = write_moves(output, grown_book(tree, own_loss=own_loss, scale=_SCALE_CP), scale="position")
    if evals is not None:
        known, new = known_evals(evals, game, fold=fold), growth_evals(growth, nodes=engines.nodes)
        (new if known is None else merge_evals([known, new])).write(evals)
    figures: dict[str, Any] = {
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
    }
    if json:
        facts = {"store": str(store), "book": str(output), **figures, "written": written.to_json()}
        print_json({**facts, "failures": [{"fen": fen, "reason": reason} for fen, reason in growth.failed]})
    else:
        figures |= {"start_value_cp": f"{figures['start_value_cp']:+}", "book moves": written.moves}
        del figures["expanded"]
        print_facts(output.name, [(_NAMES.get(name, name), value) for name, value in figures.items()])
    if growth.note:
        note(growth.note)
    for fen, reason in growth.failed[:3]:
        note(f"not searched: {fen}: {reason}")


_NAMES: Final = {
    "positions": "positions in the tree",
    "resumed": "  from earlier runs",
    "searched": "searches made",
    "searches": "  with earlier runs",
    "known": "evaluations used",
    "longest_line": "longest line, plies",
    "start_value_cp": "value of the start, cp",
}
"""What a table calls the figures."""
