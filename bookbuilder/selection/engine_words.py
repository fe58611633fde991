"""What an engine says about the moves at a position, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bookbuilder.evals.loss import losses
from bookbuilder.evals.words import value_words
from bookbuilder.selection.evidence import Evidence

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["engine_words"]


def engine_words(evidence: Evidence, here: Position, codes: Sequence[int]) -> list[str]:
    """Return what the evaluations say about moves; empty where a position is not evaluated.

    Args:
        evidence: the evaluations.
        here: the position.
        codes: codes of legal moves there.
    """
    fold = evidence.evals.fold
    after = [here.play(code) for code in codes]
    places = np.array([here.stored(fold), *(each.stored(fold) for each in after)], dtype=np.uint64)
    valued = evidence.evals.values(places[:, 0], places[:, 1].astype(np.uint32))
    ends = np.arange(1, len(codes) + 1)
    stored = np.array([here.stored_move(code, fold) for code in codes], np.uint16)
    loss = losses(valued, np.zeros(len(codes), np.intp), ends, stored)
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


def _move(here: Position, stored: int, *, fold: bool) -> str:
    """Return a move, given as a table holds it; empty if it is unknown."""
    codes = {here.stored_move(code, fold): code for code in here.moves()}
    return here.san(codes[stored]) if stored in codes else ""
