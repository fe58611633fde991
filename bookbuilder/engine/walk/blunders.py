"""Find book moves that lose much, among the moves that the owner of a book plays most.

`visits` computes how often moves are played.

The loss of a move is the value of the position before it plus the value of the position after it, each for
the side to move there. Every move is screened first, with few nodes. Moves that lose more than half the limit
there are searched again with many nodes, and reported if they still lose more than the limit. A move that the
judge prefers itself loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bookbuilder._core import Position
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.book.play import MoveSource
from bookbuilder.engine.match.player import EngineSpec, ThinkLimit
from bookbuilder.engine.walk.judges import Judges, Progress
from bookbuilder.engine.walk.visits import Visit, visited
from bookbuilder.games.position import SIDES, SideName

__all__ = ["Blunder", "BlunderOptions", "Blunders", "find_blunders"]

# Lines are dropped below this probability, divided by the number of moves to check.
_LEAST_SHARE: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class BlunderOptions:
    """What counts as a blunder.

    Attributes:
        limit_cp: a move that loses more centipawns is reported.
        most: the number of moves that are checked, the most visited of both owners.
        nodes: nodes of the second search.
        pick: how the owner chooses a book move.
        jobs: number of engines at the same time.
    """

    limit_cp: int = 100
    most: int = 1000
    nodes: int = 200_000
    pick: PickPolicy = "weighted"
    jobs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Blunder:
    """A move that loses much.

    Attributes:
        owner: the side that plays it.
        line: moves in coordinates that lead to the position.
        move: the book's move.
        best: the judge's move.
        value_cp: value of the position for the owner.
        loss_cp: loss of the move.
        visits: probability that a game reaches the position and the owner plays the move.
    """

    owner: SideName
    line: tuple[str, ...]
    move: str
    best: str | None
    value_cp: int
    loss_cp: int
    visits: float


@dataclass(frozen=True, slots=True)
class Blunders:
    """The blunders of a book.

    Attributes:
        moves: number of moves checked.
        least_visits: visits of the last of them.
        found: the blunders, the most visited first.
    """

    moves: int
    least_visits: float
    found: tuple[Blunder, ...]


def find_blunders(
    book: MoveSource, replies: MoveSource, judge: EngineSpec, options: BlunderOptions, progress: Progress
) -> Blunders:
    """Return the blunders among the most visited moves of a book.

    Args:
        book: the book.
        replies: the opponent's moves.
        judge: the engine, with the limit of the first search.
        options: what counts as a blunder.
        progress: shows progress.

    Raises:
        OptionError: the engine cannot be used.
        StoreError: the tally is damaged.
        PlayerFault: an engine has ended or gives no score.
    """
    least = _LEAST_SHARE / options.most
    visits = [visit for side in range(2) for visit in visited(book, replies, side, options.pick, least)]
    moves = [(visit, code, visit.reach * share) for visit in visits for code, share in visit.moves]
    moves = sorted(moves, key=lambda move: -move[2])[: options.most]
    longer = replace(judge, limit=ThinkLimit(nodes=options.nodes))
    suspects, found = moves, list[Blunder]()
    for spec, limit in ((judge, options.limit_cp / 2), (longer, options.limit_cp)):
        with Judges(spec, book.game, options.jobs) as judges:
            judges.judge(_positions(suspects), progress)
            judged = [_blunder(*move, judges) for move in suspects]
        suspects = [move for move, each in zip(suspects, judged, strict=True) if each.loss_cp > limit]
        found = [each for each in judged if each.loss_cp > limit]
    found.sort(key=lambda each: -each.visits)
    return Blunders(len(moves), min((visits for _, _, visits in moves), default=0.0), tuple(found))


def _positions(moves: Sequence[tuple[Visit, int, float]]) -> Iterator[Position]:
    for visit, code, _ in moves:
        yield from (visit.position, visit.position.play(code))


def _blunder(visit: Visit, code: int, visits: float, judges: Judges) -> Blunder:
    """Return a move with its loss, which may be small."""
    here = visit.position
    best, value = judges.said(here).code, judges.value(here)
    return Blunder(
        owner=SIDES[visit.side],
        line=visit.line,
        move=here.coordinates(code),
        best=None if best is None else here.coordinates(best),
        value_cp=value,
        loss_cp=0 if code == best else value + judges.value(here.play(code)),
        visits=visits,
    )
