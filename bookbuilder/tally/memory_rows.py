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
from bookbuilder.errors import StoreError
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
        self.read_games = games
        self._frequent = frequent
        self._game_count = game_count
        self._is_of_frame = is_of_frame

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._count

    @property
    def rare(self) -> Rare | None:
        """What the rows lack: nothing."""
        return None

    @cached_property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column."""
        table = check(self._make(), TALLY).combine_chunks()
        # It has all that the functions hold.
        self._frequent = None
        del self._make
        return table

    @cached_property
    def games(self) -> pa.Table:
        """The games, schema GAMES."""
        return check(self.read_games(), GAMES)

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
    """The rows of the frequent positions of a source, and the games of all of it.

    Rows in memory are not held, so that their memory can serve what uses the frequent ones.
    """

    def __init__(self, rows: pa.Table, rare: Rare, source: RowSource) -> None:
        """Take the rows (TALLY), what they lack, and the source."""
        store = None if isinstance(source, MemoryRows) else source
        games = source.read_games if isinstance(source, MemoryRows) else lambda: source.games
        super().__init__(rows.num_rows, lambda: rows, games, game_count=source.game_count)
        self._rare = rare
        self.store = store

    @property
    def rare(self) -> Rare:
        """What the rows lack."""
        return self._rare


def frequent_rows(source: RowSource, min_games: int, also: Collection[tuple[int, int]] = ()) -> FrequentRows:
    """Return the rows of the positions of a source that at least `min_games` games reached.

    Args:
        source: the source.
        min_games: the minimum.
        also: key and lock of positions whose rows are wanted too, if there are any.

    Raises:
        StoreError: the source has only rows of frequent positions in memory, and not all of these.
    """
    if isinstance(source, FrequentRows):  # of this minimum
        more = frozenset(also) - source.rare.looked_up
        if more and source.store is None:
            raise too_rare(source.rare)
        return _with_positions(source, source.store or source, more)
    tables = [empty(TALLY)]
    rows, positions = Counter[Kind](), Counter[Kind]()
    for table, rare_rows, rare_positions in source.frequent(min_games):
        tables.append(check(from_native(table), TALLY))
        rows.update(dict(rare_rows))
        positions.update(dict(rare_positions))
    found = pa.concat_tables(tables).combine_chunks()
    frequent = FrequentRows(found, Rare(min_games, +rows, +positions), source)
    return _with_positions(frequent, source, frozenset(also))


def too_rare(rare: Rare) -> StoreError:
    """Return the error of a tally of frequent positions that is asked for others."""
    lacking = f"positions of fewer than {rare.min_games} games"
    return StoreError(f"the tally lacks {lacking}; use the tally that it was taken from")


def _with_positions(
    frequent: FrequentRows, source: RowSource, places: frozenset[tuple[int, int]]
) -> FrequentRows:
    """Return the rows, and those that the source has of further positions, given by (key, lock)."""
    rare = frequent.rare._replace(looked_up=frequent.rare.looked_up | places)
    asked = _rare_rows(source, rare.min_games, places)
    if asked is None:
        return FrequentRows(frequent.table, rare, source)
    rows, positions = Counter(rare.rows), Counter(rare.positions)
    _, rare_rows, rare_positions = _core.frequent_positions(asked, _NEVER)
    rows.subtract(dict(rare_rows))
    positions.subtract(dict(rare_positions))
    order: list[tuple[str, Literal["ascending", "descending"]]] = [
        (name, "ascending") for name in ("key", "lock", "move")
    ]
    found = pa.concat_tables([frequent.table, asked]).combine_chunks().sort_by(order)
    return FrequentRows(found, rare._replace(rows=+rows, positions=+positions), source)


def _rare_rows(source: RowSource, min_games: int, places: Collection[tuple[int, int]]) -> pa.Table | None:
    """Return the rows of positions that too few games reached; None if there is no such row."""
    found = [source.rows_at(*place) for place in sorted(set(places))]
    rows = [row._asdict() for rows in found if sum(row.games for row in rows) < min_games for row in rows]
    return pa.Table.from_pylist(rows, schema=TALLY) if rows else None
