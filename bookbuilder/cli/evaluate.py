"""`bookbuilder evaluate`: let an engine evaluate the positions of a store."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bookbuilder.cli.console import counted, note, print_json, say
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, known_evals
from bookbuilder.cli.progress import phase
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.errors import OptionError

_LISTED: Final = 20
"""Number of losing moves in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The options that say which positions are evaluated."""

    positions: Annotated[
        int, typer.Option(min=1, help="Maximum number of positions, the most reached first.")
    ] = 1000
    min_games: Annotated[int, typer.Option(min=1, help="Minimum number of games of a move.")] = 3
    max_ply: Annotated[int, typer.Option(min=1, help="Maximum ply of a position.")] = 40


def evaluate(
    source: Annotated[Path, typer.Argument(metavar="STORE", help="A tally store.")],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Evaluations; an existing file is added to."),
    ],
    *,
    choosing: Choosing,
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
    from bookbuilder.engine.evaluate.evaluate import VERIFY_CP, imported
    from bookbuilder.engine.evaluate.plan import plan_tally
    from bookbuilder.tally.tally import Tally

    if (mistake := describe_mistake(source, "store")) is not None:
        found = recognise(source)
        if found is not None and found.kind == "book":
            mistake += f". Evaluate a book with: bookbuilder book check {shlex.quote(str(source))}"
        raise OptionError(mistake)
    if dump is not None and comments is not None:
        raise OptionError("--lichess and --comments are two sources: give one after the other")
    tally = Tally.open(source)
    plan = plan_tally(tally, most=choosing.positions, min_games=choosing.min_games, max_ply=choosing.max_ply)
    known = known_evals(output, tally.game, fold=plan.fold)
    if dump is not None:
        from bookbuilder.engine.evaluate.imports import LICHESS, read_dump

        with phase(f"reading {dump.name}"):
            new = read_dump(dump, plan)
        done = imported(plan, new, LICHESS, known=known, limit_cp=VERIFY_CP)
    elif comments is not None:
        from bookbuilder.engine.evaluate.imports import COMMENTS, is_doubtful, read_comments

        with phase(f"reading {Path(comments).name}"):
            new = read_comments(comments, plan=plan)
        if is_doubtful(new):
            note(f"{comments}: half of the values are beyond 10 pawns; check their unit")
        done = imported(plan, new, COMMENTS, known=known, limit_cp=VERIFY_CP)
    else:
        done = searching.evaluate(plan, tally.game, output, product=f"{output}: not written")
    if dump is not None or comments is not None:
        done.evals.write(output)
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
        "imported": dump is not None or comments is not None,
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
    _print(facts, losing)
    for text_ in (done.note, *(f"not evaluated: {fen}: {reason}" for fen, reason in done.failed[:3])):
        if text_:
            note(text_)


def _print(facts: dict[str, Any], losing: Sequence[dict[str, Any]]) -> None:
    searches = [
        ("searches made", f"{facts['searched']:,}"),
        ("searches known before", f"{facts['known']:,}"),
        ("failed", f"{facts['failed']:,}"),
    ]
    named = (
        ("engine", " ".join(filter(None, (facts["engine"], facts["network"] and f"({facts['network']})")))),
        ("positions", f"{facts['positions']:,}"),
        *([("evaluations taken", f"{facts['searched']:,}")] if facts["imported"] else searches),
        ("moves compared", f"{facts['moves_compared']:,}"),
        ("evaluations in the file", f"{facts['rows']:,}"),
    )
    print_table((text(Path(facts["output"]).name), number("figure")), named)
    by = "" if facts["imported"] else " by two searches"
    say(f"{counted(len(losing), 'move loses', 'moves lose')} more than {facts['verify_cp']} centipawns{by}")
    print_losing(losing, "games")


def print_losing(losing: Sequence[dict[str, Any]], share: str) -> None:
    """Print the first of the moves that lose, with their share of what a word says."""
    if losing:
        owner = [text("owner")] if "owner" in losing[0] else []
        columns = (*owner, *map(text, ("move", "best")), number("loss, cp"), number(share))
        rows = [
            (
                *([row["owner"]] if owner else []),
                row["move"],
                row["best"] or "–",
                f"{row['loss_cp']:,}",
                f"{100 * row['share']:.2f} %",
                row["after"] or "start",
            )
            for row in losing[:_LISTED]
        ]
        print_table((*columns, text("after", least=24, wraps=True)), rows)
        if len(losing) > _LISTED:
            say(f"{len(losing) - _LISTED:,} more; --json lists all")
