"""The threshold curve: the number of positions in a book as the threshold P rises.

The curve looks at every position once. One exact division gives the number of thresholds that it passes, and
the curve is a histogram of that number, summed from the top. Each point equals the count of `select` with the
same options.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.keywords import as_integer, require_kind
from bookbuilder.ratios import Counts, Share, as_fraction
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.thresholds import passes
from bookbuilder.selection.verdicts import kind_verdicts
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

GRID: Final[tuple[Fraction, ...]] = tuple(Fraction(step, 20) for step in range(21))
"""P = 0, 0.05 … 1."""


def threshold_curve(
    tally: Tally | Candidates,
    *,
    positions_each: Counts | None = None,
    grid: Sequence[Share] = GRID,
    min_games: Sequence[int] = (1, 5, 20),
    max_ply: int | None = None,
) -> pd.DataFrame:
    """Return the size of the book for each threshold and each minimum number of games.

    Args:
        tally: any tally, or its positions.
        positions_each: number of positions that each of those positions stands for; None = one.
        grid: thresholds, 0 … 1, exact; in any order, each counted once.
        min_games: minimum numbers of games that reached a position.
        max_ply: maximum number of plies after which a position stood; None = no limit.

    Returns:
        Columns p, min_games, positions (kept), usage_share (of kept positions in the visits of games to all
        positions that `max_ply` leaves). Sorted by min_games as given, then by p.

    Raises:
        SelectionError: an option is not valid, or the tally lacks rows (see `Tally.frequent`).
        OptionError: `max_ply` is not a whole number from 0, or the tally is of another class.

    Source: the figure of the literature on opening libraries (nodes kept against P).

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> curve = bb.threshold_curve(tally, grid=["50%", "60%"], min_games=[1])
        >>> curve.columns.tolist()
        ['p', 'min_games', 'positions', 'usage_share']
        >>> curve["positions"].is_monotonic_decreasing
        True
    """
    import pandas as pd

    if not isinstance(tally, Candidates):
        require_kind("threshold_curve", tally, Tally)
    if isinstance(tally, Tally) and tally.rare is not None:
        raise SelectionError(
            "threshold curve: the tally lacks rare positions; use the one that it was taken from"
        )
    as_integer("max_ply", max_ply, 0)
    candidates = tally if isinstance(tally, Candidates) else count_candidates(tally, "positions")
    thresholds = sorted({as_fraction(each) for each in grid})
    if not thresholds or not len(min_games) or any(games < 0 for games in min_games):
        raise SelectionError(
            "threshold curve: expected thresholds, and minimum counts from 0, at least one each"
        )
    rows = kind_verdicts(candidates, max_ply=max_ply) == 0
    count = np.ones(len(candidates), np.uint64) if positions_each is None else positions_each
    passed, games, count = (
        each[rows] for each in (_thresholds_passed(candidates, thresholds), candidates.games, count)
    )
    all_visits = int((games * count).sum())
    frames = []
    for minimum in min_games:
        enough = games >= minimum
        # A position passes the threshold of index i if it passes more than i: sum from the top, without 0.
        positions, visits = np.zeros((2, len(thresholds) + 1), np.uint64)
        np.add.at(positions, passed[enough], count[enough])
        np.add.at(visits, passed[enough], (games * count)[enough])
        positions, visits = (np.cumsum(each[:0:-1])[::-1] for each in (positions, visits))
        columns = {
            "p": [float(each) for each in thresholds],
            "min_games": np.int64(minimum),
            "positions": positions.astype(np.int64),
            "usage_share": visits / all_visits if all_visits else np.nan,
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _thresholds_passed(candidates: Candidates, thresholds: Sequence[Fraction]) -> npt.NDArray[np.intp]:
    """Return the number of ascending thresholds that each position passes."""
    wins, losses = candidates.wins, candidates.losses
    total = wins + losses
    passed: npt.NDArray[np.intp]
    # Over the common denominator D a threshold is n/D, and W/(W+L) ≥ n/D exactly where n ≤ floor(D·W/(W+L)).
    common = math.lcm(*(each.denominator for each in thresholds))
    if common * int(wins.max(initial=0)) <= 0xFFFF_FFFF_FFFF_FFFF:
        over = np.array([int(each * common) for each in thresholds], dtype=np.uint64)
        ratio = np.uint64(common) * wins // np.maximum(total, np.uint64(1))
        passed = np.searchsorted(over, ratio, side="right")
    else:
        passed = np.sum([passes(wins, losses, each) for each in thresholds], axis=0, dtype=np.intp)
    passed[total == 0] = len(thresholds)
    return passed
