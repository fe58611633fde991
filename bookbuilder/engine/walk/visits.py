"""Compute how often the owner of a book reaches each position, against the moves of other games.

The visits are not sampled: the probability of every position is computed ply by ply, from the draw of the
owner's moves and the frequency of the opponent's. Lines below a small probability are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bookbuilder._core import Position
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.book.play import Choice, MoveSource

__all__ = ["Visit", "visited"]

_MOST_PLIES: Final = 120


@dataclass(slots=True)
class Visit:
    """A position with its probability.

    Attributes:
        position: the position.
        line: moves in coordinates that lead to it.
        reach: the probability that a game reaches it.
        side: the owner, 0 first, 1 second.
        moves: codes of the owner's moves there, with the probability of each.
    """

    position: Position
    line: tuple[str, ...]
    reach: float
    side: int = 0
    moves: list[tuple[int, float]] = field(default_factory=list)


def visited(book: MoveSource, replies: MoveSource, side: int, pick: PickPolicy, least: float) -> list[Visit]:
    """Return the positions where the owner has book moves, with their probabilities.

    Args:
        book: the owner's moves.
        replies: the opponent's moves.
        side: the owner, 0 first, 1 second.
        pick: how the owner chooses a book move.
        least: lines below this probability are dropped.
    """
    found: dict[tuple[int, int], Visit] = {}
    level = [Visit(Position(book.game), (), 1.0)]
    for _ in range(_MOST_PLIES):
        after: dict[tuple[int, int], Visit] = {}
        for visit in level:
            here = visit.position
            is_own = here.side == side
            moves = (
                _shares(book.choices(here), pick) if is_own else _shares(replies.choices(here), "weighted")
            )
            if is_own and moves:
                own = replace(visit, side=side, moves=moves)
                _merge(found, own)
            for code, share in moves:
                if visit.reach * share >= least:
                    line = (*visit.line, here.coordinates(code))
                    _merge(after, Visit(here.play(code), line, visit.reach * share))
        level = [visit for visit in after.values() if visit.position.verdict is None]
    return list(found.values())


def _shares(choices: Sequence[Choice], pick: PickPolicy) -> list[tuple[int, float]]:
    """Return the moves that a policy plays, with their probabilities."""
    if pick == "best":
        return [(choice.code, 1.0) for choice in choices[:1]]
    weights = [1 if pick == "uniform" else choice.weight for choice in choices]
    return [(choice.code, weight / sum(weights)) for choice, weight in zip(choices, weights, strict=True)]


def _merge(visits: dict[tuple[int, int], Visit], visit: Visit) -> None:
    """Count one more visit to the position."""
    known = visits.setdefault((visit.position.key, visit.position.lock), visit)
    if known is not visit:
        known.reach += visit.reach
