"""Rows and games in memory, and the rows of frequent positions.

Nine of ten positions of an archive were reached by one game. A book that asks for more games needs only their
number, so the core leaves their rows where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.columns import values
from bookbuilder.schema import GAMES, TALLY, check, empty, from_native
from bookbuilder.tally.rows import Kind, Rare, TallyRow

if TYPE_CHECKING:
    import numpy.typing as npt

    from bookbuilder.tally.store.reading import OpenStore

RowSource: TypeAlias = "MemoryRows | OpenStore"
"""Where the rows and games of a tally come from."""

_NEVER: Final = 2**63


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
        game_count: int | None = None,
        is_of_frame: bool = False,
    ) -> None:
        """Take the number of rows, and functions that return them (TALLY) and the games (GAMES).

        Args:
            count: number of rows.
            make: returns the rows.
            games: returns the games.
            frequent: returns the rows of positions of enough games, without making the others.
            game_count: number of games; None = that of the rows of `games`.
            is_of_frame: whether the games are unknown, so that their number is that at the most reached
                position.
        """
        self._count = count
        self._make = make
        self._games = games
        self._frequent = frequent
        self._game_count = game_count
        self._is_of_frame = is_of_frame
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
        if not self._is_of_frame:
            return int(self.games.num_rows) if self._game_count is None else self._game_count
        key, lock = self.column("key"), self.column("lock")
        is_first = np.ones(len(self), np.bool_)
        is_first[1:] = (key[1:] != key[:-1]) | (lock[1:] != lock[:-1])
        reached = np.add.reduceat(self.column("games"), np.flatnonzero(is_first)) if len(self) else [0]
        return int(max(reached))

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
        names = ("games", "first_wins", "draws", "second_wins")
        found = [self.rows_at(*position) for position in positions]
        return [[sum(getattr(row, name) for row in rows) for name in names] for rows in found]


class FrequentRows(MemoryRows):
    """The rows of the frequent positions of a source, and the games of all of it."""

    def __init__(self, rows: pa.Table, rare: Rare, source: RowSource) -> None:
        """Take the rows (TALLY), what they lack, and the source of the games."""
        super().__init__(rows.num_rows, lambda: rows, lambda: source.games)
        self.rare = rare
        self._source = source

    @property
    def game_count(self) -> int:
        """The number of games of the source."""
        return self._source.game_count

    def with_positions(self, places: Collection[tuple[int, int]]) -> FrequentRows:
        """Return these rows and the rows of further positions, given by (key, lock), if there are any."""
        rare = self.rare
        assert rare is not None
        looked_up = rare.looked_up | frozenset(places)
        asked = _rare_rows(self._source, rare.min_games, looked_up - rare.looked_up)
        if asked is None:
            return FrequentRows(self.table, rare._replace(looked_up=looked_up), self._source)
        rows, positions = Counter(rare.rows), Counter(rare.positions)
        _, rare_rows, rare_positions = _core.frequent_positions(asked, _NEVER)
        rows.subtract(dict(rare_rows))
        positions.subtract(dict(rare_positions))
        order: list[tuple[str, Literal["ascending", "descending"]]] = [
            (name, "ascending") for name in ("key", "lock", "move")
        ]
        found = pa.concat_tables([self.table, asked]).combine_chunks().sort_by(order)
        return FrequentRows(found, Rare(rare.min_games, +rows, +positions, looked_up), self._source)


def frequent_rows(source: RowSource, min_games: int, also: Collection[tuple[int, int]] = ()) -> FrequentRows:
    """Return the rows of the positions of a source that at least `min_games` games reached.

    Args:
        source: the source.
        min_games: the minimum.
        also: key and lock of positions whose rows are wanted too, if there are any.
    """
    if isinstance(source, FrequentRows):  # of this minimum
        return source.with_positions(also)
    tables = [empty(TALLY)]
    rows, positions = Counter[Kind](), Counter[Kind]()
    for table, rare_rows, rare_positions in source.frequent(min_games):
        tables.append(check(from_native(table), TALLY))
        rows.update(dict(rare_rows))
        positions.update(dict(rare_positions))
    found = pa.concat_tables(tables).combine_chunks()
    return FrequentRows(found, Rare(min_games, +rows, +positions), source).with_positions(also)


def _rare_rows(source: RowSource, min_games: int, places: Collection[tuple[int, int]]) -> pa.Table | None:
    """Return the rows of positions that too few games reached; None if there is no such row."""
    found = [source.rows_at(*place) for place in sorted(set(places))]
    rows = [row._asdict() for rows in found if sum(row.games for row in rows) < min_games for row in rows]
    return pa.Table.from_pylist(rows, schema=TALLY) if rows else None
