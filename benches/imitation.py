"""How well the moves of earlier games predict those of later ones: for books that play like people.

    python benches/imitation.py ARCHIVE FIRST_LATER_YEAR MINIMUM

The probability of a move is its share of the earlier games, with one more game that is spread over 32 moves.
Printed are the moves of later games up to ply 30, the share of them at positions that the minimum of
earlier games reached, and of these half the sum of the differences of shares, bits a move, and the share of
moves that are the most played one; then the same for every five plies.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from bookbuilder.games.columns import PositionIndex
from bookbuilder.selection.candidates import count_candidates, group_starts
from bookbuilder.tally.tally import Tally

_LEGAL = 32
_BY = 5
_PLIES = 30


def imitate(train: Tally, later: Tally, min_games: int) -> None:
    """Print how well the moves of some games predict those of other games."""
    rows, known = (count_candidates(each, "moves") for each in (later, train))
    known = known.part(np.flatnonzero(known.move != 0))
    rows = rows.part(np.flatnonzero(rows.move != 0))
    starts, own = (group_starts(each.key, each.lock) for each in (known, rows))
    group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(known)))
    of = np.repeat(np.arange(own.size), np.diff(own, append=len(rows)))
    at = PositionIndex(known.key[starts], known.lock[starts]).find(rows.key, rows.lock)
    games, played = known.games.astype(np.float64), rows.games.astype(np.float64)
    total = np.bincount(group, games, starts.size)
    is_covered = (at >= 0) & (total[at] >= min_games) if starts.size else np.zeros(len(rows), np.bool_)

    pairs, wanted = group << 16 | known.move, at << 16 | rows.move
    place = np.minimum(np.searchsorted(pairs, wanted), max(len(known) - 1, 0))
    before = np.where(is_covered & (pairs[place] == wanted), games[place], 0.0) if starts.size else played * 0
    largest = np.zeros(starts.size)
    np.maximum.at(largest, group, games)
    visits = np.bincount(of, played, own.size)[of]
    base = np.where(is_covered, total[at], 1.0) if starts.size else played * 0 + 1
    gap = np.abs(before / base - played / visits)
    # Moves that only the earlier games played are what their shares leave.
    rest = 1 - np.bincount(of, before / base, own.size)[of]
    frame = pd.DataFrame(
        {
            "ply": (rows.ply.astype(np.int64) - 1) // _BY * _BY,
            "moves": played,
            "covered": played * is_covered,
            "bits": played * is_covered * -np.log2((before + 1 / _LEGAL) / (base + 1)),
            "right": played * (is_covered & (before > 0) & (before == largest[at])),
            "gap": is_covered * (gap * visits + rest * played) / 2,
        }
    )
    print(_figures(frame.sum().to_frame().T).to_string(index=False))
    print(_figures(frame.groupby("ply").sum()).to_string())


def _figures(sums: pd.DataFrame) -> pd.DataFrame:
    """Return the figures of each row of sums."""
    covered = sums["covered"].where(sums["covered"] > 0)
    return sums[["moves"]].assign(
        coverage=sums["covered"] / sums["moves"],
        total_variation=sums["gap"] / covered,
        cross_entropy=sums["bits"] / covered,
        top_right=sums["right"] / covered,
    )


if __name__ == "__main__":
    archive, first, least = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    earlier = Tally.from_archives(archive, max_ply=_PLIES, until=str(first - 1))
    imitate(earlier, Tally.from_archives(archive, max_ply=_PLIES, since=str(first)), least)
