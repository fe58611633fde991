"""Columns of positions, moves and rows: look-ups by key and lock, mirrored move codes, ranges of rows."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.columns import column_of, values
from bookbuilder.schema import from_native

MIRRORED: Final = 1
"""The symmetry of a position whose mirror is the stored form."""
SELF_MIRRORED: Final = 2
"""The symmetry of a position that is its own mirror."""


Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of positions or of rows."""


def rows_table(**columns: npt.NDArray[Any]) -> pa.Table:
    """Return columns as the core takes them."""
    return pa.Table.from_arrays([column_of(each) for each in columns.values()], names=list(columns))


class PositionIndex:
    """Positions in ascending order of (key, lock), found by them.

    Args:
        key: of each position.
        lock: likewise; None = unknown: a position is found by its key, the first one of several.
    """

    def __init__(self, key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32] | None = None) -> None:
        """Index the positions."""
        self._index = _core.PositionIndex(_keys_table(key, lock))

    def find(self, key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32] | None) -> Indices:
        """Return the number of each position, -1 = it is not there."""
        found = from_native(self._index.find(_keys_table(key, lock)))
        place = values(found.column("place"))
        return np.where(place == _core.NOWHERE, -1, place.astype(np.int64))

    def successors(
        self, positions: _core.Positions, *, fold: bool
    ) -> tuple[Indices, npt.NDArray[np.uint16], Indices]:
        """Return the legal moves that lead to positions of the index.

        Args:
            positions: the positions before the moves.
            fold: whether the index holds left-right mirrors as one position.

        Returns:
            The number of the position before each move, its code, the number of the position after it.
        """
        found = from_native(self._index.successors(positions, fold))
        of, move, place = (values(found.column(name)) for name in ("index", "move", "place"))
        return of.astype(np.int64), move, place.astype(np.int64)


def _keys_table(key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32] | None) -> pa.Table:
    return rows_table(key=key) if lock is None else rows_table(key=key, lock=lock)


def shortest_lines(
    end: npt.NDArray[Any],
    child: npt.NDArray[np.integer[Any]],
    usable: npt.NDArray[np.bool_],
    root: int,
    *,
    weight: npt.NDArray[np.float64] | None = None,
    plies: int | None = None,
) -> tuple[Indices, npt.NDArray[np.int32]]:
    """Return the last move of a shortest line of usable moves to each position, and the plies of that line.

    Args:
        end: the number of the moves of each position and those before it.
        child: the position after each move, `NOWHERE` = none.
        usable: for each move, whether a line may have it.
        root: where lines begin.
        weight: of several last moves the heaviest one counts, of equals the last.
        plies: of the longest line; None = no limit.

    Returns:
        -1 as a move = none; -1 plies = no line leads there.
    """
    weights = np.zeros(child.size) if weight is None else weight
    positions = rows_table(end=end.astype(np.uint32, copy=False))
    moves = rows_table(child=child, usable=usable.view(np.uint8), weight=weights)
    found = from_native(_core.shortest_lines(positions, moves, root, plies))
    return values(found.column("into")), values(found.column("ply"))


def ranges(begin: npt.NDArray[Any], end: npt.NDArray[Any]) -> tuple[Indices, Indices]:
    """Return i for each number of the ranges begin[i] … end[i] - 1, and the numbers.

    Example:
        >>> ranges(np.array([5, 9]), np.array([7, 10]))
        (array([0, 0, 1]), array([5, 6, 9]))
    """
    length = (end - begin).astype(np.int64)
    of = np.repeat(np.arange(length.size), length)
    within = np.arange(of.size) - np.repeat(np.cumsum(length) - length, length)
    return of, begin.astype(np.int64)[of] + within


def mirror_moves(code: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Return xiangqi move codes mirrored left to right: two squares of 7 bits, 9 a rank."""
    origin, target = (square + 8 - 2 * (square % 9) for square in (code >> 7, code & 127))
    return (origin << 7 | target).astype(np.uint16)


def unfolded_moves(
    positions: _core.Positions,
    symmetry: npt.NDArray[np.uint8],
    of: npt.NDArray[np.integer[Any]],
    code: npt.NDArray[np.uint16],
) -> npt.NDArray[np.uint16]:
    """Return the moves that stored codes stand for; `Position.unfolded_move` for columns.

    Args:
        positions: the positions.
        symmetry: of each, with mirrors folded; 0 where they are not.
        of: number of the position of each code.
        code: stored codes.
    """
    moves = np.where(symmetry[of] == MIRRORED, mirror_moves(code), code).astype(np.uint16)
    pairs = np.flatnonzero(symmetry[of] == SELF_MIRRORED)
    if not pairs.size:
        return moves
    # Hardly a position but the start is its own mirror.
    numbers, nth = np.unique(of[pairs], return_inverse=True)
    some = positions.take(pa.table({"index": pa.array(numbers.astype(np.uint32))}))
    fens = from_native(some.fens()).column("fen").to_pylist()
    here = [_core.Position(positions.game, fen) for fen in fens]
    told = zip(nth.tolist(), code[pairs].tolist(), strict=True)
    moves[pairs] = [here[n].unfolded_move(move, True) for n, move in told]
    return moves
