"""`bookbuilder book check`: what the moves of a book lose by an engine, and what its exits are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.book.convert import loss_rows
from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import counted, format_bytes, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, EvalsFile, known_evals
from bookbuilder.cli.output import PlotFile, draw, require_free, require_plotting
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.disk import remove_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bookbuilder.engine.check import BookCheck, CheckedMove, Figures
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Plan
    from bookbuilder.evals.table import Evals
    from bookbuilder.games.position import Game

_LISTED: Final = 20
"""Number of losing moves in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is checked, and what is too much."""

    against: Annotated[
        Path, typer.Option("--against", metavar="STORE", help="A tally store: the opponent plays its moves.")
    ]
    positions: Annotated[int, typer.Option("--positions", min=2, help="Maximum positions of each owner.")] = (
        500
    )
    blunder: Annotated[
        int, typer.Option("--blunder", metavar="CP", min=1, help="A move that loses more is a blunder.")
    ] = 100
    max_loss: Annotated[
        int | None,
        typer.Option(
            "--max-loss",
            metavar="CP",
            min=0,
            help="Exit code 1 if a move loses more.",
            show_default="off",
        ),
    ] = None
    evals: EvalsFile = None
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the book without the moves that lose more than --max-loss, or 60.",
            show_default="off",
            rich_help_panel=opt.OUTPUT,
        ),
    ] = None


def check(
    book: AnyBook,
    *,
    limits: Limits,
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
    from bookbuilder.engine.check import USUAL_LOSS, check_figures, run_check
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.tally.store.reading import OpenStore

    require_plotting(plot, force=force)
    require_free(limits.output, force=force)

    def evaluated(plan: Plan, game: Game, known: Evals | None) -> Evaluated:
        """Evaluate the book in use, and keep the evaluations in a file if one is named."""
        journal = None
        if limits.evals is not None:
            known = known_evals(limits.evals, game, fold=plan.fold)
            journal = limits.evals.with_name(f"{limits.evals.name}.journal")
        done = searching.evaluate(plan, game, known=known, journal=journal)
        if limits.evals is not None and journal is not None:
            done.evals.write(limits.evals)
            remove_file(journal)
        return done

    store = OpenStore(limits.against)
    replies = TallyMoves(store, store.options.game, fold=store.options.fold)
    most_loss = USUAL_LOSS if limits.max_loss is None else limits.max_loss
    try:
        found = run_check(
            book,
            replies,
            evaluated,
            positions=limits.positions,
            blunder_cp=limits.blunder,
            output=limits.output,
            max_loss_cp=most_loss,
        )
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{book}: not checked: the engine {fault}") from None
    done, written = found.evaluated, found.written
    facts = {
        "book": str(book),
        "game": found.game,
        "against": str(limits.against),
        "engine": done.engine,
        "network": done.network,
        "nodes": searching.nodes,
        "failed": len(done.failed),
        "blunder_cp": limits.blunder,
        "positions": limits.positions,
    }
    if json:
        clean = {
            "max_loss_cp": most_loss,
            "rounds": found.rounds,
            "dropped": [asdict(each) for each in found.dropped],
            "output": str(limits.output),
        }
        clean = {} if written is None else {**clean, "written": written.to_json()}
        print_json({**facts, **clean, "owners": [asdict(each) for each in found.owners]})
    else:
        _print(facts, found.owners, limits.output or book)
        if written is not None:
            moves = counted(len(found.dropped), "move loses", "moves lose")
            say(f"dropped: {moves} more than {most_loss} centipawns, in {counted(found.rounds, 'check')}")
            _print_losing(found.game, found.dropped)
            say(f"{limits.output}: {counted(written.moves, 'move')}, {format_bytes(written.bytes)}")
            for what, count in loss_rows(written.to_json()):
                say(f"  {what}: {count}")
    for fen, reason in done.failed[:3]:
        note(f"not evaluated: {fen}: {reason}")
    _draw(plot, found)
    if limits.max_loss is None or written is not None:
        return
    too_bad = [
        move
        for each in found.played
        for move in check_figures(each, done.evals, limit_cp=limits.max_loss).losing
    ]
    if too_bad:
        worst = max(too_bad, key=lambda move: move.loss_cp)
        line = " ".join((*worst.line, worst.move))
        what = f"{counted(len(too_bad), 'move loses', 'moves lose')} more than {limits.max_loss} centipawns"
        raise finish(Exit.FAILED, f"{book}: {what}; the worst is {line}, {worst.loss_cp:,}")


def _draw(plot: Path | None, found: BookCheck) -> None:
    """Draw losses and exits, if a plot is asked for; what was not evaluated is left out."""
    if plot is None:
        return
    from bookbuilder.analysis import plots

    moves, exits = found.moves(), found.exits().dropna()
    paints: list[Callable[[Axes], object]] = []
    if len(moves):
        paints.append(lambda ax: plots.losses(moves, blunder_cp=found.blunder_cp, ax=ax))
    if len(exits):
        paints.append(lambda ax: plots.exits(exits, ax=ax))
    if not paints:
        raise finish(Exit.FAILED, f"{plot}: not drawn: no book move and no exit was evaluated")
    draw(plot, *paints, size=(8, 4 * len(paints)))


def _print(facts: dict[str, Any], figures: Sequence[Figures], book: Path) -> None:
    """Print the figures of a book, and the moves that lose."""
    owners = [side_label(facts["game"], each.owner) for each in figures]
    rows = [
        ("book moves compared", *(f"{each.moves:,}" for each in figures)),
        ("  share of those played", *(_percent(each.checked) for each in figures)),
        ("loss of a move, cp", *(_figure(each.mean_loss_cp, "{:.1f}") for each in figures)),
        (
            f"blunders over {facts['blunder_cp']} cp, in 1,000 moves",
            *(_figure(each.blunders, "{:.2f}") for each in figures),
        ),
        ("value at the main exits, cp", *(_figure(each.exit_cp, "{:+.0f}") for each in figures)),
        ("  share of the games", *(_percent(each.exits_checked) for each in figures)),
    ]
    print_table((text(f"{book.name} for"), *map(number, owners)), rows)
    losing = [move for each in figures for move in each.losing]
    say(f"{counted(len(losing), 'move loses', 'moves lose')} more than {facts['blunder_cp']} centipawns")
    _print_losing(facts["game"], losing)
    say(f"engine    {facts['engine']}, {facts['nodes']:,} nodes and more a position")
    say(f"opponent  {facts['against']}")


def _print_losing(game: Game, losing: Sequence[CheckedMove]) -> None:
    if losing:
        columns = (*map(text, ("owner", "move", "best")), number("loss, cp"), number("visits"))
        after = text("after", least=24, wraps=True)
        rows = [
            (
                side_label(game, move.owner),
                move.move,
                move.best or "–",
                f"{move.loss_cp:,}",
                f"{100 * move.visits:.2f} %",
                " ".join(move.line) or "start",
            )
            for move in losing[:_LISTED]
        ]
        print_table((*columns, after), rows)


def _figure(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
