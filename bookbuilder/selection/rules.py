"""The rules of a selection that need only a row's own data.

Each function yields pairs of a reason and whether it drops a row, in the order of `schema.REASONS`. The rows
are `Candidates`, or one row of them in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from bookbuilder.games.position import SIDES, SideName
from bookbuilder.ratios import Column, where
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.quality import Counted
from bookbuilder.selection.thresholds import as_fraction, at_least, bound_at_least, passes

__all__ = ["Dropped", "drop_by_counts", "drop_by_kind"]

Dropped: TypeAlias = Iterator[tuple[str, Column]]
"""Reasons, each with the rows that it drops."""


def drop_by_kind(counted: Counted, *, side: SideName | None, max_ply: int | None) -> Dropped:
    """Yield the rules about no counts: root, no-move, side, beyond-ply."""
    if counted.move is None:
        yield "root", counted.ply == 0
    else:
        yield "no-move", counted.move == 0
    if side is not None:
        yield "side", counted.side != SIDES.index(side)
    if max_ply is not None:
        yield "beyond-ply", counted.ply > max_ply


def drop_by_counts(counted: Counted, options: SelectionOptions) -> Dropped:
    """Yield the rules about counts: below-games, undefined-p, below-p, below-score."""
    c = counted
    for own, rows in options.by_side(c.side):
        threshold = as_fraction(own.min_win_rate)
        yield "below-games", rows & (c.games < own.min_games * c.scale)
        if own.undefined_p == "drop":
            yield "undefined-p", rows & (c.wins + c.losses == 0)
        if own.confident:
            is_high = bound_at_least(c.wins, c.losses, threshold, scale=c.scale)
        else:
            is_high = passes(c.wins, c.losses, threshold)
        yield "below-p", where(is_high, False, rows)
        if own.min_score is not None:
            points, maximum = 2 * c.wins + c.draws, 2 * (c.wins + c.draws + c.losses)
            yield "below-score", where(at_least(points, maximum, as_fraction(own.min_score)), False, rows)
