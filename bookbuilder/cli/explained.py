"""The answer of `build --explain`: why each move at a position is in a book or not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from bookbuilder._core import Position
from bookbuilder.cli.book.summary import side_label
from bookbuilder.cli.console import counted, format_share, say
from bookbuilder.cli.notation import shown_move
from bookbuilder.cli.options.position import position_at
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

if TYPE_CHECKING:
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally


def explained(tally: Tally, selection: Selection, position: str) -> dict[str, Any]:
    """Return the moves at the position that a text names, each with its verdict and the reason in words.

    Raises:
        FenError: the text does not name a position.
        MoveError: one of its moves is not legal.
    """
    from bookbuilder.selection.explain import explain, verdict_on

    here = position_at(tally.game, position)
    key, lock = here.stored(selection.fold)
    own = verdict_on(selection, here) if selection.shape == "positions" else None
    return {
        "game": tally.game,
        # The games whose results the rows have.
        "basis": "reached" if selection.shape == "positions" else "played",
        "fen": here.fen,
        "key": f"0x{key:016x}",
        "lock": f"0x{lock:08x}",
        "reached": tally.reached(here),
        "reason": None if own is None else own["reason"],
        "moves": explain(tally, selection, here).to_dict("records"),
    }


def print_explained(answer: dict[str, Any]) -> None:
    """Print the moves at a position with their verdicts."""
    own, game = answer["reason"], answer["game"]
    itself = "" if own is None else f"; itself {own or 'kept'}"
    say(f"{game}, {answer['fen']}")
    say(f"reached by {counted(answer['reached'], 'game')}{itself}")
    if not answer["moves"]:
        return
    here = Position(game, answer["fen"])
    place = "wb".index(answer["fen"].split()[1])
    say(f"Results, score and P: {side_label(game, SIDES[place])}'s, in games {_JUDGED[answer['basis']]}.")
    has_engine = any(_known(row["engine"]) for row in answer["moves"])
    columns = (*_COLUMNS, *(_ENGINE if has_engine else ()), *_VERDICT)
    print_table(columns, [_cells(row, here, side_styles(game, place), has_engine) for row in answer["moves"]])


_JUDGED: Final = {
    "reached": "that reach the position after a move",
    "played": "that play the move here",
}
_COLUMNS: Final = (
    text("move"),
    number("games"),
    number("share", drop=4),
    number("reached", drop=3),
    text(RESULTS),
    *(number(name, drop=5) for name in "WDL"),
    number("score", drop=1),
    number("P"),
    number("P from", drop=4),
)
# Of the engine itself, and backed up from the ends of lines.
_ENGINE: Final = (number("engine", drop=2), number("value", drop=2))
_VERDICT: Final = (text("verdict"), text("why", least=26, wraps=True))


def _known(number: float | None) -> bool:
    return number is not None and not math.isnan(number)


def _cells(row: dict[str, Any], here: Position, colors: tuple[str, str], has_engine: bool) -> list[Cell]:
    counts = tuple(row[name] for name in ("wins", "draws", "losses"))
    return [
        shown_move(here, row["san"]),
        f"{row['played']:,}",
        format_share(row["share"]),
        f"{row['reached']:,}",
        results_bar(counts, colors),
        *("–" if each is None else f"{each:,.0f}" for each in counts),
        format_share(row["score"]),
        format_share(row["p"]),
        format_share(row["p_low"]),
        *(value_words(row[name]) if _known(row[name]) else "–" for name in ("engine", "value") if has_engine),
        verdict_cell(is_kept=row["kept"], reason=row["reason"]),
        row["why"],
    ]
