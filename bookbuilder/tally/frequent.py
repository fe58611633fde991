"""A tally without its rare positions: the rows of frequent positions, and the numbers of the rows left out.

Nine of ten positions of an archive were reached by one game. A book that asks for more games needs only their
number, so the core leaves their rows where they are.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa

from bookbuilder.schema import TALLY, check, empty, from_native
from bookbuilder.tally.memory_rows import MemoryRows
from bookbuilder.tally.rows import Kind, Rare

if TYPE_CHECKING:
    from bookbuilder.tally.rows import RowSource

__all__ = ["FrequentRows", "frequent_rows"]


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


def frequent_rows(source: RowSource, min_games: int) -> FrequentRows:
    """Return the rows of the positions of a source that at least `min_games` games reached."""
    tables = [empty(TALLY)]
    rows, positions = Counter[Kind](), Counter[Kind]()
    for table, rare_rows, rare_positions in source.frequent(min_games):
        tables.append(check(from_native(table), TALLY))
        rows.update(dict(rare_rows))
        positions.update(dict(rare_positions))
    return FrequentRows(pa.concat_tables(tables).combine_chunks(), Rare(min_games, rows, positions), source)
