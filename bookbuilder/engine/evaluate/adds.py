"""What an engine adds: its best moves that the archive or book lacks, where they gain something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bookbuilder.book.play import MoveSource
from bookbuilder.engine.evaluate.plan import Plan
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.evals.table import Evals

__all__ = ["LEAST_GAIN", "AddedMove", "engine_adds"]

LEAST_GAIN: Final = 20
"""Centipawns by which a move must be better than the best known one."""


@dataclass(frozen=True, slots=True)
class AddedMove:
    """A move that an engine prefers to all known ones.

    Attributes:
        target: the number of its position in the plan.
        code: the move.
        gain_cp: what it is worth more than the best known move that was evaluated.
    """

    target: int
    code: int
    gain_cp: int


def engine_adds(
    plan: Plan, evals: Evals, known: MoveSource, *, least_cp: int = LEAST_GAIN
) -> list[AddedMove]:
    """Return the best moves that a source lacks, at the most reached positions first.

    Args:
        plan: the positions.
        evals: their evaluations.
        known: the moves of the archive or the book.
        least_cp: what a move must gain.
    """
    key = np.array([target.key for target in plan.targets], np.uint64)
    valued = evals.values(key, np.array([target.lock for target in plan.targets], np.uint32))
    score = np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    before, after = (np.array([move[end] for move in plan.moves], np.int64) for end in (0, 2))
    best_known = np.full(len(plan.targets), -np.inf)
    value = -score[after]
    is_valued = ~np.isnan(value)
    np.maximum.at(best_known, before[is_valued], value[is_valued])
    gain = score - best_known
    found = []
    for number in np.flatnonzero(np.isfinite(gain) & (gain >= least_cp) & (valued.best != 0)).tolist():
        here = plan.targets[number].position
        codes = {here.stored_move(code, plan.fold): code for code in here.moves()}
        code = codes.get(int(valued.best[number]))
        offered = {choice.code for choice in known.choices(here)}
        if code is not None and code not in offered:
            found.append(AddedMove(number, code, round(float(gain[number]))))
    return found
