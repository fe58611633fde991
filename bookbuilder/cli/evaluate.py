"""`bookbuilder evaluate`: let an engine evaluate the positions of a store."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.console import counted, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.notation import shown_line, shown_move
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.position import position_at
from bookbuilder.cli.options.searching import Engines, known_evals
from bookbuilder.cli.progress import phase
from bookbuilder.cli.tables import Cell, number, print_table, text
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Plan
    from bookbuilder.games.position import Game

_LISTED: Final = 20
"""Number of losing moves in the table."""


def evaluate(
    source: opt.Store,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Evaluations; an existing file is added to."),
    ],
    *,
    positions: Annotated[
        int, typer.Option(min=1, help="Maximum number of positions, the most reached first.")
    ] = 1000,
    min_games: Annotated[int, typer.Option(min=1, help="Minimum number of games of a move.")] = 3,
    max_ply: Annotated[int, typer.Option(min=1, help="Maximum ply of a position.")] = 40,
    searching: Engines,
    dump: Annotated[
        Path | None,
        typer.Option(
            "--lichess",
            metavar="FILE",
            help="Take evaluations from lichess's dump (.jsonl, .jsonl.zst) instead.",
        ),
    ] = None,
    comments: Annotated[
        str | None,
        typer.Option(metavar="GAMES", help="Take the mean of the [%eval] comments of these games instead."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Let an engine evaluate positions, and list the moves that lose.

    `build --evals FILE` drops such moves. An interrupted run is resumed by the same command. `book check`
    does the same for a book.
    """
    from bookbuilder.archives.kinds import describe_mistake, recognise
    from bookbuilder.engine.evaluate.evaluate import VERIFY_CP
    from bookbuilder.engine.evaluate.plan import plan_tally
    from bookbuilder.tally.tally import Tally

    if (mistake := describe_mistake(source, "store")) is not None:
        found = recognise(source)
        if found is not None and found.kind == "book":
            mistake += f". Evaluate a book with: bookbuilder book check {shlex.quote(str(source))}"
        raise OptionError(mistake)
    if dump is not None and comments is not None:
        raise OptionError("--lichess and --comments are two sources: give one after the other")
    if (dump is not None or comments is not None) and searching != Engines():
        raise OptionError(
            "--lichess and --comments search nothing: give no --engine, --option, --nodes or -j"
        )
    tally = Tally.open(source)
    plan = plan_tally(tally, most=positions, min_games=min_games, max_ply=max_ply)
    if (given := comments if dump is None else dump) is None:
        done = searching.evaluate(plan, tally.game, output, product=f"{output}: not written")
    else:
        done = _imported(plan, tally.game, dump, comments or "", output)
    facts = {
        "source": str(source),
        "output": str(output),
        "game": done.evals.game,
        "engine": done.engine,
        "network": done.network,
        "nodes": searching.nodes,
        "verify_cp": VERIFY_CP,
        "positions": len(plan.targets),
        "searched": done.searched,
        "known": done.known,
        "failed": len(done.failed),
        "moves_compared": done.compared,
        "moves_losing": len(done.losing),
        "rows": len(done.evals),
        "imported": given is not None,
    }
    losing = []
    for each in done.losing:
        target = plan.targets[each.move.before]
        here = target.position
        losing.append(
            {
                "fen": here.fen,
                "after": target.line,
                "move": here.san(each.move.code),
                "best": None if each.best is None else here.san(each.best),
                "loss_cp": each.loss_cp,
                "share": each.move.share,
            }
        )
    if json:
        failures = [{"fen": fen, "reason": reason} for fen, reason in done.failed]
        print_json({**facts, "losing": losing, "failures": failures})
        return
    rows: list[tuple[str, Cell]] = [
        ("engine", " ".join(filter(None, (done.engine, done.network and f"({done.network})")))),
        ("positions", len(plan.targets)),
    ]
    if given is None:
        rows += [("searches made", done.searched), ("searches known before", done.known)]
        rows.append(("failed", len(done.failed)))
    else:
        rows.append(("evaluations taken", done.searched))
    rows += [("moves compared", done.compared), ("evaluations in the file", len(done.evals))]
    print_table((text(output.name), number("figure")), rows)
    by = " by two searches" if given is None else ""
    say(f"{counted(len(losing), 'move loses', 'moves lose')} more than {VERIFY_CP} centipawns{by}")
    print_losing(tally.game, losing, "games")
    if done.note:
        note(done.note)
    for fen, reason in done.failed[:3]:
        note(f"not evaluated: {fen}: {reason}")


def _imported(plan: Plan, game: Game, dump: Path | None, comments: str, output: Path) -> Evaluated:
    """Return the evaluations of a dump or of comments, and add them to the output."""
    from bookbuilder.engine.evaluate.evaluate import VERIFY_CP, imported
    from bookbuilder.engine.evaluate.imports import COMMENTS, LICHESS, is_doubtful, read_comments, read_dump

    known = known_evals(output, game, fold=plan.fold)
    with phase(f"reading {Path(dump or comments).name}"):
        new = read_comments(comments, plan=plan) if dump is None else read_dump(dump, plan)
    if not len(new):
        what = f"comment such as [%eval 0.31] in {comments}" if dump is None else f"line of {dump}"
        raise finish(Exit.FAILED, f"{output}: not written: no {what} values these positions")
    if dump is None and is_doubtful(new):
        note(f"{comments}: half of the values are beyond 10 pawns; check their unit")
    origin = COMMENTS if dump is None else LICHESS
    done = imported(plan, new, origin, known=known, limit_cp=VERIFY_CP)
    done.evals.write(output)
    return done


def print_losing(game: Game, losing: Sequence[dict[str, Any]], share: str) -> None:
    """Print the first of the moves that lose, with their share of what a word says."""
    if losing:
        owner = [text("owner")] if "owner" in losing[0] else []
        columns = (*owner, *map(text, ("move", "best")), number("loss, cp"), number(share))
        rows = [
            (
                *([row["owner"]] if owner else []),
                shown_move(here, row["move"]),
                shown_move(here, row["best"]) if row["best"] else "–",
                row["loss_cp"],
                f"{100 * row['share']:.2f} %",
                shown_line(game, row["after"]) or "start",
            )
            for row in losing[:_LISTED]
            for here in [position_at(game, row["after"])]
        ]
        print_table((*columns, text("after", least=24, wraps=True)), rows)
        if len(losing) > _LISTED:
            say(f"{len(losing) - _LISTED:,} more; --json lists all")
