"""Fit the five criteria of a move's worth on later games: gain in log-likelihood and weight of each.

    python benches/criteria.py ARCHIVE FIRST_YEAR TEST_YEAR

Counts are of the games before FIRST_YEAR. Weights are fitted on the games from then on, and the gains
measured on those from TEST_YEAR on. A row is a later decided game at a move of 3 games or more, up to ply 30,
where the position has another such move. The model is the logistic one: the P of the position, the difference
of the players' ratings in the later game, the side to move, and the criteria, each as the difference from the
mean of the position. Gains have bootstrap intervals by game (1,000 draws, seed 1).
"""

from __future__ import annotations

import sys

import numpy as np

import bookbuilder as bb
from bookbuilder.games.columns import PositionIndex
from bookbuilder.selection.candidates import count_candidates, group_starts, positions_before
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.quality import above_mean, criterion_terms

_PLIES, _FEW, _DRAWS, _PRIOR = 30, 3, 1_000, 80


def logit(p: np.ndarray) -> np.ndarray:
    """Return the logarithm of the odds."""
    return np.log(p / (1 - p))


def fitted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-x @ w))
        w += np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(w.size), x.T @ (y - p))
    return w


def log_likelihood(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the logarithm of the probability of each row's result."""
    return -np.log1p(np.exp(np.where(y, -1, 1) * (x @ w)))


def marks(archive: str) -> None:
    """Print how the movers of marked moves did, in the game of the mark and in other games with that move."""
    rows = bb.observations(archive, max_ply=40, dedupe="exact").to_pandas().query("move > 0")
    rows["won"] = rows.result == np.where(rows.mover == 0, 1, 3)
    rows["others"] = rows.groupby(["key", "lock", "move"]).mark.transform("sum") - rows.mark
    rows = rows[rows.result.isin([1, 3])]
    at = rows.groupby(["key", "lock"]).won
    rows["usual"] = (at.transform("sum") - rows.won) / np.maximum(at.transform("size") - 1, 1)
    for sign, word in ((1, "praised"), (-1, "blamed")):
        own, other = rows[np.sign(rows.mark) == sign], rows[np.sign(rows.others) == sign]
        print(
            f"{word}: P {own.won.mean():.3f} in {len(own)} games of the mark; in {len(other)} others", end=" "
        )
        print(f"{other.won.mean():.3f}, {other.usual.mean():.3f} of the other games at their positions")


def main(archive: str, first: int, test: int) -> None:
    """Print the table."""
    tally = bb.Tally.from_archives(archive, max_ply=_PLIES, until=str(first - 1))
    moves, positions = (count_candidates(tally, shape) for shape in ("moves", "positions"))
    starts = group_starts(moves.key, moves.lock)
    of = np.repeat(np.arange(starts.size), np.diff(starts, append=len(moves)))
    before = positions_before(moves, positions, of)
    used = (moves.move != 0) & (moves.games >= _FEW)
    used &= np.bincount(of, used)[of] > 1
    r = (before.wins + 10.0) / (before.wins + before.losses + 20.0)
    decided, games = moves.wins + moves.losses, np.where(used, moves.games, 0).astype(float)
    x = {**criterion_terms(moves, of), "usage": above_mean(np.log(moves.games), games, of)}
    x["result"] = logit((moves.wins + _PRIOR * r) / (decided + _PRIOR)) - logit(r)

    rows = bb.observations(archive, max_ply=_PLIES, since=str(first)).to_arrow()
    o = {name: rows.column(name).to_numpy() for name in rows.column_names}
    at = PositionIndex(moves.key[starts], moves.lock[starts]).find(o["key"], o["lock"])
    pairs, wanted = of << 16 | moves.move, at << 16 | o["move"]
    place = np.minimum(np.searchsorted(pairs, wanted), len(moves) - 1)
    chosen = np.flatnonzero((at >= 0) & (pairs[place] == wanted) & used[place] & np.isin(o["result"], (1, 3)))
    place, mover, game, year = place[chosen], o["mover"][chosen], o["game"][chosen], o["year"][chosen]
    y = o["result"][chosen] == np.where(mover == 0, 1, 3)
    rating, other = (o[name][chosen].astype(float) for name in ("rating", "opponent"))
    known = (rating > 0) & (other > 0)
    ahead = np.where(known, (rating - other) / 400 * np.log(10), 0)
    base = [logit(r)[place], ahead, np.where(mover == 0, 1, -1)]
    base = [column for column in base if column.any()]
    names = [name for name in Criteria.__slots__ if x[name][place].any()]
    columns = np.column_stack([*base, *(x[name][place] for name in names)])
    fit, late = year < test, year >= test
    game_of = np.unique(game[late], return_inverse=True)[1]
    draws = np.random.default_rng(1).poisson(1, (_DRAWS, game_of.max() + 1))
    visits = np.bincount(game_of)

    def loss(kept: list[int]) -> np.ndarray:
        w = fitted(columns[fit][:, kept], y[fit])
        return np.bincount(game_of, log_likelihood(columns[late][:, kept], y[late], w))

    def told(gain: np.ndarray) -> str:
        drawn = 1e5 * (draws @ gain) / (draws @ visits)
        low, high = np.quantile(drawn, (0.025, 0.975))
        return f"{1e5 * gain.sum() / visits.sum():+7.1f} [{low:+.1f}, {high:+.1f}]"

    every, bare = list(range(columns.shape[1])), list(range(len(base)))
    w = fitted(columns[fit], y[fit])
    p = 1 / (1 + np.exp(-columns[fit] @ w))
    scores = np.stack([np.bincount(game[fit], each * (y[fit] - p)) for each in columns[fit].T])
    inverse = np.linalg.inv((columns[fit] * (p * (1 - p))[:, None]).T @ columns[fit])
    wide = 1.96 * np.sqrt(np.diag(inverse @ (scores @ scores.T) @ inverse))
    print(
        f"{archive}: {len(set(game[fit])):,} games fitted; "
        f"{visits.size:,} games and {visits.sum():,} rows tested"
    )
    print("criterion    alone, 1e-5 nats a row       beyond the others            weight")
    alone, whole = loss(bare), loss(every)
    for index, name in enumerate(names, start=len(bare)):
        parts = told(loss([*bare, index]) - alone), told(whole - loss([i for i in every if i != index]))
        print(f"{name:12}", *(f"{part:28}" for part in parts), f"{w[index]:+.3f} ± {wide[index]:.3f}")
    missing = [name for name in Criteria.__slots__ if name not in names]
    print(f"no data for: {', '.join(missing)}" if missing else "")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]))
    marks(sys.argv[1])
