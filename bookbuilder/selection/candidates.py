"""Candidates for a book: the rows of a tally as the side that made the move sees them.

A candidate is a position (the sum of its tally rows) or a move (one tally row). A position's rows add up to
the games that reached it, because a game counts once in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.columns import rows_at
from bookbuilder.ratios import Counts
from bookbuilder.schema import TALLY
from bookbuilder.selection.options import Shape
from bookbuilder.tally.rows import TallyRow
from bookbuilder.tally.tally import Tally

_Rows: TypeAlias = npt.NDArray[np.integer[Any]]

__all__ = [
    "Before",
    "Candidates",
    "Judged",
    "Shape",
    "candidates_of_rows",
    "count_candidates",
    "games_at",
    "group_starts",
    "positions_before",
    "positions_part",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Columns of equal length, in the order of the tally."""

    key: Counts  # of the position itself (`positions`) or of the position before the move (`moves`)
    lock: Counts  # likewise
    move: Counts | None  # code of the move, 0 = none; None for `positions`
    # Side that made the move, 0 first, 1 second; at a position that begins a game, the side that is not
    # to move.
    side: Counts
    ply: Counts  # smallest number of plies after which the position stood, including the move
    games: Counts  # games that reached the position, or played the move
    wins: Counts  # games that the side won
    draws: Counts  # games drawn
    losses: Counts  # games that the side lost
    # Sum of known ratings: of the players of the moves, or of those who moved on from the position.
    rating_sum: Counts
    rated: Counts  # number of ratings in that sum
    year_max: Counts  # latest year, 0 = unknown
    # Annotation marks in favour of the side: those of its move; of a position, minus those of the
    # replies, since a good reply speaks against the move before it.
    marks: npt.NDArray[np.int64]
    paired: Counts  # games with a result in which both ratings are known
    # Score of the side in those games less what the ratings promise, in hundredths of a game.
    surplus: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.key.size)

    def part(self, rows: slice | npt.NDArray[np.intp]) -> Candidates:
        """Return some rows, by their numbers; a slice copies nothing."""
        columns = ((each.name, getattr(self, each.name)) for each in fields(self))
        some: dict[str, Any] = {name: None if column is None else column[rows] for name, column in columns}
        return Candidates(**some)

    def group_starts(self) -> npt.NDArray[np.intp]:
        """Return the index of the first row of each position, ascending."""
        return group_starts(self.key, self.lock)


class Judged(NamedTuple):
    """Some moves with the counts that judge them; see `Candidates`."""

    move: Counts
    side: Counts
    games: Counts
    wins: Counts
    draws: Counts
    losses: Counts
    paired: Counts
    surplus: npt.NDArray[np.int64]

    @classmethod
    def of(cls, moves: Candidates, rows: _Rows, by: Candidates, at: _Rows) -> Self:
        """Return the moves in some rows; rows of `by` have the counts."""
        assert moves.move is not None
        counts = (getattr(by, name)[at] for name in cls._fields[2:])
        return cls(moves.move[rows], moves.side[rows], *counts)


class Before(NamedTuple):
    """The positions before some moves."""

    played: Counts  # games that played each move
    moved: Counts  # games that played any move at its position
    wins: Counts  # games through the position that the side to move won
    draws: Counts  # games drawn
    losses: Counts  # games that it lost
    paired: Counts  # games with a result and both ratings
    # Score of the side to move in those less what the ratings promise, in hundredths of a game.
    surplus: npt.NDArray[np.int64]


def positions_before(moves: Candidates, rows: npt.NDArray[np.intp] | None = None) -> Before:
    """Return the position before each move.

    Args:
        moves: all moves of a tally.
        rows: the numbers of those that are asked for, ascending; None = all.
    """
    starts, some = moves.group_starts(), np.arange(len(moves)) if rows is None else rows
    place, ends = np.searchsorted(starts, some, "right"), np.append(starts, len(moves))
    first, last = ends[place - 1], ends[place]
    played = moves.games * (moves.move != 0)
    names = ("wins", "draws", "losses", "paired", "surplus")
    counts = {name: _sums(getattr(moves, name), first, last) for name in names}
    return Before(played=played[some], moved=_sums(played, first, last), **counts)


def _sums(
    column: npt.NDArray[Any], first: npt.NDArray[np.intp], last: npt.NDArray[np.intp]
) -> npt.NDArray[Any]:
    """Return the sums of stretches of an integer column, from one row until before another."""
    until = np.zeros(column.size + 1, column.dtype)
    np.cumsum(column, out=until[1:])
    sums: npt.NDArray[Any] = until[last] - until[first]
    return sums


def count_candidates(tally: Tally, shape: Shape) -> Candidates:
    """Return the candidates of a tally.

    Args:
        tally: any tally.
        shape: `positions` = one row per position; `moves` = one row per tally row.
    """
    return _candidates({name: tally.column(name) for name in _NEEDED}, shape)


def candidates_of_rows(rows: Sequence[TallyRow], shape: Shape = "positions") -> Candidates:
    """Return the candidates of some rows of a tally, in their order; rows of one position are neighbours."""
    kinds = {field.name: field.type.to_pandas_dtype() for field in TALLY}
    columns = {name: np.array([getattr(row, name) for row in rows], kinds[name]) for name in _NEEDED}
    return _candidates(columns, shape)


def _candidates(c: dict[str, npt.NDArray[Any]], shape: Shape) -> Candidates:
    if shape == "moves":
        side, move, marks = c["mover"], c["move"], c["marks"]
        ply = np.where(move == 0, c["ply"], np.minimum(c["ply"], np.uint16(0xFFFE)) + np.uint16(1))
    else:
        starts = group_starts(c["key"], c["lock"])
        # Most positions have one row: few rows are added to the first of theirs.
        more = np.delete(np.arange(c["key"].size), starts)
        of = np.searchsorted(starts, more, "right") - 1
        for name, column in c.items():
            c[name], how = column[starts], _SUMMED_BY.get(name, np.add)
            if how is not None:
                how.at(c[name], of, column[more])
        # The key includes the side to move, so all rows of a position have one mover, who did not move to it.
        side, move, marks, ply = (1 - c["mover"]).astype(np.uint8), None, -c["marks"], c["ply"]
    is_first = side == 0
    same = ("key", "lock", "games", "draws", "rating_sum", "rated", "year_max", "paired")
    return Candidates(
        **{name: c[name] for name in same},
        move=move,
        side=side,
        ply=ply,
        wins=np.where(is_first, c["first_wins"], c["second_wins"]),
        losses=np.where(is_first, c["second_wins"], c["first_wins"]),
        marks=marks,
        surplus=np.where(is_first, c["surplus"], -c["surplus"]),
    )


_NEEDED: Final = (
    "key", "lock", "move", "mover", "ply", "games", "first_wins", "draws", "second_wins", "rating_sum",
    "rated", "year_max", "marks", "paired", "surplus",
)  # fmt: skip
_SUMMED_BY: Final[dict[str, np.ufunc | None]] = {
    **dict.fromkeys(("key", "lock", "mover", "move")),
    "ply": np.minimum,
    "year_max": np.maximum,
}
"""How the rows of a position become one; None = they are alike, or do not matter."""


def group_starts(key: Counts, lock: Counts) -> npt.NDArray[np.intp]:
    """Return the index of the first row of each position, ascending; rows are sorted by (key, lock)."""
    begins = np.ones(key.size, dtype=np.bool_)
    begins[1:] = (key[1:] != key[:-1]) | (lock[1:] != lock[:-1])
    return np.flatnonzero(begins)


def games_at(tally: Tally) -> Counts:
    """Return the games that reached each position of a tally, in its order."""
    starts = group_starts(tally.column("key"), tally.column("lock"))
    return _sums(tally.column("games"), starts, np.append(starts, len(tally))[1:])


def positions_part(tally: Tally, mask: npt.NDArray[np.bool_]) -> Tally:
    """Return the tally of some positions, without games and sources.

    Args:
        tally: any tally.
        mask: for each position, in the order of the tally, whether it stays.
    """
    sizes = np.diff(group_starts(tally.column("key"), tally.column("lock")), append=len(tally))
    return Tally(rows_at(tally.to_arrow(), np.flatnonzero(np.repeat(mask, sizes))), tally.options)
