"""A tally without its rare positions: the rows of frequent positions, and the numbers of the rows left out.

Nine of ten positions of an archive were reached by one game. A book that asks for more games needs only their
number, so the core leaves their rows where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa

from bookbuilder._core import frequent_positions
from bookbuilder.schema import TALLY, check, empty, from_native
from bookbuilder.tally.memory_rows import MemoryRows
from bookbuilder.tally.rows import Kind, Rare

if TYPE_CHECKING:
    from bookbuilder.tally.rows import RowSource

__all__ = ["FrequentRows", "frequent_rows"]

_NEVER: Final = 2**63


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


def frequent_rows(source: RowSource, min_games: int, also: Collection[tuple[int, int]] = ()) -> FrequentRows:
    """Return the rows of the positions of a source that at least `min_games` games reached.

    Args:
        source: the source.
        min_games: the minimum.
        also: key and lock of positions whose rows are wanted too, if there are any.
    """
    tables = [empty(TALLY)]
    rows, positions = Counter[Kind](), Counter[Kind]()
    for table, rare_rows, rare_positions in source.frequent(min_games):
        tables.append(check(from_native(table), TALLY))
        rows.update(dict(rare_rows))
        positions.update(dict(rare_positions))
    found = pa.concat_tables(tables).combine_chunks()
    if (asked := _rare_rows(source, min_games, also)) is not None:
        _, rare_rows, rare_positions = frequent_positions(asked, _NEVER)
        rows.subtract(dict(rare_rows))
        positions.subtract(dict(rare_positions))
        order: list[tuple[str, Literal["ascending", "descending"]]] = [
            (name, "ascending") for name in ("key", "lock", "move")
        ]
        found = pa.concat_tables([found, asked]).combine_chunks().sort_by(order)
    return FrequentRows(found, Rare(min_games, +rows, +positions, frozenset(also)), source)


def _rare_rows(source: RowSource, min_games: int, places: Collection[tuple[int, int]]) -> pa.Table | None:
    """Return the rows of positions that too few games reached; None if there is no such row."""
    found = [source.rows_at(*place) for place in sorted(set(places))]
    rows = [row._asdict() for rows in found if sum(row.games for row in rows) < min_games for row in rows]
    return pa.Table.from_pylist(rows, schema=TALLY) if rows else None
