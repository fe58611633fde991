"""What an engine says about the moves at a position, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bookbuilder._core import NOWHERE
from bookbuilder.evals.loss import losses, overrating
from bookbuilder.evals.words import value_words
from bookbuilder.selection.candidates import count_candidates, positions_part
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.tally.moves_at import codes_by_stored
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["engine_words"]


def engine_words(tally: Tally, options: SelectionOptions, here: Position, codes: Sequence[int]) -> list[str]:
    """Return what the evaluations say about moves; empty where a position is not evaluated.

    Args:
        tally: its moves tell by how much the engine overrates the side to move.
        options: of the selection; without evaluations there is nothing to say.
        here: the position.
        codes: codes of legal moves there.
    """
    evidence = options.evals
    if not isinstance(evidence, Evidence):
        return [""] * len(codes)
    fold = evidence.evals.fold
    after = [here.play(code) for code in codes]
    places = np.array([here.stored(fold), *(each.stored(fold) for each in after)], dtype=np.uint64)
    valued = evidence.evals.values(places[:, 0], places[:, 1].astype(np.uint32))
    ends = np.arange(1, len(codes) + 1)
    stored = np.array([here.stored_move(code, fold) for code in codes], np.uint16)
    starts = np.zeros(len(codes), np.intp)
    loss = losses(valued, starts, ends, stored, overrated=_overrated_in(tally, evidence, options))
    best = _move(here, int(valued.best[0]), fold=fold)
    words = []
    for place, (lost, position) in enumerate(zip(loss.tolist(), after, strict=True), start=1):
        if np.isnan(lost):
            words.append("")
        elif lost == 0:
            words.append(f"engine: {value_words(-valued.score[place])}, loses nothing")
        else:
            reply = _move(position, int(valued.best[place]), fold=fold)
            refuted = f" after {reply}" if reply else ""
            better = f"; {best} is better, {value_words(valued.score[0])}" if best else ""
            words.append(f"engine: loses {lost:.0f} cp{refuted}{better}")
    return words


def _overrated_in(tally: Tally, evidence: Evidence, options: SelectionOptions) -> float:
    """Return by how many centipawns the engine overrates the side to move, as the veto sees it."""
    positions = count_candidates(tally, "positions", options)
    part = positions_part(tally, positions.games >= options.least_games)
    graph = tally_graph(part)
    key, lock, move = (part.column(name) for name in ("key", "lock", "move"))
    valued = evidence.evals.values(key[graph.starts], lock[graph.starts])
    after = np.where(graph.child == NOWHERE, -1, graph.child.astype(np.int64))
    return overrating(valued, graph.parent, after, move.astype(np.uint16))


def _move(here: Position, stored: int, *, fold: bool) -> str:
    """Return a move, given as a table holds it; empty if it is unknown."""
    codes = codes_by_stored(here, fold=fold)
    return here.san(codes[stored]) if stored in codes else ""
