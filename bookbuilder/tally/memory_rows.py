"""Rows and games in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.columns import values
from bookbuilder.schema import GAMES, TALLY, check
from bookbuilder.tally.rows import TallyRow

if TYPE_CHECKING:
    import numpy.typing as npt

    from bookbuilder.tally.rows import Rare

__all__ = ["MemoryRows"]


class MemoryRows:
    """Rows and games in memory. The rows become a table when they are first needed.

    The core keeps the rows of a run in about half the bytes of that table.
    """

    def __init__(
        self,
        count: int,
        make: Callable[[], pa.Table],
        games: Callable[[], pa.Table],
        *,
        frequent: Callable[[int], _core.FrequentRows] | None = None,
    ) -> None:
        """Take the number of rows, and functions that return them (TALLY) and the games (GAMES).

        Args:
            count: number of rows.
            make: returns the rows.
            games: returns the games.
            frequent: returns the rows of positions of enough games, without making the others.
        """
        self._count = count
        self._make = make
        self._games = games
        self._frequent = frequent
        self.rare: Rare | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._count

    @cached_property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column."""
        return check(self._make(), TALLY).combine_chunks()

    @cached_property
    def games(self) -> pa.Table:
        """The games, schema GAMES."""
        return check(self._games(), GAMES)

    def frequent(self, min_games: int) -> Iterable[_core.FrequentRows]:
        """Return the rows of positions of enough games, and the numbers of the others."""
        if self._frequent is None:
            return [_core.frequent_positions(self.table, min_games)]
        return [self._frequent(min_games)]

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
