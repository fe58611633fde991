"""The rows of a tally before they are a table: what can make them in, the table of schema TALLY out, once."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from bookbuilder.schema import TALLY, check

__all__ = ["Rows"]


class Rows:
    """The rows of a tally, which become a table when they are first asked for.

    The core keeps a row of a run in about half the bytes of the table's columns. Copies share the table.
    """

    def __init__(self, count: int | None, make: Callable[[], pa.Table]) -> None:
        """Take the number of rows, None if only the table tells, and what makes it, of schema TALLY."""
        self._count = count
        self._held: pa.Table | Callable[[], pa.Table] = make

    def __len__(self) -> int:
        """Return the number of rows; makes no table if that is known."""
        return self.table.num_rows if self._count is None else self._count

    @property
    def is_made(self) -> bool:
        """Whether the table is there."""
        return isinstance(self._held, pa.Table)

    @property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column."""
        if not isinstance(self._held, pa.Table):
            self._held = check(self._held(), TALLY).combine_chunks()
        return self._held
