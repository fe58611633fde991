"""Does the threshold generalise? P in earlier games of an archive against the results of later games.

A book is made by P of the earlier games; the later games show the results of those who went on to play it.

P of rare positions is mostly chance, and a high threshold chooses the lucky ones: the later P of kept
positions is closer to one half than the earlier P. Calibration measures how much closer. A game counts once
at each position of it, so bounds computed from such sums are too narrow: they treat the visits of one game as
independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.games.columns import PositionIndex
from bookbuilder.ratios import Counts, Share, as_fraction, wilson_bounds, win_ratio
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.thresholds import passes
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

_COUNTS: Final = ("train_wins", "train_losses", "wins", "losses")

THRESHOLDS: Final[tuple[Fraction, ...]] = tuple(Fraction(step, 20) for step in range(8, 17))
"""P = 0.40, 0.45 … 0.80."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Earlier P against later results.

    Attributes:
        bins: one row for each twentieth of P that has positions: p_from, p_to; positions; seen (positions in
            the later games); train_wins, train_losses; wins, losses (later); p_train, p, p_low, p_high
            (later, with Wilson bounds, 95 %).
        thresholds: one row for each threshold: threshold; positions kept; seen; seen_share; train_wins,
            train_losses; wins, losses (later); p_train, p, p_low, p_high; held_share (the share of the
            positions that were won or lost later whose later P reaches the threshold).
        spread: the later P of all positions with enough games, whatever their earlier P.
    """

    bins: pd.DataFrame
    thresholds: pd.DataFrame
    spread: float


def calibrate(
    train: Tally,
    later: Tally,
    *,
    thresholds: Sequence[Share] = THRESHOLDS,
    min_games: int = 10,
    max_ply: int | None = None,
) -> Calibration:
    """Return how well the P of earlier games predicts the results of later games.

    Args:
        train: the earlier games.
        later: the later games, counted with the same options except dates.
        thresholds: thresholds to try, 0 … 1.
        min_games: minimum number of earlier games that reached a position.
        max_ply: maximum number of plies after which a position stood; None = no limit.

    Raises:
        SelectionError: the tallies are of different games, or an option is not valid.

    Example:
        >>> train = bb.Tally.from_archives("games.pgn", until="2003")
        >>> later = bb.Tally.from_archives("games.pgn", since="2004")
        >>> found = bb.calibrate(train, later, min_games=1, thresholds=["50%", "60%"])
        >>> found.thresholds["threshold"].tolist()
        [0.5, 0.6]
        >>> bool((found.thresholds["seen"] <= found.thresholds["positions"]).all())
        True
    """
    if (train.game, train.options.fold) != (later.game, later.options.fold):
        raise SelectionError(f"calibrate: a tally of {train.game} and one of {later.game}: expected one game")
    if min_games < 1 or not thresholds:
        raise SelectionError("calibrate: expected at least one game, and at least one threshold")
    frame = _results(train, later, min_games, max_ply)
    exact = sorted({as_fraction(each) for each in thresholds})
    wins, losses = int(frame["wins"].sum()), int(frame["losses"].sum())
    return Calibration(
        bins=_bins(frame),
        thresholds=_by_threshold(frame, exact),
        spread=wins / (wins + losses) if wins + losses else float("nan"),
    )


def _results(train: Tally, later: Tally, min_games: int, max_ply: int | None) -> pd.DataFrame:
    """Return the positions with enough earlier games, with their earlier and later results."""
    import pandas as pd

    before, after = count_candidates(train, "positions"), count_candidates(later, "positions")
    is_used = (before.ply > 0) & (before.games >= min_games) & (before.wins + before.losses > 0)
    if max_ply is not None:
        is_used &= before.ply <= max_ply
    rows = np.flatnonzero(is_used)
    place = PositionIndex(after.key, after.lock).find(before.key[rows], before.lock[rows])
    is_seen = place >= 0
    return pd.DataFrame(
        {
            "positions": 1,
            "seen": is_seen.astype(np.int64),
            "train_wins": before.wins[rows],
            "train_losses": before.losses[rows],
            "wins": _where(is_seen, after.wins, place),
            "losses": _where(is_seen, after.losses, place),
        }
    )


def _bins(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the sums for each twentieth of the earlier P."""
    decided = frame["train_wins"] + frame["train_losses"]
    twentieth = np.minimum((20 * frame["train_wins"] // decided).to_numpy(), 19)
    bins = frame.groupby(twentieth.astype(np.int64)).sum()
    bins.insert(0, "p_from", bins.index / 20)
    bins.insert(1, "p_to", (bins.index + 1) / 20)
    return _with_ratios(bins.reset_index(drop=True))


def _by_threshold(frame: pd.DataFrame, thresholds: Sequence[Fraction]) -> pd.DataFrame:
    """Return the sums over the positions that pass each threshold."""
    import pandas as pd

    counts = {name: frame[name].to_numpy() for name in _COUNTS}
    chosen = [passes(counts["train_wins"], counts["train_losses"], each) for each in thresholds]
    table = pd.DataFrame([frame[kept].sum() for kept in chosen]).reset_index(drop=True)
    table.insert(0, "threshold", [float(each) for each in thresholds])
    table["held_share"] = [_held(counts, kept, each) for kept, each in zip(chosen, thresholds, strict=True)]
    table.insert(3, "seen_share", table["seen"] / table["positions"].where(table["positions"] > 0))
    return _with_ratios(table)


def _where(
    is_seen: npt.NDArray[np.bool_], counts: Counts, place: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """Return the count at each place, 0 for positions that the later games do not have."""
    found = np.zeros(place.size, dtype=np.uint64)
    found[is_seen] = counts[place[is_seen]]
    return found


def _held(results: dict[str, Any], kept: npt.NDArray[np.bool_], threshold: Fraction) -> float:
    """Return the share of the kept positions, won or lost later, whose later P reaches the threshold."""
    decided = kept & (results["wins"] + results["losses"] > 0)
    if not decided.any():
        return float("nan")
    return float(passes(results["wins"][decided], results["losses"][decided], threshold).mean())


def _with_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    counts: dict[str, npt.NDArray[Any]] = {name: frame[name].to_numpy().astype(np.uint64) for name in _COUNTS}
    low, high = wilson_bounds(counts["wins"], counts["losses"])
    return frame.assign(
        **counts,
        p_train=win_ratio(counts["train_wins"], counts["train_losses"]),
        p=win_ratio(counts["wins"], counts["losses"]),
        p_low=low,
        p_high=high,
    )
