"""The moves that were played from a position, as the rows of `Tally.moves` in plain numbers.

For so few rows neither pandas nor numpy is worth loading.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from bookbuilder.errors import OptionError, StoreError
from bookbuilder.ratios import performance, result_figures
from bookbuilder.tally.rows import TallyRow

if TYPE_CHECKING:
    from bookbuilder._core import Position

KINDS: Final[Mapping[str, str]] = {
    "move": "str",
    "san": "str",
    # Signed, so that a difference of two counts is right.
    **dict.fromkeys(("played", "reached", "first_wins", "draws", "second_wins", "wins", "losses"), "int64"),
    **dict.fromkeys(("p", "p_low", "p_high", "score", "rating"), "float64"),
    "year_min": "uint16",
    "year_max": "uint16",
    "marks": "int64",
    "paired": "int64",
    "performance": "float64",
    "code": "uint16",
}
"""The figures of a move, and the type of each as a column."""


def played_rows(
    here: Position,
    rows: Sequence[TallyRow],
    counts_at: Callable[[Sequence[Position]], Sequence[Sequence[int]]],
    *,
    fold: bool,
    basis: Literal["reached", "played"] = "played",
) -> list[dict[str, Any]]:
    """Return the figures of `KINDS` for each move, most played first.

    Rows without a move (games that ended there) are skipped. `counts_at` returns games, first_wins, draws and
    second_wins of positions. The basis says where results are counted.

    Raises:
        OptionError: the basis is unknown.
        StoreError: a row's move is not legal there, so the tally is damaged.
    """
    if basis not in ("reached", "played"):
        raise OptionError(f"basis is {basis}: expected played or reached")
    moved = sorted((row for row in rows if row.move), key=lambda row: (-row.games, row.move))
    legal = codes_by_stored(here, fold=fold)
    if strange := [row.move for row in moved if row.move not in legal]:
        raise StoreError(f"tally is damaged: move code {strange[0]} is not legal in {here.fen}")
    moves = [legal[row.move] for row in moved]
    after = counts_at([here.play(move) for move in moves])
    first_moves = here.side == 0
    own = [(row.first_wins, row.draws, row.second_wins) for row in moved]
    return [
        {
            "move": here.coordinates(move),
            "san": here.san(move),
            "played": row.games,
            "reached": reached,
            **result_figures(*(played if basis == "played" else results), first_moves=first_moves),
            "rating": row.rating_sum / row.rated if row.rated else math.nan,
            "year_min": row.year_min,
            "year_max": row.year_max,
            "marks": row.marks,
            "paired": row.paired,
            "performance": performance(row.surplus if first_moves else -row.surplus, row.paired),
            "code": row.move,
        }
        for row, move, played, (reached, *results) in zip(moved, moves, own, after, strict=True)
    ]


def codes_by_stored(position: Position, *, fold: bool) -> dict[int, int]:
    """Return the legal moves of a position by the code under which a tally or a book stores each.

    Of two mirrored moves that share a stored code, only the usual one is returned.
    """
    if not fold:
        return {move: move for move in position.moves()}
    codes = {position.stored_move(move, fold) for move in position.moves()}
    return {code: position.unfolded_move(code, fold) for code in codes}
