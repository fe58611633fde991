"""What own results say about the moves at a position: a Beta distribution for the score of each move.

Before any own game, the expected score s of a move is that of the archive, and its distribution is
Beta(k·s, k·(1 − s)): as if k games had been played. Each own game adds its points to the first number and
the rest to the second. The weight of a move in the book is then

    w' = w · c / c₀

c is the chance that the move is the best of its position by these distributions, c₀ the chance before any own
game. So without own games the weights are those of the book, and drawing by weight is Thompson sampling that
begins with them. A move that scored less than expected, and whose chance is below a fifth of what it was,
gets the weight 0: a refuted line ends instead of coming back now and then. The heaviest move remains in any
case. Distributions are summed up on a grid, so the same results give the same weights.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["LEAST_CHANCE", "PRIOR_GAMES", "chances", "learned_weights"]

PRIOR_GAMES: Final = 6
"""Games that the archive's score counts as by default."""

LEAST_CHANCE: Final = 0.2
"""A move is dropped if its chance to be the best falls below this part of what it was."""

_STEPS: Final = 2000
_GRID: Final = (np.arange(_STEPS) + 0.5) / _STEPS
# No score is certain: a distribution needs both numbers above 0.
_LEAST_SCORE: Final = 0.02

_Numbers = npt.NDArray[np.float64]


def learned_weights(
    weight: _Numbers,
    expected: _Numbers,
    points: _Numbers,
    games: _Numbers,
    *,
    prior_games: float = PRIOR_GAMES,
) -> _Numbers:
    """Return the weights of the moves at a position after own games; the heaviest is as heavy as before.

    Args:
        weight: weights in the book, above 0.
        expected: the archive's score of each move, 0 … 1.
        points: points of own games with each move: 1 for a win, ½ for a draw; games may count less.
        games: own games with each move, counted alike.
        prior_games: games that the archive's score counts as.

    Example:
        >>> import numpy as np
        >>> weight, half = np.array([3.0, 1.0]), np.array([0.5, 0.5])
        >>> learned_weights(weight, half, np.zeros(2), np.zeros(2)).tolist()
        [3.0, 1.0]
        >>> learned_weights(weight, half, np.zeros(2), np.array([8.0, 0.0])).tolist()
        [0.0, 3.0]
    """
    if not games.any():
        return weight
    none = np.zeros_like(games)
    before = chances(expected, none, none, prior_games=prior_games)
    change = chances(expected, points, games, prior_games=prior_games) / before
    learned = weight * change
    learned *= float(weight.max()) / float(learned.max())
    is_refuted = (points < games * expected) & (change < LEAST_CHANCE) & (learned < learned.max())
    return np.where(is_refuted, 0.0, learned)


def chances(expected: _Numbers, points: _Numbers, games: _Numbers, *, prior_games: float) -> _Numbers:
    """Return the chance of each move to have the highest score of all; the chances add up to 1.

    Example:
        >>> import numpy as np
        >>> chances(np.array([0.5, 0.5]), np.zeros(2), np.zeros(2), prior_games=10).round(3).tolist()
        [0.5, 0.5]
    """
    score = np.clip(expected, _LEAST_SCORE, 1 - _LEAST_SCORE)
    first, second = prior_games * score + points, prior_games * (1 - score) + games - points
    log_density = (first - 1)[:, None] * np.log(_GRID) + (second - 1)[:, None] * np.log1p(-_GRID)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    density /= density.sum(axis=1, keepdims=True)
    # The chance to score less than a point of the grid: half of the point itself is below it.
    below = np.cumsum(density, axis=1) - density / 2
    best = np.empty(len(score))
    for move in range(len(score)):
        others = np.delete(below, move, axis=0).prod(axis=0)
        best[move] = float(density[move] @ others)
    chance: _Numbers = best / best.sum()
    return chance
