"""Columns of moves and rows: mirrored move codes, and ranges of rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.schema import from_native

MIRRORED: Final = 1
"""The symmetry of a position whose mirror is the stored form."""
SELF_MIRRORED: Final = 2
"""The symmetry of a position that is its own mirror."""


def ranges(
    begin: npt.NDArray[Any], end: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
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
    origin, target = code >> 7, code & 127
    origin, target = origin + 8 - 2 * (origin % 9), target + 8 - 2 * (target % 9)
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
