"""Values of the moves of a book by an engine: the columns engine, value and expected of a selection.

| column | meaning |
|---|---|
| engine | value of the position after the move, in centipawns for the side that makes it |
| value | the same, backed up over the moves that games played |
| expected | expected score of the book's lines, 0 … 1 |

They are null where nothing was evaluated, and a book without evaluations has none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.columns import column_of, rows_at, values
from bookbuilder.evals.words import MATE_SCORE
from bookbuilder.selection.engine import OF_ENGINE

__all__ = [
    "BACKED_UP",
    "ENGINE_VALUES",
    "engine_numbers",
    "engine_values",
    "eval_comment",
    "number_valued",
]

ENGINE_VALUES: Final = "values of an engine"
"""The loss of formats without values."""

BACKED_UP: Final = "backed-up values and expected scores"
"""The loss of formats that store only the engine's value."""

_FARTHEST_MATE: Final = 1_000
"""Plies of the longest mate; a score that is farther from that of a mate is in centipawns."""


def engine_values(columns: Mapping[str, Any], rows: npt.NDArray[np.intp] | None = None) -> pa.Table | None:
    """Return the values of moves as a table with the columns of `OF_ENGINE`; None if nothing is known.

    Args:
        columns: columns by name. Those of `OF_ENGINE` that are missing are null.
        rows: the numbers of the moves; None = all.
    """
    present = {name: columns[name] for name in OF_ENGINE if name in columns}
    if all(column.null_count == len(column) for column in present.values()):
        return None
    count = len(next(iter(present.values())))
    arrays: dict[str, pa.Array[Any]] = {name: pa.nulls(count, pa.float64()) for name in OF_ENGINE}
    for name, column in present.items():
        numbers = values(column.cast(pa.float64()))
        # Files that were changed may hold infinities.
        arrays[name] = column_of(np.where(np.isfinite(numbers), numbers, np.nan), nullable=True)
    table = pa.table(arrays)
    if rows is not None:
        table = rows_at(table, rows)
    return table if number_valued(table) else None


def number_valued(table: pa.Table | None, *names: str) -> int:
    """Return the number of moves of which one of these columns is known; without names, any column."""
    if table is None:
        return 0
    known = [values(table.column(name).is_valid()) for name in names or OF_ENGINE]
    return int(np.count_nonzero(np.logical_or.reduce(known)))


def engine_numbers(table: pa.Table | None, moves: int) -> npt.NDArray[np.float64]:
    """Return the engine's value of each move; NaN = unknown."""
    if table is None:
        return np.full(moves, np.nan)
    numbers: npt.NDArray[np.float64] = values(table.column("engine"))
    return numbers


def eval_comment(score: float, side: int) -> str:
    """Return a value as lichess writes it in comments of PGN: pawns or a mate, for the first side.

    Args:
        score: centipawns for the side that made the move.
        side: that side, 0 first, 1 second.

    Example:
        >>> eval_comment(31, 0), eval_comment(31, 1), eval_comment(29_994, 1)
        ('[%eval 0.31]', '[%eval -0.31]', '[%eval #-3]')
    """
    first = -score if side else score
    sign = "-" if first < 0 else ""
    plies = MATE_SCORE - abs(round(first))
    # A score of exactly that of a mate has no distance: protocols of xiangqi name none.
    if 0 < plies < _FARTHEST_MATE:
        return f"[%eval #{sign}{-(-plies // 2)}]"
    return f"[%eval {sign}{abs(first) / 100:.2f}]"
