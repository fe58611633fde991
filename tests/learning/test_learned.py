"""Learned weights: their laws, and simulated games with a cooked line and with honest opponents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookbuilder.learning.learned import PRIOR_GAMES, chances, learned_weights

_Numbers = npt.NDArray[np.float64]

# A position with three book moves: weights of the book, and scores that the archive promises.
WEIGHT = np.array([0.6, 0.3, 0.1])
EXPECTED = np.array([0.55, 0.53, 0.52])
DRAWS = 0.3

_MOVES = st.lists(
    st.tuples(st.floats(1, 1000), st.floats(0, 1), st.integers(0, 200), st.floats(0, 1)),
    min_size=2,
    max_size=8,
)


@given(_MOVES)
def test_no_own_games_change_nothing(rows: list[tuple[float, float, int, float]]) -> None:
    weight, expected, _, _ = np.array(rows).T
    none = np.zeros(len(rows))
    assert (learned_weights(weight, expected, none, none) == weight).all()


@given(_MOVES)
def test_weights_stay_finite_and_one_move_remains(rows: list[tuple[float, float, int, float]]) -> None:
    weight, expected, games, share = np.array(rows).T
    learned = learned_weights(weight, expected, share * games, games)
    assert np.isfinite(learned).all()
    assert (learned >= 0).all()
    assert learned.max() == pytest.approx(weight.max())
    # Only a move that scored less than expected can end.
    assert (share * games < games * expected)[learned == 0].all()


@given(_MOVES, st.randoms(use_true_random=False))
def test_order_of_the_moves_does_not_matter(rows: list[tuple[float, float, int, float]], rng: object) -> None:
    weight, expected, games, share = np.array(rows).T
    order = np.arange(len(rows))[::-1]
    one = learned_weights(weight, expected, share * games, games)
    other = learned_weights(weight[order], expected[order], (share * games)[order], games[order])
    assert one[order] == pytest.approx(other)


def test_chances_are_those_of_a_simulation() -> None:
    points, games = np.array([3.0, 5.0, 1.0]), np.array([8.0, 9.0, 1.0])
    found = chances(EXPECTED, points, games)
    rng = np.random.default_rng(1)
    first, second = PRIOR_GAMES * EXPECTED + points, PRIOR_GAMES * (1 - EXPECTED) + games - points
    best = rng.beta(first, second, (200_000, 3)).argmax(axis=1)
    assert found == pytest.approx(np.bincount(best, minlength=3) / best.size, abs=0.005)


def play(true: _Numbers, games: int, seed: int) -> npt.NDArray[np.intp]:
    """Return the moves that a learning book plays if its moves have these true scores."""
    rng = np.random.default_rng(seed)
    points, counts = np.zeros(3), np.zeros(3)
    picked = np.empty(games, np.intp)
    for number in range(games):
        weight = learned_weights(WEIGHT, EXPECTED, points, counts)
        move = rng.choice(3, p=weight / weight.sum())
        drawn = DRAWS * min(1.0, 2 * min(true[move], 1 - true[move]))
        chance, won = rng.random(), true[move] - drawn / 2
        points[move] += 1.0 if chance < won else 0.5 if chance < won + drawn else 0.0
        counts[move] += 1
        picked[number] = move
    return picked


def test_cooked_line_ends_within_15_games() -> None:
    # 20 runs of 100 games: the main move was refuted, and scores 5 % against opponents who know.
    cooked = np.array([0.05, 0.53, 0.52])
    runs = [play(cooked, 100, seed) for seed in range(20)]
    assert max(np.count_nonzero(picked == 0) for picked in runs) <= 15
    assert np.mean([picked[30:] == 0 for picked in runs]) < 0.03


def test_honest_opponents_cost_nothing() -> None:
    # 2,000 games in 10 runs: every move scores what the archive promises.
    scores = [EXPECTED[play(EXPECTED, 200, seed)].mean() for seed in range(10)]
    without = float(WEIGHT @ EXPECTED)
    assert np.mean(scores) == pytest.approx(without, abs=0.003)


def test_worse_move_than_promised_is_played_less() -> None:
    true = np.array([0.45, 0.53, 0.52])
    shares = [np.mean(play(true, 200, seed) == 0) for seed in range(10)]
    assert np.mean(shares) < 0.4 < WEIGHT[0]
