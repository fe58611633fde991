"""Rows and games in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bookbuilder.schema import TALLY, check, values
from bookbuilder.tally.rows import TallyRow

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["MemoryRows"]


class MemoryRows:
    """Rows and games in memory. The rows become a table when they are first needed.

    The core keeps the rows of a run in about half the bytes of that table.
    """

    def __init__(self, count: int, make: Callable[[], pa.Table], games: pa.Table) -> None:
        """Take the number of rows, a function that returns them (TALLY), and the games (GAMES)."""
        self._count = count
        self._make = make
        self.games = games

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._count

    @cached_property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column."""
        return check(self._make(), TALLY).combine_chunks()

    @property
    def game_count(self) -> int:
        """The number of games."""
        return int(self.games.num_rows)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of the rows."""
        return values(self.table.column(name))

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move."""
        keys, locks = self.column("key"), self.column("lock")
        start, end = (int(np.searchsorted(keys, np.uint64(key), side)) for side in ("left", "right"))
        first, behind = (
            start + int(np.searchsorted(locks[start:end], np.uint32(lock), side))
            for side in ("left", "right")
        )
        rows = self.table.slice(first, behind - first)
        return [TallyRow(*row) for row in zip(*rows.to_pydict().values(), strict=True)]

    def counts_at(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of each position, given by (key, lock)."""
        found = (self.rows_at(*position) for position in positions)
        return [
            [
                sum(getattr(row, name) for row in rows)
                for name in ("games", "first_wins", "draws", "second_wins")
            ]
            for rows in map(list, found)
        ]
