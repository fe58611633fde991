"""The answer of `build --explain`: why each move at a position is in a book or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bookbuilder.cli.moves import JUDGED, print_answer
from bookbuilder.cli.options.position import position_at
from bookbuilder.games.position import known_position

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

    here = known_position(position_at(tally.game, position), tally.reached)
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


_SHOWN: Final = ("played", "reached", "share", "engine", "value", "kept", "reason", "why")


def print_explained(answer: dict[str, Any]) -> None:
    """Print the moves at a position with their verdicts."""
    rows = [
        {
            **{name: row[name] for name in _SHOWN},
            "move": row["san"],
            "judged": {name: row[name] for name in JUDGED},
        }
        for row in answer["moves"]
    ]
    print_answer({**answer, "moves": rows})
