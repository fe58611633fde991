"""The rows of a tally, and the interface of where they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from bookbuilder._core import FrequentRows


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


Kind: TypeAlias = tuple[bool, int, int]
"""Whether a row has a move, the side to move (0 first, 1 second), and the ply."""


@dataclass(frozen=True, slots=True)
class Rare:
    """The numbers of the rows that a tally of frequent positions lacks.

    Attributes:
        min_games: games that reach a frequent position, at least.
        rows: number of rows of each kind.
        positions: number of positions of each kind, by the smallest ply of their rows.
        looked_up: key and lock of positions whose rows the tally has, however few games reached them.
    """

    min_games: int
    rows: Counter[Kind]
    positions: Counter[Kind]
    looked_up: frozenset[tuple[int, int]] = frozenset()


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
    def rare(self) -> Rare | None:
        """The numbers of the rows of rare positions, if they were left out."""

    def frequent(self, min_games: int) -> Iterable[FrequentRows]:
        """Return the rows of positions of enough games, and the numbers of the others, in pieces.

        No position is in two pieces.
        """

    @property
    def game_count(self) -> int:
        """The number of games that the rows count."""

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of the rows."""

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move."""

    def counts_at(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of each position, given by (key, lock)."""
