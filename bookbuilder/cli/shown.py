"""The answer of `show`: the moves at a position, with results and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from bookbuilder._core import Position
from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import counted, format_share, say
from bookbuilder.cli.notation import opening_name, require_notation, shown_move
from bookbuilder.cli.tables import (
    RESULTS,
    Cell,
    number,
    print_table,
    results_bar,
    side_styles,
    text,
    verdict_cell,
)
from bookbuilder.evals.words import value_words
from bookbuilder.games.position import SIDES

__all__ = ["JUDGED", "EvalsFile", "print_answer", "with_engine"]

JUDGED: Final = ("reached", "wins", "draws", "losses", "p", "p_low", "p_high", "score")
"""The figures of a move in the games that its verdict judges, for the side that makes the move."""


EvalsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--evals",
        metavar="FILE",
        help="Show the engine's value of each move, for the side that makes it.",
        show_default=False,
    ),
]


def with_engine(answer: dict[str, Any], here: Position, evals: Path) -> dict[str, Any]:
    """Return an answer with the engine's value of each move, in centipawns; None = not evaluated.

    Raises:
        EvalsError: the file is not one of evaluations, or is of another game.
        OSError: it cannot be read.
    """
    import numpy as np

    from bookbuilder.errors import EvalsError
    from bookbuilder.evals.table import Evals

    found = Evals.read(evals)
    if found.game != here.game:
        raise EvalsError(f"{evals}: has evaluations of {found.game}, the position is of {here.game}")
    after = [here.play(here.parse_move(row["move"])).stored(found.fold) for row in answer["moves"]]
    places = np.array(after, np.uint64).reshape(-1, 2)
    scores = found.values(places[:, 0], places[:, 1].astype(np.uint32)).score.tolist()
    rows = zip(answer["moves"], scores, strict=True)
    moves = [{**row, "engine": None if np.isnan(score) else round(-score)} for row, score in rows]
    return {**answer, "moves": moves}


def print_answer(answer: Mapping[str, Any]) -> None:
    """Print the moves at a position as a table."""
    require_notation(answer["game"])
    reached = answer["reached"]
    say(f"{answer['game']}, {answer['fen']}")
    if (opening := answer["opening"]) is not None:
        say(f"opening {opening['code']} {opening['name']} {opening['chinese']}".rstrip())
    say("not in the book itself" if reached is None else f"reached by {counted(reached, 'game')}")
    if answer["moves"]:
        _print_moves(answer)


def _print_moves(answer: Mapping[str, Any]) -> None:
    game, place = answer["game"], "wb".index(answer["fen"].split()[1])
    side = side_label(game, SIDES[place])
    say(f"Results, score and P: {side}'s, in games that reach the position after a move.")
    here = Position(game, answer["fen"])
    cells = [_cells(row, here, place) for row in answer["moves"]]
    # Columns of which the source knows nothing would only widen the table.
    known = [
        number for number in range(len(_COLUMNS)) if any(str(row[number]) not in ("", "–") for row in cells)
    ]
    print_table([_COLUMNS[each] for each in known], [[row[each] for each in known] for row in cells])


_COLUMNS: Final = (
    text("move"),
    number("games"),
    number("reached", drop=3),
    text(RESULTS),
    *(number(name, drop=4) for name in "WDL"),
    number("score"),
    number("P"),
    number("performance", drop=6),
    number("engine", drop=2),
    number("quality", drop=5),
    text("verdict"),
    text("opening", drop=1, least=12),
)


def _cells(row: Mapping[str, Any], here: Position, place: int) -> list[Cell]:
    figures = row["judged"] or dict.fromkeys(JUDGED)
    counts = tuple(figures[name] for name in ("wins", "draws", "losses"))
    return [
        shown_move(here, row["move"]),
        _count(row["reached"] if row["played"] is None else row["played"]),
        "–" if row["played"] is None else _count(row["reached"]),
        results_bar(counts, side_styles(here.game, place)),
        *map(_count, counts),
        format_share(figures["score"]),
        format_share(figures["p"]),
        format_share(row["performance"]),
        "–" if row.get("engine") is None else value_words(row["engine"]),
        _count(row["quality"]),
        verdict_cell(is_kept=row["kept"], reason=row["reason"]),
        opening_name(row["opening"]),
    ]


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
