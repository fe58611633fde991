"""How well a tally predicts the moves of other games: for books that play like people.

A book of plain counts plays each move as often as the games did. Games that were not counted show how close
that comes to the next game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.errors import SelectionError
from bookbuilder.games.columns import PositionIndex
from bookbuilder.keywords import require_kind
from bookbuilder.selection.candidates import count_candidates, group_starts
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

_LEGAL: Final = 32  # moves over which the mass of one game is spread, for moves that no game played
_BY: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Imitation:
    """How well earlier games predict later moves.

    Attributes:
        figures: moves (in the later games), coverage (share of them at positions that enough earlier games
            reached); of these: total_variation (mean of half the sum of the differences of the shares at a
            position), cross_entropy (bits for a move), top_right (share of moves that are the earlier games'
            most played one; of n moves that share this place, each counts 1/n).
        by_ply: the same for every five plies; the first column is `ply`, plies before the five.
    """

    figures: dict[str, float]
    by_ply: pd.DataFrame


def imitate(train: Tally, later: Tally, *, min_games: int = 10, max_ply: int | None = None) -> Imitation:
    """Return how well the moves of some games predict those of other games.

    The probability of a move is its share of the earlier games, with one more game that is spread over 32
    moves, so that a new move is unlikely and not impossible.

    Args:
        train: the earlier games.
        later: the other games, counted with the same options.
        min_games: games that reached a position and moved on, at least.
        max_ply: the last ply of a move; None = all that are counted.

    Raises:
        SelectionError: the tallies are of different games, or one lacks rows (see `Tally.frequent`).
        OptionError: one is not a tally.

    Example:
        >>> train = bb.Tally.from_archives("games.pgn", until="2003")
        >>> later = bb.Tally.from_archives("games.pgn", since="2004")
        >>> round(bb.imitate(train, later, min_games=1).figures["coverage"], 2)
        0.42
    """
    import pandas as pd

    require_kind("imitate", train, Tally)
    require_kind("imitate", later, Tally)
    if train.game != later.game:
        raise SelectionError(f"imitate: a tally of {train.game} and one of {later.game}: expected one game")
    if train.options.fold != later.options.fold:
        raise SelectionError("imitate: one tally has mirrors as one position; count both with the same fold")
    if later.rare is not None or (train.rare is not None and train.rare.min_games > min_games):
        raise SelectionError("imitate: a tally lacks rare positions; use the one that it was taken from")
    rows, known = (count_candidates(each, "moves") for each in (later, train))
    assert rows.move is not None
    assert known.move is not None
    known = known.part(np.flatnonzero(known.move != 0))
    last = np.iinfo(np.int64).max if max_ply is None else max_ply
    rows = rows.part(np.flatnonzero((rows.move != 0) & (rows.ply <= last)))
    starts, own = (group_starts(each.key, each.lock) for each in (known, rows))
    group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(known)))
    of = np.repeat(np.arange(own.size), np.diff(own, append=len(rows)))
    at = PositionIndex(known.key[starts], known.lock[starts]).find(rows.key, rows.lock)
    games, played = known.games.astype(np.float64), rows.games.astype(np.float64)
    total = np.bincount(group, games, starts.size)
    is_covered = (at >= 0) & (total[at] >= min_games) if starts.size else np.zeros(len(rows), np.bool_)

    pairs, wanted = group << 16 | known.move, at << 16 | rows.move  # type: ignore[operator]
    place = np.minimum(np.searchsorted(pairs, wanted), max(len(known) - 1, 0))
    before = np.where(is_covered & (pairs[place] == wanted), games[place], 0.0) if starts.size else played * 0
    largest = np.zeros(starts.size + 1)  # the last one is of positions that are not known
    np.maximum.at(largest, group, games)
    firsts = np.maximum(np.bincount(group, games == largest[group], starts.size + 1), 1)
    visits = np.bincount(of, played, own.size)[of]
    base = np.where(is_covered, total[at], 1.0) if starts.size else played * 0 + 1
    gap = np.abs(before / base - played / visits)
    # Moves that only the earlier games played are what their shares leave.
    rest = 1 - np.bincount(of, before / base, own.size)[of]
    is_top = is_covered & (before > 0) & (before == largest[at])
    frame = pd.DataFrame(
        {
            "ply": (rows.ply.astype(np.int64) - 1) // _BY * _BY,
            "moves": played,
            "covered": played * is_covered,
            "bits": played * is_covered * -np.log2((before + 1 / _LEGAL) / (base + 1)),
            "right": played * is_top / firsts[at],
            "gap": is_covered * (gap * visits + rest * played) / 2,
        }
    )
    sums = frame.groupby("ply").sum()
    every = _figures(frame.sum().to_frame().T)
    return Imitation(
        figures={str(name): float(every[name].iloc[0]) for name in every}, by_ply=_figures(sums).reset_index()
    )


def _figures(sums: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of each row of sums."""
    covered = sums["covered"].where(sums["covered"] > 0)
    return sums[["moves"]].assign(
        coverage=sums["covered"] / sums["moves"],
        total_variation=sums["gap"] / covered,
        cross_entropy=sums["bits"] / covered,
        top_right=sums["right"] / covered,
    )
