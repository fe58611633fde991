"""Does the threshold generalise? P in one part of an archive against the results in a later part.

In come two tallies, of games up to some date and of games after it; out come frames. A position's P of the
earlier games is what a book would be made by; the later games tell what became of those who played on with
it.

P of rare positions is chance for the most part, and choosing the high ones chooses the lucky ones: the
later P of what was kept lies nearer to one half than the earlier P. How much nearer is what this tells.
Games count once at each position they pass through, so bounds computed from such sums are too narrow: they
take the visits of one game for independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.ratios import wilson_bounds, win_ratio
from bookbuilder.selection.candidates import count_candidates, match_positions
from bookbuilder.selection.thresholds import Share, as_fraction, bound_at_least, passes
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Calibration", "calibrate"]

_Counts: TypeAlias = npt.NDArray[np.uint64]

THRESHOLDS: Final[tuple[Fraction, ...]] = tuple(Fraction(step, 20) for step in range(8, 17))
"""P = 0.40, 0.45 … 0.80: where thresholds are set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Earlier P against later results.

    Attributes:
        bins: one row for each twentieth of P that has positions: p_from, p_to; positions; seen (of those,
        in the
            later games); train_wins, train_losses; wins, losses (later); p_train, p, p_low, p_high (later,
            with Wilson bounds, 95 %).
        thresholds: one row for each threshold: threshold; positions kept; seen; seen_share; train_wins,
            train_losses; wins, losses (later); p_train, p, p_low, p_high; held_share (of the positions seen
            and decided later, those whose later P reaches the threshold too).
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
    confident: bool = False,
    max_ply: int | None = None,
) -> Calibration:
    """Return how the P of earlier games fits the results of later ones.

    Args:
        train: the earlier games.
        later: the later games, counted with the same options but for their dates.
        thresholds: thresholds to be tried, 0 … 1.
        min_games: fewest earlier games that reached a position.
        confident: ask the lower Wilson bound of P to reach the threshold, not P itself.
        max_ply: most plies after which a position stood; None = no limit.

    Raises:
        SelectionError: the tallies are of different games, or an option has no meaning.
    """
    import pandas as pd

    if (train.game, train.options.fold) != (later.game, later.options.fold):
        raise SelectionError(f"calibrate: a tally of {train.game} and one of {later.game}: expected one game")
    if min_games < 1 or not thresholds:
        raise SelectionError("calibrate: expected at least one game, and at least one threshold")
    before = count_candidates(train, "positions")
    after = count_candidates(later, "positions")
    asked = (before.ply > 0) & (before.games >= min_games) & (before.wins + before.losses > 0)
    if max_ply is not None:
        asked &= before.ply <= max_ply
    rows = np.flatnonzero(asked)
    place = match_positions(before.key[rows], before.lock[rows], after.key, after.lock)
    is_seen = place >= 0
    results = {
        "train_wins": before.wins[rows],
        "train_losses": before.losses[rows],
        "wins": _where(is_seen, after.wins, place),
        "losses": _where(is_seen, after.losses, place),
    }
    frame = pd.DataFrame({"positions": 1, "seen": is_seen.astype(np.int64), **results})
    twentieth = np.minimum(
        20 * results["train_wins"] // (results["train_wins"] + results["train_losses"]), 19
    )
    bins = frame.groupby(twentieth.astype(np.int64)).sum()
    bins.insert(0, "p_from", bins.index / 20)
    bins.insert(1, "p_to", (bins.index + 1) / 20)
    exact = sorted({as_fraction(each) for each in thresholds})
    chosen = [_kept(results, each, confident=confident) for each in exact]
    table = pd.DataFrame([frame[kept].sum() for kept in chosen]).reset_index(drop=True)
    table.insert(0, "threshold", [float(each) for each in exact])
    table["held_share"] = [_held(results, kept, each) for kept, each in zip(chosen, exact, strict=True)]
    table.insert(3, "seen_share", table["seen"] / table["positions"].where(table["positions"] > 0))
    wins, losses = (int(results[name].sum()) for name in ("wins", "losses"))
    return Calibration(
        bins=_with_ratios(bins.reset_index(drop=True)),
        thresholds=_with_ratios(table),
        spread=wins / (wins + losses) if wins + losses else float("nan"),
    )


def _where(is_seen: npt.NDArray[np.bool_], counts: _Counts, place: npt.NDArray[np.int64]) -> _Counts:
    """Return the count at each place, 0 for positions that were not seen."""
    found = np.zeros(place.size, dtype=np.uint64)
    found[is_seen] = counts[place[is_seen]]
    return found


def _kept(results: dict[str, _Counts], threshold: Fraction, *, confident: bool) -> npt.NDArray[np.bool_]:
    reaches = bound_at_least if confident else passes
    kept: npt.NDArray[np.bool_] = reaches(results["train_wins"], results["train_losses"], threshold)
    return kept


def _held(results: dict[str, _Counts], kept: npt.NDArray[np.bool_], threshold: Fraction) -> float:
    """Return the share of the kept positions, seen and decided later, whose later P reaches the threshold."""
    decided = kept & (results["wins"] + results["losses"] > 0)
    if not decided.any():
        return float("nan")
    return float(passes(results["wins"][decided], results["losses"][decided], threshold).mean())


def _with_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    counts: dict[str, npt.NDArray[Any]] = {
        name: frame[name].to_numpy().astype(np.uint64)
        for name in ("train_wins", "train_losses", "wins", "losses")
    }
    low, high = wilson_bounds(counts["wins"], counts["losses"])
    return frame.assign(
        **counts,
        p_train=win_ratio(counts["train_wins"], counts["train_losses"]),
        p=win_ratio(counts["wins"], counts["losses"]),
        p_low=low,
        p_high=high,
    )
