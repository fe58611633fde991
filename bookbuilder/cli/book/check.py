"""`bookbuilder book check`: what the moves of a book lose by an engine, and what its exits are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.book.gaps import AnyBook
from bookbuilder.cli.book.judged import EvalsFile, evaluated, played_book
from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import note, number, print_json, print_table, say, text
from bookbuilder.cli.drawing import PlotFile, draw, require_plotting
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.counting import spread
from bookbuilder.cli.options.searching import Searching

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bookbuilder.engine.check.check import BookCheck
    from bookbuilder.engine.check.figures import CheckedMove, Figures
    from bookbuilder.engine.check.graph import Played
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.games.position import Game

__all__ = ["check"]

_LISTED: Final = 20
"""Number of losing moves in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is checked, and what is too much."""

    against: Annotated[
        Path, typer.Option("--against", metavar="STORE", help="A tally store: the opponent plays its moves.")
    ]
    positions: Annotated[
        int, typer.Option("--positions", min=2, help="Maximum number of positions of each owner.")
    ] = 500
    blunder: Annotated[
        int, typer.Option("--blunder", metavar="CP", min=1, help="A move that loses more is a blunder.")
    ] = 100
    give_away: Annotated[
        int,
        typer.Option(
            "--give-away",
            metavar="CP",
            min=0,
            help="Centipawns that an opponent gives away to leave the book.",
        ),
    ] = 50
    max_loss: Annotated[
        int | None,
        typer.Option(
            "--max-loss", metavar="CP", min=0, help="Exit code 1 if a move loses more.", show_default="off"
        ),
    ] = None
    evals: EvalsFile = None


@spread
def check(
    book: AnyBook,
    *,
    limits: Limits,
    searching: Searching,
    plot: PlotFile = None,
    force: opt.Force = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Check whether a book is sound: what its moves lose by an engine, and what its exits are worth.

    The owner plays book moves by weight, the opponent the moves of the store by frequency. The most reached
    positions are evaluated, as by `evaluate`.
    """
    from bookbuilder.engine.check.check import BookCheck
    from bookbuilder.engine.match.player import PlayerFault

    require_plotting(plot, force=force)
    game, games, fold = played_book(book, limits.against, limits.positions)
    try:
        done = evaluated(game, games, fold, limits.evals, searching, quiet=quiet)
    except PlayerFault as fault:
        raise finish(Exit.FAILED, f"{book}: not checked: the engine {fault}") from None
    found = BookCheck.of(
        game,
        games,
        done.evals,
        engine=done.engine,
        blunder_cp=limits.blunder,
        give_away_cp=limits.give_away,
    )
    facts = _facts(book, game, done, limits, searching)
    if json:
        print_json({**facts, "owners": [asdict(each) for each in found.owners]})
    else:
        _print(facts, found.owners)
    for fen, reason in done.failed[:3]:
        note(f"not evaluated: {fen}: {reason}", quiet=quiet)
    _draw(plot, found, quiet=quiet)
    _require_sound(book, games, done, limits)


def _facts(book: Path, game: Game, done: Evaluated, limits: Limits, searching: Searching) -> dict[str, Any]:
    return {
        "book": str(book),
        "game": game,
        "against": str(limits.against),
        "engine": done.engine,
        "network": done.network,
        "nodes": searching.nodes,
        "failed": len(done.failed),
        "blunder_cp": limits.blunder,
        "give_away_cp": limits.give_away,
        "positions": limits.positions,
    }


def _draw(plot: Path | None, found: BookCheck, *, quiet: bool) -> None:
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
    draw(plot, *paints, quiet=quiet, size=(8, 4 * len(paints)))


def _require_sound(book: Path, games: Sequence[Played], done: Evaluated, limits: Limits) -> None:
    """End with exit code 1 if a move loses more than the user allows."""
    from bookbuilder.engine.check.figures import check_figures

    if limits.max_loss is None:
        return
    found: list[CheckedMove] = []
    for each in games:
        strict = check_figures(each, done.evals, limit_cp=limits.max_loss, give_away_cp=limits.give_away)
        found += strict.losing
    if found:
        worst = max(found, key=lambda move: move.loss_cp)
        line = " ".join((*worst.line, worst.move))
        what = f"{len(found):,} moves lose more than {limits.max_loss} centipawns"
        raise finish(Exit.FAILED, f"{book}: {what}; the worst is {line}, {worst.loss_cp:,}")


def _print(facts: dict[str, Any], figures: Sequence[Figures]) -> None:
    owners = [side_label(facts["game"], each.owner) for each in figures]
    rows = [
        ("book moves compared", *(f"{each.moves:,}" for each in figures)),
        ("  share of those played", *(_percent(each.checked) for each in figures)),
        ("loss of a move, cp", *(_figure(each.mean_loss_cp, "{:.1f}") for each in figures)),
        (
            f"blunders over {facts['blunder_cp']} cp, in 1,000 moves",
            *(_figure(each.blunders, "{:.2f}") for each in figures),
        ),
        ("loss on the worst line, cp", *(f"{each.path_loss_cp:,}" for each in figures)),
        ("value at the main exits, cp", *(_figure(each.exit_cp, "{:+.0f}") for each in figures)),
        ("  share of the games", *(_percent(each.exits_checked) for each in figures)),
    ]
    if any(each.drop_out_ply is not None for each in figures):
        plies = ("–" if each.drop_out_ply is None else f"{each.drop_out_ply}" for each in figures)
        rows.append((f"opponent can leave for {facts['give_away_cp']} cp at ply", *plies))
    print_table((text(f"{Path(facts['book']).name} for"), *map(number, owners)), rows)
    losing = [move for each in figures for move in each.losing]
    say(f"{len(losing):,} moves lose more than {facts['blunder_cp']} centipawns")
    if losing:
        columns = (*map(text, ("owner", "move", "best")), number("loss, cp"), number("visits"))
        after = text("after", least=24, wraps=True)
        print_table((*columns, after), [_losing_cells(facts["game"], move) for move in losing[:_LISTED]])
    say(f"engine    {facts['engine']}, {facts['nodes']:,} nodes and more a position")
    say(f"opponent  {facts['against']}")


def _losing_cells(game: Game, move: CheckedMove) -> tuple[str, ...]:
    visits, line = f"{100 * move.visits:.2f} %", " ".join(move.line) or "start"
    return side_label(game, move.owner), move.move, move.best or "–", f"{move.loss_cp:,}", visits, line


def _figure(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
