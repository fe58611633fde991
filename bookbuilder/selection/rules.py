"""The rules of a selection that need only a row's own data.

Each function yields pairs of a reason and whether it drops a row, in the order of `schema.REASONS`. The rows
are `Candidates`, or one row of them in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan
from typing import Final, NamedTuple, TypeAlias

from bookbuilder.games.position import SIDES, SideName
from bookbuilder.ratios import Column, performance, performance_parts, score, where, win_ratio
from bookbuilder.selection.options import SelectionOptions, Standard
from bookbuilder.selection.quality import Counted
from bookbuilder.selection.thresholds import (
    as_fraction,
    at_least,
    bound_at_least,
    keeps_margin,
    passes,
)

__all__ = ["Before", "Dropped", "drop_by_counts", "drop_by_kind", "drop_by_position"]

Dropped: TypeAlias = Iterator[tuple[str, Column]]
"""Reasons, each with the rows that it drops."""

_UNITS: Final[Mapping[Standard, int]] = {"p": 1, "score": 2, "performance": 100}
"""Parts of a game in which the margin counts what it compares."""


class Before(NamedTuple):
    """The position before a move, or such positions for the rows of columns.

    Attributes:
        played: games that played the move there.
        moved: games that played any move there.
        wins: games through the position that the side to move won.
        draws: games drawn.
        losses: games that it lost.
        paired: games with a result and both ratings.
        surplus: score of the side to move in those less what the ratings promise, in hundredths of a game.
    """

    played: Column
    moved: Column
    wins: Column
    draws: Column
    losses: Column
    paired: Column
    surplus: Column

    def figures(self) -> dict[str, float | None]:
        """Return the share of one move, and P, score and performance of the position; None = undefined."""
        figures = {
            "of_p": win_ratio(self.wins, self.losses),
            "of_score": score(self.wins, self.draws, self.losses),
            "of_performance": performance(self.surplus, self.paired),
        }
        return {
            "share": self.played / self.moved if self.moved else None,
            **{name: None if isnan(figure) else figure for name, figure in figures.items()},
        }


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
        yield "below-games", rows & (c.games < _least_games(own) * c.scale)
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


def drop_by_position(counted: Counted, before: Before, options: SelectionOptions) -> Dropped:
    """Yield the rules that compare a move with its position: below-share, below-margin."""
    c = counted
    for own, rows in options.by_side(c.side):
        if own.min_share is not None:
            is_enough = at_least(before.played, before.moved, as_fraction(own.min_share))
            yield "below-share", where(is_enough, False, rows)
        if own.margin is not None:
            figures = (*_standing(c, own), *_standing(before, own))
            prior = own.prior * _UNITS[own.by] * c.scale
            holds = keeps_margin(*figures, margin=as_fraction(own.margin), prior=prior)
            yield "below-margin", where(holds, False, rows)


def _standing(of: Counted | Before, own: SelectionOptions) -> tuple[Column, Column]:
    """Return the two terms of the ratio that the margin compares."""
    if own.by == "p":
        return of.wins, of.wins + of.losses
    if own.by == "performance":
        return performance_parts(of.surplus, of.paired)
    return 2 * of.wins + of.draws, 2 * (of.wins + of.draws + of.losses)


def _least_games(own: SelectionOptions) -> int:
    assert own.min_games is not None, "for_games sets it"
    return own.min_games
