"""What moves lose, with engines that overrate the side to move."""

from __future__ import annotations

import numpy as np
import pytest

from bookbuilder.evals.loss import LEAST_OWN, losses
from bookbuilder.evals.table import Valued

OWN, OTHER = 7, 9


def positions_of(engine: int, *, own: int, other: int, first: int = 0) -> Valued:
    """Return the evaluations of `engine` positions, of those after the engine's moves, and of one more."""
    score = np.array([30] * engine + [own] * engine + [other], np.float64)
    first_score = score + np.array([first] * engine + [0] * (engine + 1), np.float64)
    best = np.array([OWN] * engine + [0] * (engine + 1), np.uint16)
    nodes = np.full(score.size, 400, np.uint64)
    depth = np.full(score.size, 9, np.uint16)
    return Valued(score, nodes, best, first_score, nodes // np.uint64(4), best, depth)


def losses_of(valued: Valued, *, is_first: bool = False) -> list[float]:
    """Return the loss of the engine's move at each position, and of another move at the first."""
    engine = valued.score.size // 2
    before = np.array([*range(engine), 0])
    after = np.arange(engine, 2 * engine + 1)
    move = np.array([OWN] * engine + [OTHER], np.uint16)
    found: list[float] = losses(valued, before, after, move, is_first=is_first).tolist()
    return found


@pytest.mark.parametrize(("own", "loss"), [(10, 60), (-30, 100), (-40, 110)])
def test_what_the_engines_own_moves_seem_to_lose_is_subtracted(own: int, loss: int) -> None:
    valued = positions_of(LEAST_OWN, own=own, other=70)
    assert losses_of(valued) == [0.0] * LEAST_OWN + [loss]


def test_positions_without_evaluation_do_not_count() -> None:
    valued = positions_of(LEAST_OWN, own=10, other=70)
    valued.score[LEAST_OWN] = np.nan
    assert np.isnan(losses_of(valued)[0])
    assert losses_of(valued)[-1] == 100
