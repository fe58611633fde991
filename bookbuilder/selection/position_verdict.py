"""The verdict of a selection on one position.

`show` and the explorer judge a few positions at a time. They use the same rules and formulas as `select`, but
on plain numbers, so that numpy need not be loaded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bookbuilder.ratios import result_ratios
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.quality import quality_of
from bookbuilder.selection.rules import drop_by_counts, drop_by_kind

if TYPE_CHECKING:
    from bookbuilder.tally.rows import TallyRow

__all__ = ["judge_position"]


class _Position(NamedTuple):
    """One row of `Candidates`, of shape `positions`, in numbers."""

    side: int
    ply: int
    games: int
    wins: int
    draws: int
    losses: int
    rating_sum: int
    rated: int
    year_max: int
    marks: int
    move: None = None
    scale: int = 1


def judge_position(
    rows: Sequence[TallyRow], options: SelectionOptions, *, newest_year: int
) -> dict[str, Any] | None:
    """Return the verdict on a position by the rules that need only its own counts.

    Args:
        rows: all rows that the tally has of the position.
        options: without weights of games; of rules that need the graph of the tally only the others apply.
        newest_year: of the tally; 0 = unknown.

    Returns:
        The columns of SELECTION_POSITIONS without key and lock; None if there are no rows.
    """
    if not rows:
        return None
    c = _counted(rows)
    reasons = (*drop_by_kind(c, side=options.side, max_ply=options.max_ply), *drop_by_counts(c, options))
    reason = next((name for name, is_dropped in reasons if is_dropped), "")
    ratios = result_ratios(c.wins, c.draws, c.losses)
    return {
        "side": c.side,
        "ply": c.ply,
        "reached": c.games,
        "wins": c.wins,
        "draws": c.draws,
        "losses": c.losses,
        **{name: None if math.isnan(ratio) else ratio for name, ratio in ratios.items()},
        "quality": quality_of(c, newest_year),
        "kept": not reason,
        "reason": reason,
    }


def _counted(rows: Sequence[TallyRow]) -> _Position:
    first_wins, second_wins = sum(row.first_wins for row in rows), sum(row.second_wins for row in rows)
    # The side to move did not make the move.
    side = 1 - rows[0].mover
    wins, losses = (first_wins, second_wins) if side == 0 else (second_wins, first_wins)
    return _Position(
        side=side,
        ply=min(row.ply for row in rows),
        games=sum(row.games for row in rows),
        wins=wins,
        draws=sum(row.draws for row in rows),
        losses=losses,
        rating_sum=sum(row.rating_sum for row in rows),
        rated=sum(row.rated for row in rows),
        year_max=max(row.year_max for row in rows),
        # A good reply speaks against the move before it.
        marks=-sum(row.marks for row in rows),
    )
