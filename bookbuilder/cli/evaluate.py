"""`bookbuilder evaluate`: let an engine evaluate the positions of a store or of a book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bookbuilder.cli.console import counted, note, print_json, say
from bookbuilder.cli.exits import Exit, finish
from bookbuilder.cli.options import arguments as opt
from bookbuilder.cli.options.searching import Engines, known_evals
from bookbuilder.cli.progress import phase
from bookbuilder.cli.tables import number, print_table, text
from bookbuilder.disk import remove_file
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder.book.play import MoveSource
    from bookbuilder.engine.evaluate.evaluate import Evaluated
    from bookbuilder.engine.evaluate.plan import Plan
    from bookbuilder.games.position import Game

_LISTED: Final = 20
"""Number of losing moves in the table."""

_LEAST_GAMES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The options that say which positions are evaluated."""

    positions: Annotated[
        int, typer.Option("--positions", min=1, help="Maximum number of positions, the most reached first.")
    ] = 1000
    min_games: Annotated[
        int, typer.Option("--min-games", min=1, help="Of a store: minimum number of games of a move.")
    ] = _LEAST_GAMES
    max_ply: Annotated[
        int, typer.Option("--max-ply", min=1, help="Of a store: maximum ply of a position.")
    ] = 40
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="STORE",
            help="Of a book: the opponent plays the moves of these games.",
            show_default="the moves of the book",
        ),
    ] = None

    def plan(self, source: Path) -> tuple[Game, Plan]:
        """Return the game of a source and the positions to evaluate.

        Raises:
            OptionError: the source is neither a store nor a book, or there is nothing to evaluate.
            StoreError: the store is damaged.
            BookError: the book is damaged.
        """
        from bookbuilder.archives.kinds import describe_mistake, recognise
        from bookbuilder.engine.evaluate.plan import plan_tally

        found = recognise(source)
        if found is not None and found.kind == "book":
            return self._plan_book(source)
        if (mistake := describe_mistake(source, "store")) is not None:
            raise OptionError(mistake)
        from bookbuilder.tally.tally import Tally

        tally = Tally.open(source)
        plan = plan_tally(tally, most=self.positions, min_games=self.min_games, max_ply=self.max_ply)
        return tally.game, plan

    def _plan_book(self, source: Path) -> tuple[Game, Plan]:
        from bookbuilder.book.open import open_book
        from bookbuilder.book.play import TallyMoves
        from bookbuilder.engine.evaluate.plan import plan_book
        from bookbuilder.tally.store.reading import OpenStore

        game, fold = (book := open_book(source)).game, book.fold
        replies: MoveSource = book
        if self.against is not None:
            store = OpenStore(self.against)
            if store.options.game != game:
                raise OptionError(
                    f"{self.against}: counts {store.options.game}; {source} is a book of {game}"
                )
            replies = TallyMoves(store, game, fold=store.options.fold)
        return game, plan_book(book, replies, most=self.positions, fold=fold)


def evaluate(
    source: Annotated[
        Path, typer.Argument(metavar="STORE|BOOK", help="A tally store, or a book of any format.")
    ],
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
        typer.Option(
            "--comments",
            metavar="GAMES",
            help="Take the mean of the [%eval] comments of these games instead.",
        ),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Let an engine evaluate positions, and list the moves that lose.

    `build --evals FILE` drops such moves. An interrupted run is resumed by the same command.
    """
    from bookbuilder.engine.drivers.player import PlayerFault
    from bookbuilder.engine.evaluate.evaluate import VERIFY_CP, imported

    game, plan = choosing.plan(source)
    known = known_evals(output, game, fold=plan.fold)
    journal = output.with_name(f"{output.name}.journal")
    if dump is not None and comments is not None:
        raise OptionError("--lichess and --comments are two sources: give one after the other")
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
        try:
            done = searching.evaluate(plan, game, known=known, journal=journal)
        except PlayerFault as fault:
            raise finish(Exit.FAILED, f"{output}: not written: the engine {fault}") from None
    done.evals.write(output)
    if dump is None and comments is None:
        remove_file(journal)
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
    losing = _losing_rows(plan, done)
    if json:
        failures = [{"fen": fen, "reason": reason} for fen, reason in done.failed]
        print_json({**facts, "losing": losing, "failures": failures})
        return
    _print(facts, losing)
    for text_ in (done.note, *(f"not evaluated: {fen}: {reason}" for fen, reason in done.failed[:3])):
        if text_:
            note(text_)


def _losing_rows(plan: Plan, done: Evaluated) -> list[dict[str, Any]]:
    rows = []
    for each in done.losing:
        target = plan.targets[each.move.before]
        here = target.position
        rows.append(
            {
                "fen": here.fen,
                "after": target.line,
                "move": here.san(each.move.code),
                "best": None if each.best is None else here.san(each.best),
                "loss_cp": each.loss_cp,
                "share": each.move.share,
            }
        )
    return rows


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
    after = text("after", least=24, wraps=True)
    if losing:
        columns = (*map(text, ("move", "best")), number("loss, cp"), number("games"), after)
        print_table(
            columns,
            [
                (row["move"], row["best"] or "–", f"{row['loss_cp']:,}", *_reached(row))
                for row in losing[:_LISTED]
            ],
        )
        if len(losing) > _LISTED:
            say(f"{len(losing) - _LISTED:,} more; --json lists all")


def _reached(row: dict[str, Any]) -> tuple[str, str]:
    return f"{100 * row['share']:.2f} %", row["after"] or "start"
