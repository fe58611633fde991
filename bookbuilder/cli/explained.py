"""The answer of `build --explain`: why each move at a position is in a book or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bookbuilder.cli.console import format_share, print_table, say
from bookbuilder.cli.options.position import position_named

if TYPE_CHECKING:
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.tally import Tally

__all__ = ["explained", "print_explained"]


def explained(tally: Tally, selection: Selection, text: str) -> dict[str, Any]:
    """Return the moves at the position that a text names, each with its verdict and the reason in words.

    Raises:
        FenError: the text does not name a position.
        MoveError: one of its moves is not legal.
    """
    from bookbuilder.selection.explain import explain, verdict_on

    here = position_named(tally.game, text)
    key, lock = here.stored(selection.fold)
    own = verdict_on(selection, here) if selection.shape == "positions" else None
    return {
        "fen": here.fen,
        "key": f"0x{key:016x}",
        "lock": f"0x{lock:08x}",
        "reached": tally.reached(here),
        "reason": None if own is None else own["reason"],
        "moves": explain(tally, selection, here).to_dict("records"),
    }


def print_explained(answer: dict[str, Any]) -> None:
    """Print the moves at a position with their verdicts."""
    own = answer["reason"]
    itself = "" if own is None else f"; itself {own or 'kept'}"
    say(f"{answer['fen']}")
    say(f"reached by {answer['reached']:,} games{itself}")
    rows = [
        (
            row["san"],
            f"{row['played']:,}",
            format_share(row["share"]),
            f"{row['reached']:,}",
            *("–" if row[name] is None else f"{row[name]:,.0f}" for name in ("wins", "draws", "losses")),
            format_share(row["p"]),
            format_share(row["p_low"]),
            format_share(row["score"]),
            "kept" if row["kept"] else row["reason"],
            row["why"],
        )
        for row in answer["moves"]
    ]
    columns = ("move", "played", "share", "reached", "W", "D", "L", "P", "P from", "score", "verdict", "why")
    print_table(columns, rows, left=(0, 10, 11))
