"""Candidates for a book: the rows of a tally as the side that made the move sees them.

A candidate is a position (the sum of its tally rows) or a move (one tally row). A position's rows add up to
the games that reached it, because a game counts once in each. Weighted counts are whole parts of a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.columns import rows_at
from bookbuilder.ratios import Counts
from bookbuilder.selection.options import SelectionOptions, Shape
from bookbuilder.selection.weights import weighted_counts
from bookbuilder.tally.tally import Tally

__all__ = ["Candidates", "count_candidates", "group_starts", "match_positions", "positions_part"]

_Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Columns of equal length, in the order of the tally.

    Attributes:
        key: of the position itself (`positions`) or of the position before the move (`moves`).
        lock: likewise.
        move: code of the move, 0 = none; None for `positions`.
        side: side that made the move, 0 first, 1 second; at a position that begins a game, the side that is
            not to move.
        ply: smallest number of plies after which the position stood, including the move.
        games: games that reached the position, or played the move.
        wins: games that the side won.
        draws: games drawn.
        losses: games that the side lost.
        rating_sum: sum of known ratings: of the players of the moves, or of those who moved on from the
            position.
        rated: number of ratings in that sum.
        year_max: latest year, 0 = unknown.
        marks: annotation marks in favour of the side: those of its move; of a position, minus those of the
            replies, since a good reply speaks against the move before it.
        paired: games with a result in which both ratings are known.
        surplus: score of the side in those games less what the ratings promise, in hundredths of a game.
        scale: parts of a game in which games, wins, draws, losses, paired and surplus are counted.
    """

    key: Counts
    lock: Counts
    move: Counts | None
    side: Counts
    ply: Counts
    games: Counts
    wins: Counts
    draws: Counts
    losses: Counts
    rating_sum: Counts
    rated: Counts
    year_max: Counts
    marks: npt.NDArray[np.int64]
    paired: Counts
    surplus: npt.NDArray[np.int64]
    scale: int = 1

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.key.size)

    def part(self, rows: slice) -> Candidates:
        """Return some rows, without copying."""
        return self._some(rows)

    def taken(self, rows: npt.NDArray[np.intp]) -> Candidates:
        """Return some rows, by their numbers."""
        return self._some(rows)

    def _some(self, rows: slice | npt.NDArray[np.intp]) -> Candidates:
        columns = ((each.name, getattr(self, each.name)) for each in fields(self) if each.name != "scale")
        some: dict[str, Any] = {name: None if column is None else column[rows] for name, column in columns}
        return Candidates(**some, scale=self.scale)

    def group_starts(self) -> npt.NDArray[np.intp]:
        """Return the index of the first row of each position, ascending."""
        return group_starts(self.key, self.lock)

    def whole_games(self) -> dict[str, Counts]:
        """Return games, wins, draws, losses and paired in whole games, rounded.

        Games are at least their results, and these at least the paired ones.
        """
        results = {name: self._rounded(getattr(self, name)) for name in ("wins", "draws", "losses")}
        known = results["wins"] + results["draws"] + results["losses"]
        paired = np.minimum(self._rounded(self.paired), known)
        return {"games": np.maximum(self._rounded(self.games), known), **results, "paired": paired}

    def _rounded(self, counts: Counts) -> Counts:
        if self.scale == 1:
            return counts
        return (counts + np.uint64(self.scale // 2)) // np.uint64(self.scale)


def count_candidates(tally: Tally, shape: Shape, options: SelectionOptions | None = None) -> Candidates:
    """Return the candidates of a tally.

    Args:
        tally: any tally.
        shape: `positions` = one row per position; `moves` = one row per tally row.
        options: weights of games; None = every game counts 1.
    """
    count = _positions if shape == "positions" else _moves
    return count(tally, *weighted_counts(tally, options or SelectionOptions()))


def _positions(tally: Tally, counts: Mapping[str, Counts], scale: int) -> Candidates:
    key, lock = tally.column("key"), tally.column("lock")
    starts = group_starts(key, lock)

    def first(column: _Column) -> _Column:
        return column[starts]

    def total(name: str) -> _Column:
        column = counts[name] if name in counts else tally.column(name)
        return np.add.reduceat(column, starts) if starts.size else column

    def extreme(name: str, of: np.ufunc) -> _Column:
        return of.reduceat(tally.column(name), starts) if starts.size else tally.column(name)

    # The key includes the side to move, so all rows of a position have one mover.
    side = (1 - first(tally.column("mover"))).astype(np.uint8)
    wins, losses = _by_side(side, total("first_wins"), total("second_wins"))
    return Candidates(
        key=first(key),
        lock=first(lock),
        move=None,
        side=side,
        ply=extreme("ply", np.minimum),
        games=total("games"),
        wins=wins,
        draws=total("draws"),
        losses=losses,
        rating_sum=total("rating_sum"),
        rated=total("rated"),
        year_max=extreme("year_max", np.maximum),
        marks=-total("marks"),
        paired=total("paired"),
        surplus=_for_side(side, total("surplus")),
        scale=scale,
    )


def _moves(tally: Tally, counts: Mapping[str, Counts], scale: int) -> Candidates:
    side, move, ply = (tally.column(name) for name in ("mover", "move", "ply"))
    wins, losses = _by_side(side, counts["first_wins"], counts["second_wins"])
    return Candidates(
        key=tally.column("key"),
        lock=tally.column("lock"),
        move=move,
        side=side,
        ply=np.where(move == 0, ply, np.minimum(ply, np.uint16(0xFFFE)) + np.uint16(1)),
        games=counts["games"],
        wins=wins,
        draws=counts["draws"],
        losses=losses,
        rating_sum=tally.column("rating_sum"),
        rated=tally.column("rated"),
        year_max=tally.column("year_max"),
        marks=tally.column("marks"),
        paired=counts["paired"],
        surplus=_for_side(side, counts["surplus"]),
        scale=scale,
    )


def group_starts(key: Counts, lock: Counts) -> npt.NDArray[np.intp]:
    """Return the index of the first row of each position, ascending; rows are sorted by (key, lock)."""
    begins = np.ones(key.size, dtype=np.bool_)
    begins[1:] = (key[1:] != key[:-1]) | (lock[1:] != lock[:-1])
    return np.flatnonzero(begins)


def positions_part(tally: Tally, mask: npt.NDArray[np.bool_]) -> Tally:
    """Return the tally of some positions, without games and sources.

    Args:
        tally: any tally.
        mask: for each position, in the order of the tally, whether it stays.
    """
    sizes = np.diff(group_starts(tally.column("key"), tally.column("lock")), append=len(tally))
    return Tally(rows_at(tally.to_arrow(), np.flatnonzero(np.repeat(mask, sizes))), tally.options)


def match_positions(
    key: Counts, lock: Counts | None, among_key: Counts, among_lock: Counts
) -> npt.NDArray[np.int64]:
    """Return the index of each position among others, -1 = missing.

    Args:
        key: keys of the positions to find.
        lock: their locks; None = unknown: take the first position with the key.
        among_key: keys of the positions to search, sorted by (key, lock).
        among_lock: their locks.
    """
    if not among_key.size:
        return np.full(key.size, -1, dtype=np.int64)
    last = among_key.size - 1
    place = np.minimum(np.searchsorted(among_key, key), last).astype(np.int64)
    if lock is not None:
        # Few positions share a key. Such positions are neighbours.
        while (ahead := (among_key[place] == key) & (among_lock[place] < lock) & (place < last)).any():
            place[ahead] += 1
    is_there = among_key[place] == key
    if lock is not None:
        is_there &= among_lock[place] == lock
    return np.where(is_there, place, -1)


def _for_side(side: Counts, first: _Column) -> npt.NDArray[np.int64]:
    """Return the gain of each row's side, from the gain of the first side."""
    return np.where(side == 0, first, -first)


def _by_side(side: Counts, first_wins: Counts, second_wins: Counts) -> tuple[Counts, Counts]:
    is_first = side == 0
    return np.where(is_first, first_wins, second_wins), np.where(is_first, second_wins, first_wins)
