"""Many positions at once: look up, play and hash all positions of one ply as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.columns import column_of, values
from bookbuilder.games.columns import MIRRORED, SELF_MIRRORED, mirror_moves, ranges
from bookbuilder.schema import from_native

__all__ = [
    "BRIDGE",
    "MIRRORED",
    "NO_ROW",
    "SELF_MIRRORED",
    "Found",
    "Indices",
    "Level",
    "Lookup",
    "identity",
    "joined",
    "mirror_moves",
    "ranges",
    "rows_table",
    "successors",
]

Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of positions or of rows."""

BRIDGE: Final = -1
"""In place of a row: the move is not in the book but leads to moves that are."""
NO_ROW: Final = -2
"""In place of a row: the position is not wanted."""

_SQUARES: Final = {"chess": 64, "xiangqi": 90}
# Positions whose legal moves are played at once: about 30 moves each, 200 bytes per move.
_PORTION: Final = 20_000


@dataclass(frozen=True, slots=True)
class Level:
    """The positions of one ply, with the columns of `_core.Positions.keys`."""

    positions: _core.Positions
    key: npt.NDArray[np.uint64]
    lock: npt.NDArray[np.uint32]
    symmetry: npt.NDArray[np.uint8]
    side: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, positions: _core.Positions, *, fold: bool) -> Self:
        """Return the level of these positions, mirrors folded or not."""
        table = from_native(positions.keys(fold))
        return cls(positions, *(values(table.column(name)) for name in ("key", "lock", "symmetry", "side")))

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions)

    def boards(self) -> npt.NDArray[np.uint8]:
        """Return the pieces, one row for each position."""
        pieces = values(from_native(self.positions.boards()).column("piece"))
        return pieces.reshape(len(self), _SQUARES[self.positions.game])

    def fens(self) -> list[str]:
        """Return the FEN of each position."""
        fens: list[Any] = from_native(self.positions.fens()).column("fen").to_pylist()
        return fens

    def play(
        self, of: Indices, move: npt.NDArray[np.uint16]
    ) -> tuple[npt.NDArray[np.bool_], _core.Positions]:
        """Return which moves are legal, and the positions after those.

        Args:
            of: the number of the position of each move.
            move: the codes of the moves.
        """
        children, legal = self.positions.play(rows_table(index=of.astype(np.uint32), move=move))
        return values(from_native(legal).column("legal")), children


class Found(NamedTuple):
    """Moves found at the positions of a level: number of the position, row of the book, code legal there."""

    of: Indices
    row: Indices
    move: npt.NDArray[np.uint16]


Lookup: TypeAlias = Callable[[Level], Found]
"""Finds the book's moves at the positions of a level."""


def successors(level: Level, chosen: Indices, goal: Callable[[Level], Indices], *, fold: bool) -> Found:
    """Return the legal moves at chosen positions that lead to a wanted position.

    Args:
        level: the positions.
        chosen: the numbers of the positions whose moves are tried, some thousand positions at a time.
        goal: returns the row of each position, `BRIDGE`, or `NO_ROW` if it is not wanted.
        fold: as of `walk`.
    """
    parts = []
    for start in range(0, chosen.size, _PORTION):
        of = chosen[start : start + _PORTION]
        portion = level.positions.take(rows_table(index=of.astype(np.uint32)))
        moves = from_native(portion.legal_moves())
        row = goal(Level.of(portion.play(moves)[0], fold=fold))
        wanted = np.flatnonzero(row != NO_ROW)
        index, code = (values(moves.column(name))[wanted] for name in ("index", "move"))
        parts.append(Found(of[index], row[wanted], code))
    return joined(*parts)


def joined(*parts: Found) -> Found:
    """Return the moves of all parts, sorted by position."""
    none = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16))
    of, row, move = (np.concatenate([part[place] for part in (none, *parts)]) for place in range(3))
    order = np.argsort(of, kind="stable")
    return Found(of[order], row[order], move[order].astype(np.uint16))


def identity(key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32]) -> npt.NDArray[np.bytes_]:
    """Return key and lock as one value of 12 bytes that sorts like (key, lock)."""
    both = np.empty(key.size, dtype=[("key", ">u8"), ("lock", ">u4")])
    both["key"], both["lock"] = key, lock
    return both.view("S12")


def rows_table(**columns: npt.NDArray[Any]) -> pa.Table:
    """Return columns as `_core.Positions` takes them: index uint32, and move uint16."""
    return pa.Table.from_arrays([column_of(each) for each in columns.values()], names=list(columns))
