"""The verdict on one position: its rows of a tally in, whether a book keeps it and its quality out.

It is the verdict that `selection.select` has on the position, by the rules that ask for its own counts only:
root, below-games and below-p. Columns of one row are not worth loading numpy for: all is done in plain
numbers, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from bookbuilder.selection.quality import quality_of

if TYPE_CHECKING:
    from bookbuilder.tally.rows import TallyRow

__all__ = ["PositionVerdict", "judge_position"]


class PositionVerdict(NamedTuple):
    """What a selection says of a position.

    Attributes:
        quality: 0 … 31; None where the tally does not have the position.
        kept: whether it goes into the book.
        reason: of `schema.REASONS`; empty = kept.
    """

    quality: int | None
    kept: bool
    reason: str


def judge_position(
    rows: Sequence[TallyRow], *, min_win_rate: Fraction, min_games: int, newest_year: int
) -> PositionVerdict:
    """Return the verdict on a position.

    Args:
        rows: all that the tally has of it. Where it has none, the ply limit was reached before.
        min_win_rate: the threshold for P of the side that moved into the position.
        min_games: fewest games.
        newest_year: of the tally; 0 = unknown.
    """
    if not rows:
        return PositionVerdict(None, kept=False, reason="beyond-ply")
    first_wins, second_wins = sum(row.first_wins for row in rows), sum(row.second_wins for row in rows)
    # Who is to move did not make the move.
    wins, losses = (first_wins, second_wins) if rows[0].mover == 1 else (second_wins, first_wins)
    games, rated = sum(row.games for row in rows), sum(row.rated for row in rows)
    year = max(row.year_max for row in rows)
    quality = quality_of(
        wins=wins,
        losses=losses,
        games=games,
        # A good reply speaks against the move before it.
        marks=-sum(row.marks for row in rows),
        rating=sum(row.rating_sum for row in rows) / rated if rated else None,
        age=newest_year - year if year else None,
    )
    reason = ""
    if min(row.ply for row in rows) == 0:
        reason = "root"
    elif games < min_games:
        reason = "below-games"
    elif wins * min_win_rate.denominator < min_win_rate.numerator * (wins + losses):
        reason = "below-p"
    return PositionVerdict(quality, kept=not reason, reason=reason)
