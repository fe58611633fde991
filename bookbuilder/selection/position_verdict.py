"""The verdicts of a selection on the moves at one position.

`show` and the explorer judge a few positions at a time. They use the same rules and formulas as `select`, but
on plain numbers, so that numpy need not be loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bookbuilder.ratios import performance, result_ratios
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.quality import quality_of, quality_steps, quality_value
from bookbuilder.selection.rules import Before, drop_by_counts, drop_by_kind, drop_by_position

if TYPE_CHECKING:
    from bookbuilder.tally.rows import TallyRow

__all__ = ["judge_moves_at", "judge_position", "position_before"]


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
    paired: int
    surplus: int
    move: None = None
    scale: int = 1


def judge_moves_at(
    here: Sequence[TallyRow],
    after: Mapping[int, Sequence[TallyRow]],
    options: SelectionOptions,
    *,
    newest_year: int,
) -> dict[int, dict[str, Any] | None]:
    """Return the verdict on each move at a position by the position that it leads to.

    Args:
        here: all rows that the tally has of the position.
        after: for the code of each move, all rows of the position after it.
        options: with a minimum number of games, without weights of games. Of rules that need the graph of the
            tally, only the share and the margin apply.
        newest_year: of the tally; 0 = unknown.

    Returns:
        For each move, the columns of SELECTION_POSITIONS without key, lock and those of an engine, and
        `share`, `of_p`, `of_score` and `of_performance`: share of the games that moved on, and P, score and
        performance of the position. None if the tally has no rows of the position after the move.
    """
    verdicts = {
        code: judge_position(rows, options, newest_year=newest_year, before=position_before(here, code))
        for code, rows in after.items()
    }
    if options.sharpen is not None and options.quality is None:
        _set_qualities([verdict for verdict in verdicts.values() if verdict], options.sharpen)
    return verdicts


def position_before(here: Sequence[TallyRow], code: int) -> Before:
    """Return the position before a move, from all its rows."""
    first_wins, second_wins = sum(row.first_wins for row in here), sum(row.second_wins for row in here)
    is_first = not here or here[0].mover == 0
    return Before(
        played=sum(row.games for row in here if row.move == code),
        moved=sum(row.games for row in here if row.move),
        wins=first_wins if is_first else second_wins,
        draws=sum(row.draws for row in here),
        losses=second_wins if is_first else first_wins,
        paired=sum(row.paired for row in here),
        surplus=sum(row.surplus for row in here) * (1 if is_first else -1),
    )


def _set_qualities(verdicts: Sequence[dict[str, Any]], power: int) -> None:
    """Set the quality of each verdict by its share of the heaviest kept move."""
    values = [quality_value(2 * row["wins"] + row["draws"], row["reached"], power) for row in verdicts]
    heaviest = max((value for value, row in zip(values, verdicts, strict=True) if row["kept"]), default=0)
    for value, row in zip(values, verdicts, strict=True):
        row["quality"] = int(quality_steps(value / heaviest)) if heaviest else 0


def judge_position(
    rows: Sequence[TallyRow], options: SelectionOptions, *, newest_year: int, before: Before | None = None
) -> dict[str, Any] | None:
    """Return the verdict on a position.

    Args:
        rows: all rows that the tally has of the position.
        options: as of `judge_moves_at`.
        newest_year: of the tally; 0 = unknown.
        before: the position before the move that leads to it; None = own counts only.

    Returns:
        As `judge_moves_at` for a move; None without rows.
    """
    if not rows:
        return None
    c = _counted(rows)
    own = options.of_side(c.side)
    reasons = [*drop_by_kind(c, side=options.side, max_ply=options.max_ply), *drop_by_counts(c, own)]
    if before is not None:
        reasons += drop_by_position(c, before, own)
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
        "paired": c.paired,
        "performance": performance(c.surplus, c.paired) if c.paired else None,
        **({} if before is None else before.figures()),
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
        paired=sum(row.paired for row in rows),
        surplus=sum(row.surplus for row in rows) * (1 if side == 0 else -1),
    )
