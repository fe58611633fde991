"""Plan which positions to evaluate: the most reached ones of a tally, or of a book in use.

The nodes of a search grow with the square root of the number of games that reach its position, in steps of
two, up to `MOST_STEPS`. So positions of which much depends are searched longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from bookbuilder._core import Position, Positions
from bookbuilder.book.play import MoveSource
from bookbuilder.columns import values
from bookbuilder.engine.walk.visits import visited
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native
from bookbuilder.tally.tally import Tally

__all__ = ["MOST_STEPS", "Effort", "Plan", "PlannedMove", "Target", "plan_book", "plan_tally"]

Effort: TypeAlias = Literal["reach", "equal"]
"""How nodes are shared out: more for positions that more games reach, or equally."""

MOST_STEPS: Final = 4
"""The most reached positions are searched with 2 to this power times the nodes of the least reached."""

_LEAST_SHARE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Target:
    """A position to evaluate.

    Attributes:
        position: the position.
        key: its key in a book.
        lock: its lock.
        reach: share of the games that reach it.
        line: moves that lead to it, for people.
    """

    position: Position
    key: int
    lock: int
    reach: float
    line: str


class PlannedMove(NamedTuple):
    """A move between two positions of a plan.

    Attributes:
        before: the number of the position before it.
        code: its code there.
        after: the number of the position after it.
        games: games that played it, or its visits, as a share of all games.
    """

    before: int
    code: int
    after: int
    games: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Positions to evaluate, the most reached first, and the moves between them.

    Attributes:
        targets: the positions.
        moves: the moves.
        fold: whether left-right mirrors are one position.
    """

    targets: list[Target]
    moves: list[PlannedMove]
    fold: bool

    def nodes(self, number: int, base: int, effort: Effort) -> int:
        """Return the nodes for a position: those of the least reached, times a power of two.

        Args:
            number: the number of the position.
            base: nodes for the least reached position.
            effort: how nodes are shared out.
        """
        if effort == "equal":
            return base
        ratio = self.targets[number].reach / self.targets[-1].reach
        return base << min(MOST_STEPS, int(math.log2(math.sqrt(max(ratio, 1.0)))))


def plan_tally(tally: Tally, *, most: int, min_games: int, max_ply: int | None) -> Plan:
    """Return the most reached positions of a tally, and the moves that games played between them.

    Args:
        tally: the tally.
        most: maximum number of positions.
        min_games: minimum number of games of a move that leads to a position.
        max_ply: maximum plies from the start position.

    Raises:
        OptionError: no move from the start position has enough games.
        StoreError: the tally is damaged.
    """
    tree = tally.tree(max_ply=max_ply, min_games=min_games)
    if tree.empty:
        raise OptionError(f"no move was played by {min_games:,} games: there is nothing to evaluate")
    game, fold, start = tally.game, tally.options.fold, Position(tally.game)
    games = float(tree.loc[tree["parent"] == -1, "played"].sum())
    # Lines go on from one row of each position, so every parent is among these rows.
    rows = tree[~tree["is_again"]].sort_values("reached", ascending=False, kind="stable")[: most - 1]
    targets = [_target(start, fold, 1.0, "")]
    for fen, reached, line in zip(rows["fen"], rows["reached"], rows["line"], strict=True):
        targets.append(_target(Position(game, fen), fold, reached / games, line))
    numbers = {(each.key, each.lock): number for number, each in enumerate(targets)}
    by_row = {-1: 0} | {row: number for number, row in enumerate(rows.index.tolist(), start=1)}
    key, lock = _keys(game, tree["fen"].tolist(), fold=fold)
    after = [numbers.get(pair) for pair in zip(key, lock, strict=True)]
    edges = zip(tree["parent"], tree["move"], after, tree["played"], strict=True)
    moves = [
        PlannedMove(before, targets[before].position.parse_move(text), end, played / games)
        for parent, text, end, played in edges
        if (before := by_row.get(parent)) is not None and end is not None
    ]
    return Plan(targets, moves, fold)


def plan_book(book: MoveSource, replies: MoveSource, *, most: int, fold: bool) -> Plan:
    """Return the positions before and after the most visited moves of a book.

    Args:
        book: the owner's moves, of either side.
        replies: the opponent's moves.
        most: maximum number of positions.
        fold: whether left-right mirrors are one position.

    Raises:
        OptionError: the book has no move that its owner reaches.
        StoreError: the tally of the replies is damaged.
    """
    least = _LEAST_SHARE / most
    visits = [visit for side in range(2) for visit in visited(book, replies, side, "weighted", least)]
    played = [(visit, code, visit.reach * share) for visit in visits for code, share in visit.moves]
    played.sort(key=lambda move: -move[2])
    if not played:
        raise OptionError("the book has no move at the start position or after a reply: nothing to evaluate")
    targets, numbers, moves = list[Target](), dict[tuple[int, int], int](), list[PlannedMove]()
    for visit, code, share in played:
        here = visit.position
        line = (*visit.line, here.coordinates(code))
        ends = [
            _target(here, fold, visit.reach, " ".join(visit.line)),
            _target(here.play(code), fold, share, " ".join(line)),
        ]
        new = [each for each in ends if (each.key, each.lock) not in numbers]
        if len(targets) + len(new) > most:
            break
        for each in new:
            numbers[each.key, each.lock] = len(targets)
            targets.append(each)
        before, after = (numbers[each.key, each.lock] for each in ends)
        # The target may be the mirror of this position: another line led there first.
        there = targets[before].position.unfolded_move(here.stored_move(code, fold), fold)
        moves.append(PlannedMove(before, there, after, share))
    return _by_reach(Plan(targets, moves, fold))


def _by_reach(plan: Plan) -> Plan:
    """Return a plan with its positions in order, the most reached first."""
    order = sorted(range(len(plan.targets)), key=lambda number: -plan.targets[number].reach)
    place = {number: new for new, number in enumerate(order)}
    moves = [move._replace(before=place[move.before], after=place[move.after]) for move in plan.moves]
    return Plan([plan.targets[number] for number in order], moves, plan.fold)


def _target(position: Position, fold: bool, reach: float, line: str) -> Target:
    return Target(position, *position.stored(fold), reach, line)


def _keys(game: Game, fens: list[str], *, fold: bool) -> tuple[list[int], list[int]]:
    """Return keys and locks of positions."""
    table = from_native(Positions(game, fens).keys(fold))
    key, lock = (values(table.column(name)).tolist() for name in ("key", "lock"))
    return key, lock
