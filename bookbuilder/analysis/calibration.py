"""Which value of a rule holds in later games? Rules are made from earlier games and tried on later ones.

A rule keeps some moves of each position. Its *gain* is what a player gets who plays only kept moves: the P
of the kept moves in the later games less the P of all moves, at each position, over all visits of later
decided games. Where a rule keeps no move that was played later, the gain is 0.

The prior s is judged by the logarithm of the probability that (W + s · P) / (W + L + s) gives to the result
of a later decided game. W and L are the results of a move in the earlier games, and P that of its position.
Only moves count that a margin can drop: those in less than a tenth of the games at their position.

Intervals are 95 %. A game visits many positions, so it counts as a whole: the variance is the sum over games
of the squared change that leaving one out makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import RATING_STEPS
from bookbuilder.columns import values
from bookbuilder.errors import SelectionError
from bookbuilder.keywords import as_integer
from bookbuilder.ratios import CONFIDENCE_Z, win_ratio
from bookbuilder.selection.candidates import Before, Candidates, count_candidates, group_starts
from bookbuilder.selection.options import PRIOR_GAMES, PRIORS, SelectionOptions
from bookbuilder.selection.thresholds import at_least
from bookbuilder.selection.verdicts import MAIN_SHARE, drop_by_position, fitted_prior, judge_counts, predicted
from bookbuilder.tally.observations import Observations
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

Axis: TypeAlias = Literal["margin", "prior", "min_games", "min_win_rate"]
"""A rule whose value is tried."""
_Numbers: TypeAlias = npt.NDArray[Any]

GRIDS: Final[Mapping[Axis, tuple[Any, ...]]] = {
    "margin": (None, "0.1", "0.05", "0.03", "0.02", "0.01", "0"),
    "prior": PRIORS,
    "min_games": (1, 2, 3, 5, 10, 20, 50),
    "min_win_rate": ("0", "0.4", "0.45", "0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8"),
}
"""The values that are tried."""
_NO_MARGIN: Final[Mapping[str, Any]] = {"margin": None, "prior": PRIOR_GAMES}
_FOLDS: Final = 5
_LATER: Final = 0.8
"""Without a year, the share of the dated games that are earlier ones."""
_SUMS: Final = ("games", "wins", "draws", "losses", "paired", "surplus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What later games say of the values of a rule.

    Attributes:
        axis: the rule.
        points: one row for each value: value (NaN = off), moves (kept), coverage (share of the moves of
            later games that are kept); p_train, p (of the kept moves, earlier and later); gain, gain_low,
            gain_high.
            With the axis `prior` also likelihood (mean logarithm), and behind, behind_low, behind_high: the
            likelihood of the best value less this one.
        best: the value with the largest gain, or the best likelihood; None = off.
        auto: the prior that `--prior auto` takes for all these games, earlier and later.
        split: the first year of the later games; `games` if each fifth of the games was later once.
        games_before: number of earlier games.
        games_later: number of later games.
    """

    axis: Axis
    points: pd.DataFrame
    best: Any
    auto: int
    split: str
    games_before: int
    games_later: int


class _Rows(NamedTuple):
    """What was played, by earlier and later games: observations, or the rows of tallies.

    `move` numbers the moves of positions, and `position` has the position of each such move. A unit is what
    counts as a whole in intervals, and `size` the visits of each.
    """

    identity: tuple[_Numbers, _Numbers, _Numbers]
    side: _Numbers
    ply: _Numbers
    sums: dict[str, _Numbers]
    move: _Numbers
    position: _Numbers
    unit: tuple[_Numbers, _Numbers]
    size: _Numbers


def calibrate(
    seen: Observations,
    axis: Axis = "margin",
    options: SelectionOptions | None = None,
    /,
    *,
    split: int | Literal["games"] | None = None,
    grid: Sequence[Any] | None = None,
) -> Calibration:
    """Return how the values of a rule, made from earlier games, hold in later games.

    Args:
        seen: the observations of archives.
        axis: margin, prior, min_games or min_win_rate.
        options: the other rules; None = the defaults with a minimum of 3 games. There is no margin where
            the axis is min_games or min_win_rate.
        split: first year of the later games; `games`: each fifth of the games is later once; None: `games`
            for a prior, else the year that leaves a fifth of the games.
        grid: values to try; None = usual ones.

    Raises:
        SelectionError: the axis is unknown, a value is not valid, or no game is earlier or later.
        OptionError: `split` is neither a year nor `games`.

    Example:
        >>> found = bb.calibrate(bb.observations("games.pgn"), "min_games", split=2004, grid=[1, 2])
        >>> found.points[["value", "moves"]].to_numpy().tolist(), found.games_later
        ([[1.0, 12.0], [2.0, 3.0]], 3)
    """
    if axis not in GRIDS:
        raise SelectionError(f"axis is {axis}: expected {', '.join(GRIDS)}")
    if not isinstance(seen, Observations):
        raise SelectionError(f"calibrate: {seen!r} does not know single games; give observations(ARCHIVES)")
    if grid is not None and not len(grid):
        raise SelectionError("calibrate: the grid is empty; expected values to try, or None")
    if split != "games":
        split = as_integer("split", split, 0)
    table = seen.to_arrow()
    column = {name: values(table.column(name).combine_chunks()) for name in table.column_names}
    game, year = column["game"].astype(np.int64), column["year"]
    firsts = np.flatnonzero(np.diff(game, prepend=-1))
    of_game = np.sort(year[firsts][year[firsts] > 0])
    if split is None:
        split = "games" if axis == "prior" else usual_split(of_game)
    if split == "games":
        folds = [(game % _FOLDS != fold, game % _FOLDS == fold) for fold in range(_FOLDS)]
        before = later = firsts.size
    else:
        folds = [((year > 0) & (year < split), year >= split)]
        before, later = int((of_game < split).sum()), int((of_game >= split).sum())
        if not before or not later:
            several = of_game.size and of_game[0] < of_game[-1]
            years = f"a year from {of_game[0] + 1} to {of_game[-1]}, or " if several else ""
            raise SelectionError(f"split at {split}: all dated games are on one side; expected {years}games")
    rows = _numbered(_of_observations(column), (game, game), np.ones(int(game.max(initial=-1)) + 1))
    points, best = _tried(rows, folds, axis, options or SelectionOptions(min_games=3), grid)
    auto = fitted_prior(*_counted(rows, np.ones(game.size, np.bool_)))
    return Calibration(
        axis=axis,
        points=points,
        best=best,
        auto=auto,
        split=str(split),
        games_before=before,
        games_later=later,
    )


def compare(
    train: Tally, later: Tally, axis: Axis, options: SelectionOptions, grid: Sequence[Any] | None = None
) -> pd.DataFrame:
    """Return the points of `Calibration` from two tallies. Their intervals are too narrow.

    A tally does not know which games visited a position, so each visit counts as independent.
    """
    parts = [count_candidates(each, "moves") for each in (train, later)]
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("key", "lock", "move", "side", "ply", *_SUMS)
    }
    number = np.arange(len(parts[0]) + len(parts[1]))
    size = np.concatenate([columns["wins"], columns["losses"]]).astype(np.float64)
    rows = _numbered(columns, (number, number + number.size), np.maximum(size, 1))
    return _tried(rows, [(number < len(parts[0]), number >= len(parts[0]))], axis, options, grid)[0]


def usual_split(years: _Numbers) -> int:
    """Return the year such that about a fifth of the dated games were played in it or later."""
    if not years.size or years[0] == years[-1]:
        why = "the games are of one year, or have no dates"
        raise SelectionError(f"{why}: expected other filters, or --split games")
    year = years[int(_LATER * years.size)]
    return int(year if year > years[0] else years[years > year][0])


def _of_observations(column: Mapping[str, _Numbers]) -> dict[str, _Numbers]:
    """Return the columns of Candidates, one row for each observation."""
    first = column["mover"] == 0
    won, lost = ((column["result"] == np.where(first, a, b)) for a, b in ((1, 3), (3, 1)))
    drawn = column["result"] == 2
    rating, opponent = (column[name].astype(np.int64) for name in ("rating", "opponent"))
    paired = (rating > 0) & (opponent > 0) & (column["result"] > 0)
    ahead = np.searchsorted(RATING_STEPS, np.abs(rating - opponent), side="right")
    promised = 50 + np.where(rating >= opponent, ahead, -ahead)
    return {
        "key": column["key"],
        "lock": column["lock"],
        "move": column["move"],
        "side": column["mover"],
        "ply": column["ply"].astype(np.int64) + (column["move"] != 0),
        "games": np.ones(first.size),
        "wins": won,
        "draws": drawn,
        "losses": lost,
        "paired": paired,
        "surplus": np.where(paired, 100 * won + 50 * drawn - promised, 0),
    }


def _numbered(columns: dict[str, _Numbers], unit: tuple[_Numbers, _Numbers], size: _Numbers) -> _Rows:
    """Return rows with the numbers of their moves and positions."""
    key, lock, move = (columns[name] for name in ("key", "lock", "move"))
    order = np.lexsort((move, lock, key))
    begins = np.ones(order.size, np.bool_)
    begins[1:] = np.any([np.diff(each[order].astype(np.int64)) != 0 for each in (key, lock, move)], axis=0)
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(begins) - 1
    identity = (key[order][begins], lock[order][begins], move[order][begins])
    starts = group_starts(*identity[:2])
    return _Rows(
        identity=identity,
        side=columns["side"][order][begins],
        ply=np.minimum.reduceat(columns["ply"][order], np.flatnonzero(begins)) if order.size else order,
        sums={name: columns[name].astype(np.float64) for name in _SUMS},
        move=number,
        position=np.repeat(np.arange(starts.size), np.diff(starts, append=identity[0].size)),
        unit=unit,
        size=size,
    )


def _tried(
    rows: _Rows,
    folds: Sequence[tuple[_Numbers, _Numbers]],
    axis: Axis,
    options: SelectionOptions,
    grid: Sequence[Any] | None,
) -> tuple[pd.DataFrame, Any]:
    """Return the points, and the best value."""
    import pandas as pd

    free = _NO_MARGIN if axis.startswith("min_") else {}
    tried = GRIDS[axis] if grid is None else grid
    rules = [replace(options, **{**(_NO_MARGIN if value is None else free), axis: value}) for value in tried]
    found = []
    # Where each game is later once, results are predicted from all other games, as `--prior auto` does.
    whole = _counted(rows, folds[0][0] | folds[0][1]) if len(folds) > 1 else None
    for train, later in folds:
        counted = _counted(rows, train)
        found.append([_try(rows, counted, later, rule, axis, whole) for rule in rules])
    points, logs = [], []
    for rule, every in zip(rules, zip(*found, strict=True), strict=True):
        value = getattr(rule, axis)
        moves, covered, visits = (sum(each[name] for each in every) for name in ("moves", "covered", "later"))
        results = (np.sum([each[name] for each in every], axis=0) for name in ("train", "won"))
        p_train, p = (float(win_ratio(*map(int, each))) for each in results)
        gain, low, high = _mean([each["gain"] for each in every], rows.size)
        points.append(
            {
                "value": float("nan") if value is None else float(value),
                "moves": round(moves / len(every)),
                "coverage": covered / visits if visits else float("nan"),
                "p_train": p_train,
                "p": p,
                "gain": gain,
                "gain_low": low,
                "gain_high": high,
            }
        )
        logs.append([each.get("log") for each in every])
    frame = pd.DataFrame(points)
    place = 0 if frame["gain"].isna().all() else int(frame["gain"].argmax())
    if axis == "prior":
        means = [_mean(each, rows.size)[0] for each in logs]
        place = int(np.argmax(means))
        pairs = [zip(logs[place], each, strict=True) for each in logs]
        behind = [_mean([(best[0] - own[0], own[1]) for best, own in each], rows.size) for each in pairs]
        names = ("behind", "behind_low", "behind_high")
        frame = frame.assign(likelihood=means, **dict(zip(names, np.array(behind).T, strict=True)))
    return frame, getattr(rules[place], axis)


def _try(
    rows: _Rows,
    counted: tuple[Candidates, Before],
    later: _Numbers,
    rule: SelectionOptions,
    axis: Axis,
    whole: tuple[Candidates, Before] | None,
) -> dict[str, Any]:
    """Return what a rule from the earlier games keeps, and what it gains in the later ones.

    `whole` counts all games, where the prior is tried on each game by all others.
    """
    later = later & (rows.identity[2][rows.move] != 0)
    (c, before), of = counted, rows.position
    kept = judge_counts(c, rule) == 0
    for _, dropped in drop_by_position(c, before, rule):
        kept &= ~dropped
    number = [rows.move[later], rows.move[later]]
    weight = [rows.sums[name][later] for name in ("wins", "losses")]
    wins, losses = (np.bincount(rows.move[later], each, kept.size) for each in weight)
    positions = int(of.max(initial=-1)) + 1
    visits, chosen, good = (
        np.bincount(of, each, positions) for each in (wins + losses, kept * (wins + losses), kept * wins)
    )
    q = np.where(chosen > 0, good / np.maximum(chosen, 1), 0.0)
    stretch = visits / np.maximum(chosen, 1)

    def summed(of_result: Callable[[int], _Numbers], counts: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Return the sum over the visits of each unit, and their number; of moves by their number."""
        totals = np.zeros(rows.size.size), np.zeros(rows.size.size)
        for place, result in enumerate((1, 0)):
            unit = rows.unit[place][later]
            for total, each in zip(totals, (of_result(result), counts), strict=True):
                total += np.bincount(unit, weight[place] * each[number[place]], total.size)
        return totals

    def gained(result: int) -> _Numbers:
        share = q[of] - result + np.where(kept, stretch[of] * (result - q[of]), 0)
        return np.where(chosen[of] > 0, share, 0.0)

    found = {
        "moves": kept.sum(),
        "covered": np.bincount(rows.move[later], rows.sums["games"][later], kept.size)[kept].sum(),
        "later": rows.sums["games"][later].sum(),
        "train": (c.wins[kept].sum(), c.losses[kept].sum()),
        "won": (wins[kept].sum(), losses[kept].sum()),
        "gain": summed(gained, before.moved > 0),
    }
    if axis == "prior":
        c, before = counted if whole is None else whole
        is_judged = judge_counts(c, replace(rule, **_NO_MARGIN)) == 0
        is_judged &= ~at_least(before.played, before.moved, MAIN_SHARE)
        prior, own = int(rule.prior or 0), int(whole is not None)
        found["log"] = summed(
            lambda won: is_judged * predicted(c, before, prior, won, own), is_judged.astype(np.float64)
        )
    return found


def _counted(rows: _Rows, chosen: _Numbers) -> tuple[Candidates, Before]:
    """Return the moves of some rows, and the position before each."""
    key, lock, move = rows.identity
    sums = {name: np.bincount(rows.move[chosen], each[chosen], key.size) for name, each in rows.sums.items()}
    plain: dict[str, Any] = {
        name: each.astype(np.int64 if name == "surplus" else np.uint64) for name, each in sums.items()
    }
    unused: dict[str, Any] = dict.fromkeys(
        ("rating_sum", "rated", "year_max", "marks"), np.zeros(key.size, np.int64)
    )
    c = Candidates(key=key, lock=lock, move=move, side=rows.side, ply=rows.ply, **plain, **unused)
    of = {name: np.bincount(rows.position, each)[rows.position] for name, each in sums.items()}
    played = np.where(move != 0, plain["games"], 0).astype(np.uint64)
    counts: dict[str, Any] = {
        name: each.astype(plain[name].dtype) for name, each in of.items() if name != "games"
    }
    moved = np.bincount(rows.position, played)[rows.position].astype(np.uint64)
    return c, Before(played=played, moved=moved, **counts)


def _mean(parts: Sequence[Any], size: _Numbers) -> tuple[float, float, float]:
    """Return a mean over visits with its bounds, from sums and numbers of visits by unit."""
    total, visits = (np.sum([each[place] for each in parts], axis=0) for place in (0, 1))
    count = visits.sum()
    if not count:
        return float("nan"), float("nan"), float("nan")
    mean = total.sum() / count
    wide = CONFIDENCE_Z * np.sqrt((((total - mean * visits) ** 2) / size).sum()) / count
    return float(mean), float(mean - wide), float(mean + wide)
