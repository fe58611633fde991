"""What was played from a position: its tally rows in, one column for each figure of its moves out.

The columns are those of `Tally.moves`; they are arrays, not a frame, since pandas takes longer to load than
the rows to find.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import StoreError
from bookbuilder.ratios import result_columns
from bookbuilder.store import TallyRow

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["played_columns"]

_RESULTS = ("first_wins", "draws", "second_wins")
_KINDS = (("year_min", np.uint16), ("year_max", np.uint16), ("marks", np.int64))


def played_columns(
    here: Position,
    rows: Sequence[TallyRow],
    counts_at: Callable[[Sequence[Position]], Sequence[Sequence[int]]],
    *,
    fold: bool,
    basis: Literal["reached", "played"],
) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of `Tally.moves`, most played first.

    Args:
        here: the position.
        rows: its rows that have a move.
        counts_at: from positions to games, first_wins, draws and second_wins of each.
        fold: whether left-right mirrors are one position.
        basis: where results are counted.

    Raises:
        StoreError: a row's move is not legal there, so the tally is damaged.
    """
    rows = sorted(rows, key=lambda row: (-row.games, row.move))
    played = _legal_moves(here, [row.move for row in rows], fold=fold)
    own = np.array([row[2:6] for row in rows], dtype=np.uint64).reshape(-1, 4)
    after = np.array(counts_at([here.play(move) for move in played]), dtype=np.uint64).reshape(-1, 4)
    rated = np.array([row.rated for row in rows], dtype=np.float64)
    mean = np.full(len(rows), np.nan)
    np.divide([row.rating_sum for row in rows], rated, out=mean, where=rated > 0)
    counts = dict(zip(_RESULTS, (own if basis == "played" else after).T[1:], strict=True))
    return {
        "move": _texts([here.coordinates(move) for move in played]),
        "san": _texts([here.san(move) for move in played]),
        "code": np.array([row.move for row in rows], dtype=np.uint16),
        "played": own[:, 0],
        "reached": after[:, 0],
        **_results(counts, first_moves=here.side == 0),
        "rating": mean,
        **{name: np.array([getattr(row, name) for row in rows], dtype=kind) for name, kind in _KINDS},
    }


def _texts(texts: Sequence[str]) -> npt.NDArray[Any]:
    return np.array(texts, dtype=object)


def _legal_moves(position: Position, stored: Sequence[int], *, fold: bool) -> list[int]:
    """Return the legal move behind each stored code; of a mirrored pair the one that has the code itself."""
    legal: dict[int, int] = {}
    for move in position.moves():
        code = position.stored_move(move, fold)
        if code not in legal or move == code:
            legal[code] = move
    strange = [code for code in stored if code not in legal]
    if strange:
        raise StoreError(f"tally is damaged: move code {strange[0]} is not legal in {position.fen}")
    return [legal[code] for code in stored]


def _results(counts: Mapping[str, npt.NDArray[np.uint64]], *, first_moves: bool) -> dict[str, Any]:
    first, draws, second = (counts[name] for name in _RESULTS)
    return result_columns(first, draws, second, first_moves=first_moves)
