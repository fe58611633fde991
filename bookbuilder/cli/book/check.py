"""`bookbuilder book check`: what the moves of a book lose by an engine, and what its exits are worth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bookbuilder.cli.book.files import loss_rows
from bookbuilder.cli.console import counted, format_bytes, note, print_json, say
from bookbuilder.cli.evaluate import print_losing
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_line
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, EvalsFile
from bookbuilder.cli.output import PlotFile, draw, require_free, require_plotting
from bookbuilder.cli.tables import number, print_table, text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bookbuilder.engine.check import BookCheck
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Plan
    from bookbuilder.evals.table import Evals
    from bookbuilder.games.position import Game


def check(
    book: opt.Book,
    *,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="STORE",
            help="A tally store: the opponent plays its moves.",
            show_default="the moves of the book",
        ),
    ] = None,
    positions: Annotated[int, typer.Option(min=2, help="Maximum positions of each owner.")] = 500,
    max_loss: Annotated[
        int | None,
        typer.Option(
            metavar="CP",
            min=0,
            help="A move that loses more is a blunder; if given, exit code 1 if there is one.",
            show_default="60",
        ),
    ] = None,
    evals: EvalsFile = None,
    output: Annotated[
        Path | None,
        opt.in_output(
            "-o", "--output", metavar="FILE", help="Write the book without the blunders.", show_default="off"
        ),
    ] = None,
    searching: Engines,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
) -> None:
    """Check whether a book is sound: what its moves lose by an engine, and what its exits are worth.

    The owner plays book moves by weight, the opponent the moves of the store by frequency. The most reached
    positions are evaluated, as by `evaluate`. With -o, losing moves are dropped, and the rest is checked
    again. Moves that were not compared stay.
    """
    from bookbuilder.book.play import TallyMoves
    from bookbuilder.engine.check import USUAL_LOSS, run_check
    from bookbuilder.tally.store.reading import OpenStore

    require_plotting(plot, force=force)
    require_free(output, force=force)

    def evaluated(plan: Plan, game: Game, known: Evals | None) -> Evaluated:
        return searching.evaluate(plan, game, evals, known=known, product=f"{book}: not checked")

    replies = None
    if against is not None:
        store = OpenStore(against)
        replies = TallyMoves(store, store.options.game, fold=store.options.fold)
    limit = USUAL_LOSS if max_loss is None else max_loss
    found = run_check(book, replies, evaluated, positions=positions, max_loss_cp=limit, output=output)
    done, written, figures, moves = found.evaluated, found.written, found.figures(), found.moves()
    names = ("owner", "after", "move", "best", "loss_cp", "share")
    losing, dropped = (
        [dict(zip(names, row, strict=True)) for row in each.itertuples(index=False, name=None)]
        for each in (moves[moves["loss_cp"] > limit], found.dropped)
    )
    listed = losing if written is None else dropped
    worse = f"{counted(len(listed), 'move loses', 'moves lose')} more than {limit} centipawns"
    facts = {
        "book": str(book),
        "game": found.game,
        "against": str(against or book),
        "engine": done.engine,
        "network": done.network,
        "nodes": searching.nodes,
        "failed": len(done.failed),
        "max_loss_cp": limit,
        "positions": positions,
    }
    if json:
        clean = {"rounds": found.rounds, "dropped": dropped, "output": str(output)}
        clean = {} if written is None else {**clean, "written": written.to_json()}
        known = figures.astype(object).where(figures.notna(), None)
        print_json({**facts, **clean, "owners": known.to_dict(), "losing": losing})
    else:
        _print(facts, figures, output or book)
        say(worse if written is None else f"dropped: {worse}, in {counted(found.rounds, 'check')}")
        print_losing(found.game, listed, "visits")
        if written is not None:
            say(f"{output}: {counted(written.moves, 'move')}, {format_bytes(written.bytes)}")
            for what, count in loss_rows(written.to_json()):
                say(f"  {what}: {count:,}")
    for fen, reason in done.failed[:3]:
        note(f"not evaluated: {fen}: {reason}")
    if plot is not None:
        _draw(plot, found, moves)
    if losing and max_loss is not None and written is None:
        worst = max(losing, key=lambda row: row["loss_cp"])
        line = shown_line(found.game, f"{worst['after']} {worst['move']}".lstrip())
        raise finish(Exit.FAILED, f"{book}: {worse}; the worst is {line}, {worst['loss_cp']:,}")


def _draw(plot: Path, found: BookCheck, moves: pd.DataFrame) -> None:
    from bookbuilder.analysis import plots

    exits = found.exits().dropna()
    paints: list[Callable[[Axes], object]] = []
    if len(moves):
        paints.append(lambda ax: plots.losses(moves, max_loss_cp=found.max_loss_cp, ax=ax))
    if len(exits):
        paints.append(lambda ax: plots.exits(exits, ax=ax))
    if not paints:
        raise finish(Exit.FAILED, f"{plot}: not drawn: no book move and no exit was evaluated")
    draw(plot, *paints, size=(8, 4 * len(paints)))


def _print(facts: dict[str, Any], figures: pd.DataFrame, book: Path) -> None:
    """Print the figures of a book, a column for each owner."""
    names = (
        ("moves", "book moves compared", ",.0f"),
        ("checked", "  share of those played", ".1%"),
        ("mean_loss_cp", "loss of a move, cp", ".1f"),
        ("blunders", f"blunders over {facts['max_loss_cp']} cp, in 1,000 moves", ".2f"),
        ("exit_cp", "value at the main exits, cp", "+.0f"),
        ("exits_checked", "  share of the games", ".1%"),
    )
    rows = [
        (label, *("–" if each != each else f"{each:{form}}".replace("%", " %") for each in figures.loc[name]))
        for name, label, form in names
    ]
    owners = [number(owner.capitalize()) for owner in figures.columns]
    print_table((text(f"{book.name} for"), *owners), rows)
    say(f"engine    {facts['engine']}, {facts['nodes']:,} nodes and more a position")
    say(f"opponent  {facts['against']}")
