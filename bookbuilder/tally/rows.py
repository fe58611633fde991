"""The rows of a tally, and the interface of where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

__all__ = ["RowSource", "TallyRow"]


class TallyRow(NamedTuple):
    """One row of TALLY."""

    key: int
    lock: int
    move: int
    mover: int
    games: int
    first_wins: int
    draws: int
    second_wins: int
    ply: int
    rating_sum: int
    rated: int
    year_min: int
    year_max: int
    marks: int
    sample: int
    sample_rating: int
    paired: int
    surplus: int


class RowSource(Protocol):
    """Rows and games of a tally: tables in memory, or an open store that reads what it is asked for."""

    def __len__(self) -> int:
        """Return the number of rows."""

    @property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column."""

    @property
    def games(self) -> pa.Table:
        """The games, schema GAMES."""

    @property
    def game_count(self) -> int:
        """The number of games that the rows count."""

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of the rows."""

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move."""

    def counts_at(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of each position, given by (key, lock)."""
