"""The graph of a tally: its positions as nodes, its rows as edges.

The core plays the moves from the start position on, each position once. Everything else works on whole
columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from weakref import ref

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import NOWHERE, Position, link_moves
from bookbuilder.columns import values
from bookbuilder.games.columns import rows_table, shortest_lines
from bookbuilder.games.position import Game
from bookbuilder.ratios import Counts
from bookbuilder.schema import from_native
from bookbuilder.selection.candidates import group_starts
from bookbuilder.tally.tally import Tally

_Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
_Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Graph:
    """Rows of a tally as edges between its positions, which have numbers from 0 in the order of the tally."""

    starts: npt.NDArray[np.intp]  # first row of each position
    parent: _Numbers  # number of the position before each row's move
    child: _Numbers  # number of the position after it, or `NOWHERE`
    placed: pa.Table  # where the pieces stand at each position, for `unplayed_moves`
    root: int | None  # number of the start position; None if no game has it

    @property
    def positions(self) -> int:
        """Number of positions."""
        return int(self.starts.size)

    def edges(self) -> npt.NDArray[np.intp]:
        """Return the rows with a child, ascending."""
        return np.flatnonzero(self.child != NOWHERE)

    def reachable(self, rows: _Mask, positions: _Mask) -> _Mask:
        """Return which positions can be reached from the start position.

        Args:
            rows: the rows that may be used.
            positions: the positions that may be entered, besides the start position.

        Returns:
            A bool for each position; true for the start position.
        """
        if self.root is None:
            return np.zeros(self.positions, dtype=np.bool_)
        usable = rows & np.append(positions, False)[np.minimum(self.child, self.positions)]
        reached: _Mask = self._lines(usable)[1] >= 0
        return reached

    def rows_into(self) -> npt.NDArray[np.int64]:
        """Return for each position a row that leads to it on a shortest line from the start, -1 = none."""
        if self.root is None:
            return np.full(self.positions, -1, dtype=np.int64)
        return self._lines(np.ones(self.parent.size, np.bool_))[0]

    def _lines(self, usable: _Mask) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        assert self.root is not None
        return shortest_lines(np.append(self.starts[1:], self.parent.size), self.child, usable, self.root)

    def line_to(self, position: int, rows_into: npt.NDArray[np.int64]) -> list[int]:
        """Return the rows of a shortest line from the start position, given the result of `rows_into`."""
        rows: list[int] = []
        while position != self.root:
            rows.append(int(rows_into[position]))
            position = int(self.parent[rows[-1]])
        return rows[::-1]


def tally_graph(tally: Tally) -> Graph:
    """Return the graph of a tally. While a caller holds it, the next call returns the same graph.

    Raises:
        SchemaError: a move of the tally is not legal in its position, so the tally is damaged.
    """
    of, held = _LATEST
    graph = held() if of() is tally else None
    if graph is None:
        key, lock, move = (tally.column(name) for name in ("key", "lock", "move"))
        graph = link_rows(key, lock, move, tally.game, fold=tally.options.fold)
        _LATEST[:] = ref(tally), ref(graph)
    return graph


# The tally of the last graph, and that graph: large ones take seconds to build.
_LATEST: Final[list[Callable[[], Any]]] = [lambda: None, lambda: None]


def link_rows(key: Counts, lock: Counts, move: Counts, game: Game, *, fold: bool) -> Graph:
    """Return the graph of some rows of a tally; a position without a row is not in it.

    Args:
        key: of the position before each move; rows are sorted by (key, lock, move).
        lock: likewise.
        move: codes of the moves, 0 = none.
        game: the game.
        fold: whether left-right mirrors are one position.

    Raises:
        SchemaError: a move is not legal in its position.
    """
    starts = group_starts(key, lock)
    sizes = np.diff(starts, append=key.size)
    linked, placed = link_moves(rows_table(key=key, lock=lock, move=move), game, fold=fold)
    return Graph(
        starts=starts,
        parent=np.repeat(np.arange(starts.size, dtype=np.uint32), sizes),
        child=values(from_native(linked).column("child")),
        placed=from_native(placed),
        root=_root(Position(game).stored(fold), key[starts], lock[starts]),
    )


def _root(start: tuple[int, int], key: Counts, lock: Counts) -> int | None:
    wanted_key, wanted_lock = start
    first, end = (int(np.searchsorted(key, np.uint64(wanted_key), side)) for side in ("left", "right"))
    place = first + int(np.searchsorted(lock[first:end], np.uint32(wanted_lock)))
    return place if place < end and lock[place] == wanted_lock else None
