"""Quality and weights: how often each kept move at a position is to be played.

The pick weight of a move is its worth to the power of the option `sharpen`. By default the worth is
2 · W + D; `bookbuilder.selection.criteria` has the formula. A format with weights stores the pick weight,
scaled so that the heaviest move of a position has the largest value.

With evaluations and the option `loss_scale`, the pick weight of a move with a value is its worth to a smaller
power times e^(−loss / scale), at positions where the engine valued the move with the most points. The loss is
that against the best kept move of the position, by the expected values of `bookbuilder.selection.expected`.
The more games a position has, the longer engines search it, and the less its results need to say. So the
power falls from `sharpen` at 40 points to 1/2 at 2,560, by the logarithm of the points.

A record of the clustered book has a usage n and a quality q of five bits, and the engine draws its moves in
proportion to n · (q + 1)³. Several moves may lead to one record, so the qualities are fitted. The draws are a
model of choice by Luce: a move to record c is drawn with n_c · f_c / S, f_c = (q_c + 1)³/2¹⁵, S the sum over
the moves of the position. The fit has the most likely f if each position is drawn from as often as games were
at it, and each move in proportion to its pick weight. It is that of minorisation and maximisation (Hunter,
Annals of Statistics 32, 2004):

    f_c ← f_c · (draws of c that are wanted / draws of c by the model)^1.75,   limited to 2⁻¹⁵ … 1

The exponent 1 never makes the likelihood less; a longer step converges sooner.

With `sharpen` 0 the quality blends the five sources of judgement that the literature names. Each is a term
from 0 to 1 with a weight:

| term | weight | formula | unknown |
|---|---|---|---|
| result | 50 | (W + 5) / (W + L + 10): P, shrunk towards 1/2 as if ten more games had been split | |
| usage | 20 | n / (n + 50), n the games that reached the position or played the move | |
| marks | 15 | (1 + m / (abs(m) + 3)) / 2, m the annotation marks in favour of the side | m = 0 |
| rating | 10 | (mean rating - 1800) / 1000, cut to 0 … 1 | 1/2 |
| recency | 5 | 20 / (20 + age), age in years before the newest year of the tally | 1/2 |

quality = floor(31 · (sum of weight · term) / 100 + 1/2). All formulas use only the four operations, which
every machine rounds alike, so the same tally gives the same book everywhere. The weights are chosen, not
tuned: frequency, result and annotation carry most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from bookbuilder._core import MAX_QUALITY
from bookbuilder.errors import SelectionError
from bookbuilder.ratios import blocks, quotient
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.criteria import Criteria

if TYPE_CHECKING:
    from bookbuilder.selection.graph import Graph

LARGEST_WEIGHT = 0xFFFF
"""The sharpened weight of the heaviest move at a position."""

# In a book of 138,608 games the mean distance of the draws from the weights is 0.021 after 10 rounds, 0.0135
# after 30, 0.0103 after 60 and 0.0101 after 100.
_ROUNDS: Final = 60
# Chosen with `--engine stockfish --minutes 10` and 138,608 games: see docs/selection.md.
_LEAST_POWER: Final = 0.5
_FEW_POINTS: Final = 40
_DOUBLINGS: Final = 6
_LEAST: Final = 1 / (MAX_QUALITY + 1) ** 3

_Numbers: TypeAlias = npt.NDArray[np.float64]
_Group: TypeAlias = npt.NDArray[np.integer[Any]]
_Base = TypeVar("_Base", float, npt.NDArray[Any])


def blended_quality(candidates: Candidates, newest_year: int | None = None) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the five terms at the head of this module.

    Args:
        candidates: any candidates.
        newest_year: of the tally, 0 = unknown; None = that of the candidates.

    Source: own; the five sources of judgement are from the literature on opening libraries.
    """
    newest = int(candidates.year_max.max(initial=0)) if newest_year is None else newest_year
    quality = np.empty(len(candidates), dtype=np.uint8)
    for rows in blocks(len(candidates)):
        c = candidates.part(rows)
        rating = np.clip((mean_rating(c) - 1800) / 1000, 0, 1)
        marks = c.marks / (abs(c.marks) + 3)
        blend = 50 * ((c.wins + 5) / (c.wins + c.losses + 10))
        blend = blend + 20 * (c.games / (c.games + 50))
        blend = blend + 15 * ((1 + marks) / 2)
        blend = blend + 10 * np.where(c.rated == 0, 0.5, rating)
        blend = blend + 5 * np.where(c.year_max == 0, 0.5, 20 / (20.0 + newest - c.year_max))
        quality[rows] = (MAX_QUALITY * blend / 100 + 0.5) // 1
    return quality


def above_mean(column: _Numbers, weight: _Numbers, group: _Group) -> _Numbers:
    """Return a column less the weighted mean of its group; 0 where it is not known."""
    known = np.isfinite(column)
    plain, share = np.where(known, column, 0.0), weight * known
    total = np.maximum(np.bincount(group, share), 1e-300)
    mean: _Numbers = (np.bincount(group, share * plain) / total)[group]
    return np.where(known, plain - mean, 0.0)


def criterion_terms(
    moves: Candidates, group: _Group, newest_year: int | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Return the terms of strength, date and annotation of each move, as `criteria` explains them."""
    games = moves.games.astype(np.float64)
    newest = int(moves.year_max.max(initial=0)) if newest_year is None else newest_year
    recency = np.where(moves.year_max == 0, np.nan, 20 / (20.0 + newest - moves.year_max))
    return {
        "strength": above_mean(mean_rating(moves) / 100, games, group),
        "date": above_mean(recency, games, group),
        "annotation": moves.marks / (abs(moves.marks) + 3.0),
    }


def criterion_factors(
    moves: Candidates, criteria: Criteria, newest_year: int | None = None
) -> dict[str, _Numbers]:
    """Return by how much each criterion that counts multiplies the worth of each move."""
    games = moves.games.astype(np.float64)
    score = (2.0 * moves.wins + moves.draws) / np.maximum(games, 1)
    found = {"usage": games**criteria.usage, "result": score**criteria.result}
    if criteria.strength or criteria.date or criteria.annotation:
        starts = moves.group_starts()
        group = np.repeat(np.arange(starts.size), np.diff(starts, append=len(moves)))
        for name, term in criterion_terms(moves, group, newest_year).items():
            found[name] = np.exp(getattr(criteria, name) * term)
    return {name: factor for name, factor in found.items() if getattr(criteria, name)}


def worth_of(moves: Candidates, criteria: Criteria, newest_year: int | None = None) -> _Numbers:
    """Return the worth of each move. By default it is 2 · W + D, exactly."""
    if criteria == Criteria():
        return 2.0 * moves.wins.astype(np.float64) + moves.draws
    factors = criterion_factors(moves, criteria, newest_year).values()
    worth: _Numbers = np.prod([*factors, np.ones(len(moves))], axis=0)
    return np.where(moves.games > 0, worth, 0.0)


def mean_rating(counted: Candidates) -> npt.NDArray[Any]:
    """Return the mean of the known ratings; NaN where none is known."""
    return quotient(counted.rating_sum, counted.rated)


def pick_shares(
    points: _Numbers, group: _Group, power: int, *, value: _Numbers | None = None, scale: int | None = None
) -> _Numbers:
    """Return the pick weight of each move, 1 for the heaviest of its position.

    That is the share of the points to a power. Where an engine valued the move with the most points, the
    weight of a valued move is its share to the power that the head of this module names, times
    e^(−loss / scale). The loss is that against the best of these moves.

    Args:
        points: 2 · W + D of each move; 0 = it is not in the book.
        group: number of the position of each move, from 0.
        power: 1 or more, where the engine says nothing.
        value: of each move, for the side that makes it; NaN = unknown.
        scale: centipawns by which a weight falls to 1/e; None or 0: values do not count.

    Example:
        >>> points, group = np.array([30.0, 10.0, 7.0]), np.array([0, 0, 1])
        >>> pick_shares(points, group, 2).round(3).tolist()
        [1.0, 0.111, 1.0]
        >>> value = np.array([0.0, 20.0, np.nan])
        >>> pick_shares(points, group, 2, value=value, scale=20).round(3).tolist()
        [1.0, 0.302, 1.0]
    """
    share = points / largest_of(points, group)[group]
    weight = power_of(share, power)
    if value is None or not scale:
        return weight
    known = ~np.isnan(value) & (points > 0)
    groups = int(group.max(initial=0)) + 1
    best, has_main = np.full(groups, -np.inf), np.zeros(groups, np.bool_)
    np.maximum.at(best, group[known], value[known])
    has_main[group[known & (share == 1)]] = True
    is_valued = known & has_main[group]
    loss = np.where(is_valued, best[group] - value, 0.0)
    doublings = np.log2(np.maximum(np.bincount(group, points), _FEW_POINTS) / _FEW_POINTS)[group]
    own_power = power - (power - _LEAST_POWER) * np.minimum(doublings / _DOUBLINGS, 1)
    weight = np.where(is_valued, share**own_power * np.exp(-loss / scale), weight)
    weighted: _Numbers = weight / largest_of(weight, group)[group]
    return weighted


def mean_losses(
    points: _Numbers, games: _Numbers, value: _Numbers, group: _Group, power: int, scale: int | None
) -> tuple[float, float]:
    """Return the centipawns that a drawn move loses on average, with the weights by value and without.

    Only positions with two or more valued moves count, in proportion to the games of these moves. NaN if
    there is none.

    Args:
        points: 2 · W + D of each move, 0 = it is not in the book.
        games: games that played it.
        value: its value, NaN = unknown.
        group: number of its position.
        power: as in `pick_shares`.
        scale: likewise.

    Example:
        >>> numbers = np.array([4.0, 4.0]), np.array([2.0, 2.0]), np.array([0.0, 1000.0])
        >>> chosen, drawn = mean_losses(*numbers, np.array([0, 0]), 3, 15)
        >>> round(chosen, 9), drawn
        (0.0, 500.0)
    """
    known = ~np.isnan(value) & (points > 0)
    rows = np.flatnonzero(known & (np.bincount(group, known)[group] > 1))
    if not rows.size:
        return float("nan"), float("nan")
    chosen = pick_shares(points, group, power, value=value, scale=scale)
    plain = pick_shares(points, group, power)
    _, place = np.unique(group[rows], return_inverse=True)
    best = np.full(place.max() + 1, -np.inf)
    np.maximum.at(best, place, value[rows])
    loss, visits = best[place] - value[rows], np.bincount(place, games[rows])

    def mean(weight: _Numbers) -> float:
        drawn = np.bincount(place, weight * loss) / np.bincount(place, weight)
        return float(np.average(drawn, weights=visits))

    return mean(chosen[rows]), mean(plain[rows])


def scaled_picks(share: _Numbers) -> npt.NDArray[np.uint64]:
    """Return pick weights as numbers of 0 … 65,535, at least 1 for a weight above 0."""
    scaled = np.maximum(np.floor(share * LARGEST_WEIGHT + 0.5), 1.0)
    return np.where(share > 0, scaled, 0.0).astype(np.uint64)


def pick_quality(
    moves: Candidates,
    kept: npt.NDArray[np.bool_],
    power: int,
    *,
    worth: _Numbers,
    graph: Graph | None = None,
    reached: npt.NDArray[Any] | None = None,
    value: _Numbers | None = None,
    loss_scale: int | None = None,
) -> npt.NDArray[np.uint8]:
    """Return the quality of each move, or of each position, by the formula at the head of this module.

    Args:
        moves: the moves, with the games that played them.
        kept: whether each row is kept; the others do not count as the heaviest of their position.
        power: the option `sharpen`.
        worth: of each move, by the criteria.
        graph: of the tally, if the rows are its positions; None: they are the moves.
        reached: games that reached each position; None: rows are moves.
        value: the engine's value of each row, for the side that moved; NaN = unknown.
        loss_scale: the option of this name.
    """
    if graph is not None:
        assert reached is not None
        return _fitted_quality(moves, kept, power, worth, graph, reached, value, loss_scale)
    quality, rows = np.zeros(len(moves), np.uint8), np.flatnonzero(kept & (worth > 0))
    group = np.searchsorted(moves.group_starts(), rows, "right")
    of_move = None if value is None else value[rows]
    weight = pick_shares(worth[rows], group, power, value=of_move, scale=loss_scale)
    weight = weight / np.maximum((moves.games if reached is None else reached)[rows], 1)
    quality[rows] = quality_steps(weight / largest_of(weight, group)[group])
    return quality


def _fitted_quality(
    moves: Candidates,
    kept: npt.NDArray[np.bool_],
    power: int,
    worth: _Numbers,
    graph: Graph,
    reached: npt.NDArray[Any],
    value: _Numbers | None,
    loss_scale: int | None,
) -> npt.NDArray[np.uint8]:
    """Return the quality of each position, with which a book draws moves most nearly by pick weight.

    Where the book has a single move, its record may have any quality: it does not count, and gets the highest
    unless nobody scored with it. See `pick_quality` for the arguments.
    """
    rows = graph.edges()
    games = np.zeros(len(moves), np.uint64)
    games[rows] = moves.games[rows]
    rows = rows[kept[graph.child[rows]]]
    group, child, points = graph.parent[rows], graph.child[rows], worth[rows]
    quality = np.full(reached.size, _LEAST)
    quality[child[points > 0]] = 1.0
    some = np.flatnonzero(np.bincount(group, minlength=1)[group] > 1)
    group, child, points = group[some], child[some], points[some]
    visits = np.add.reduceat(games, graph.starts)[group].astype(np.float64) if some.size else points
    group = np.unique(group, return_inverse=True)[1]
    of_move = None if value is None else value[child]
    weight = pick_shares(points, group, power, value=of_move, scale=loss_scale)
    children, child = np.unique(child, return_inverse=True)
    usage = np.maximum(reached[children].astype(np.float64), 1)[child]

    # A position whose moves weigh nothing is drawn from by usage alone: it does not count.
    total = np.bincount(group, weight)[group]
    visits = np.where(total > 0, visits, 0.0)
    wanted = visits * weight / np.maximum(total, 1e-300)
    of_game = weight / usage
    start = of_game / largest_of(of_game, group)[group]
    fitted = np.clip(quotient(np.bincount(child, start * visits), np.bincount(child, visits)), _LEAST, 1)
    fitted[np.isnan(fitted)] = _LEAST
    # The start fits already where no move shares its record with another position, and beside a move that
    # would need less than the least are only moves of the highest quality.
    is_low, is_shared = start < _LEAST, np.bincount(child)[child] > 1
    between = np.bincount(group, ~is_low & (start < 1))
    is_open = (np.bincount(group, is_shared) > 0) | ((np.bincount(group, is_low) > 0) & (between > 0))
    rows = np.flatnonzero(is_open[group])
    _, group = np.unique(group[rows], return_inverse=True)
    some, child = np.unique(child[rows], return_inverse=True)
    visits, usage, wanted = visits[rows], usage[rows], np.bincount(child, wanted[rows]).astype(float)
    shares = fitted[some]
    for _ in range(_ROUNDS):
        per_unit = visits * usage / np.bincount(group, usage * shares[child])[group]
        drawn = np.bincount(child, per_unit) * shares
        ratio = quotient(wanted, drawn)
        root = np.sqrt(ratio)
        shares = np.where(drawn > 0, np.clip(shares * ratio * root * np.sqrt(root), _LEAST, 1), shares)
    fitted[some] = shares
    quality[children] = fitted
    return quality_steps(quality)


def quality_steps(factor: _Numbers) -> npt.NDArray[np.uint8]:
    """Return the quality q whose ((q + 1)/32)³ is nearest to a factor, by its root; above 1 counts as 1."""
    between = power_of((np.arange(MAX_QUALITY) + 1.5) / (MAX_QUALITY + 1), 3)
    return np.searchsorted(between, factor, side="right").astype(np.uint8)


def power_of(base: _Base, power: int) -> _Base:
    """Return base^power by multiplication, which every machine rounds alike."""
    result = base
    for _ in range(power - 1):
        result = result * base
    return result


def largest_of(value: _Numbers, group: _Group) -> _Numbers:
    """Return the largest value of each group, infinity where no value is above 0."""
    largest = np.zeros(int(group.max(initial=0)) + 1)
    np.maximum.at(largest, group, value)
    largest[largest == 0] = np.inf
    return largest


def checked_quality(values: npt.ArrayLike, rows: int) -> npt.NDArray[np.uint8]:
    """Return the values of a user's formula, rounded to whole numbers, halves up.

    Args:
        values: one number for each row.
        rows: the expected number of rows.

    Raises:
        SelectionError: there are more or fewer values, or one is not a number from 0 to 31.
    """
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SelectionError(f"quality: expected numbers from 0 to {MAX_QUALITY}: {error}") from error
    if given.shape != (rows,):
        raise SelectionError(f"quality: expected {rows} numbers, found an array of shape {given.shape}")
    rounded = np.floor(given + 0.5)
    wrong = ~((rounded >= 0) & (rounded <= MAX_QUALITY))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SelectionError(f"quality: row {row} is {given[row]}, expected 0 to {MAX_QUALITY}")
    return rounded.astype(np.uint8)
