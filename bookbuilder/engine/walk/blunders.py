"""Find book moves that lose much, among the moves that the owner of a book plays most.

`visits` computes how often moves are played.

The loss of a move is the value of the position before it plus the value of the position after it, each for
the side to move there. Every move is screened first, with few nodes. Moves that lose more than half the limit
there are searched again with many nodes, and reported if they still lose more than the limit. A move that the
judge prefers itself loses nothing. What such moves seem to lose, in the median of at least `LEAST_OWN` of
them, is subtracted from all losses: a judge that overrates the side to move sees every move lose that much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Final, TypeAlias

from bookbuilder._core import Position
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.book.play import MoveSource
from bookbuilder.engine.match.player import EngineSpec, ThinkLimit
from bookbuilder.engine.walk.judges import Judges, Progress
from bookbuilder.engine.walk.visits import Visit, visited
from bookbuilder.evals.loss import LEAST_OWN
from bookbuilder.games.position import SIDES, Game, SideName

__all__ = ["Blunder", "BlunderOptions", "Blunders", "corrected", "find_blunders"]

# Lines are dropped below this probability, divided by the number of moves to check.
_LEAST_SHARE: Final = 0.05
# The judge may prefer other moves with more nodes, so more of its moves are searched again than are needed.
_OWN_AGAIN: Final = 3 * LEAST_OWN


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

    @property
    def is_own(self) -> bool:
        """Whether the judge prefers the move."""
        return self.move == self.best


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
    screened = _judged(moves, judge, book.game, options.jobs, progress)
    losing = _losing(screened, options.limit_cp / 2)
    # Moves of the judge tell by how much it overrates with more nodes.
    own = [place for place, each in enumerate(screened) if each.is_own]
    own = own[:_OWN_AGAIN] if len(own) >= LEAST_OWN else []
    suspects = [moves[place] for place in [*losing, *own]]
    judged = _judged(suspects, longer, book.game, options.jobs, progress)
    found = [judged[place] for place in _losing(judged, options.limit_cp) if place < len(losing)]
    found.sort(key=lambda each: -each.visits)
    return Blunders(len(moves), min((visits for _, _, visits in moves), default=0.0), tuple(found))


_Move: TypeAlias = tuple[Visit, int, float]


def _judged(
    moves: Sequence[_Move], judge: EngineSpec, game: Game, jobs: int, progress: Progress
) -> list[Blunder]:
    """Return all moves with their losses."""
    with Judges(judge, game, jobs) as judges:
        judges.judge(_positions(moves), progress)
        return corrected([_blunder(*move, judges) for move in moves])


def corrected(judged: Sequence[Blunder]) -> list[Blunder]:
    """Return moves with their losses less the median of what the judge's own moves seem to lose."""
    own = [each.loss_cp for each in judged if each.is_own]
    overrated = round(median(own)) if len(own) >= LEAST_OWN else 0
    return [replace(each, loss_cp=0 if each.is_own else each.loss_cp - overrated) for each in judged]


def _losing(judged: Sequence[Blunder], limit_cp: float) -> list[int]:
    return [place for place, each in enumerate(judged) if each.loss_cp > limit_cp]


def _positions(moves: Sequence[_Move]) -> Iterator[Position]:
    for visit, code, _ in moves:
        yield from (visit.position, visit.position.play(code))


def _blunder(visit: Visit, code: int, visits: float, judges: Judges) -> Blunder:
    """Return a move with its loss, which may be small or, of the judge's own move, not 0."""
    here = visit.position
    best, value = judges.said(here).code, judges.value(here)
    return Blunder(
        owner=SIDES[visit.side],
        line=visit.line,
        move=here.coordinates(code),
        best=None if best is None else here.coordinates(best),
        value_cp=value,
        loss_cp=value + judges.value(here.play(code)),
        visits=visits,
    )
