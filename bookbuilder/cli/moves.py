"""The table of the moves at a position: of a store, of a book, or of an explanation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from bookbuilder._core import Position
from bookbuilder.cli.console import counted, format_share, say
from bookbuilder.cli.notation import is_chinese, notation_of, opening_name, shown_move, side_label
from bookbuilder.cli.tables import RESULTS, Cell, number, print_table, results_bar, text, verdict_cell
from bookbuilder.evals.words import value_words
from bookbuilder.games.position import SIDES

JUDGED: Final = ("reached", "wins", "draws", "losses", "p", "p_low", "p_high", "score")
"""The figures of a move in the games that its verdict judges, for the side that makes the move."""

_COLUMNS: Final = (
    text("move"),
    number("weight"),
    number("games"),
    number("share", drop=4),
    number("reached", drop=3),
    text(RESULTS),
    *(number(name, drop=5) for name in "WDL"),
    number("score", drop=1),
    number("P"),
    number("P from", drop=4),
    number("performance", drop=6),
    number("engine", drop=2),
    number("value", drop=2),
    number("quality", drop=5),
    text("verdict"),
    text("why", least=26, wraps=True),
    text("opening", drop=1, least=12),
)


def print_answer(answer: Mapping[str, Any]) -> None:
    """Print the moves at a position as a table: the answer of `show` or of `build --explain`."""
    game, place, rows = answer["game"], "wb".index(answer["fen"].split()[1]), answer["moves"]
    notation_of(game)  # refuses a notation of the other game before anything is printed
    say(f"{game}, {answer['fen']}")
    if (opening := answer.get("opening")) is not None:
        say(f"opening {opening_name(opening)} {'' if is_chinese() else opening['chinese']}".rstrip())
    if answer["reached"] is not None:
        itself = f"; itself {answer['reason'] or 'kept'}" if answer.get("reason") is not None else ""
        say(f"reached by {counted(answer['reached'], 'game')}{itself}")
    elif "format" not in answer:
        say("not in the book itself")
    if not rows:
        return
    if any(row["judged"] for row in rows):
        say(f"Results, score and P: {side_label(game, SIDES[place])}'s, {_games(answer)}.")
    here = Position(game, answer["fen"])
    cells = [_cells(row, here, place) for row in rows]
    # Columns of which the source knows nothing would only widen the table.
    known = [
        number for number in range(len(_COLUMNS)) if any(str(row[number]) not in ("", "–") for row in cells)
    ]
    print_table([_COLUMNS[each] for each in known], [[row[each] for each in known] for row in cells])


def _games(answer: Mapping[str, Any]) -> str:
    """Return the games whose results an answer has."""
    if "format" in answer:
        return "as the file counts them"
    if answer.get("basis") == "played":
        return "in games that play the move here"
    return "in games that reach the position after a move"


def _cells(row: Mapping[str, Any], here: Position, place: int) -> list[Cell]:
    figures = row["judged"] or dict.fromkeys(JUDGED)
    counts = tuple(figures[name] for name in ("wins", "draws", "losses"))
    values = (
        None if value is None or math.isnan(value) else value for value in map(row.get, ("engine", "value"))
    )
    engine, backed = ("–" if value is None else value_words(value) for value in values)
    return [
        shown_move(here, row["move"]),
        _count(row.get("weight")),
        _count(row["reached"] if row["played"] is None else row["played"]),
        format_share(row.get("share")),
        "–" if row["played"] is None else _count(row["reached"]),
        results_bar(counts, here.game, place),
        *map(_count, counts),
        format_share(figures["score"]),
        format_share(figures["p"]),
        format_share(figures["p_low"]) if "why" in row else "–",
        format_share(row.get("performance")),
        engine,
        backed,
        _count(row.get("quality")),
        # Of a book of moves, all that it lists are kept.
        "" if row.get("weight") is not None else verdict_cell(is_kept=row["kept"], reason=row["reason"]),
        row.get("why", ""),
        opening_name(row.get("opening")),
    ]


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
