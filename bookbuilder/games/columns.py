"""Columns of moves and rows: mirrored move codes, and ranges of rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["MIRRORED", "mirror_moves", "ranges"]

MIRRORED: Final = 1
"""The symmetry of a position whose mirror is the stored form."""


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
