"""Plan which positions to evaluate: the most reached ones of a tally, or of a book in use.

The nodes of a search grow with the square root of the number of games that reach its position, in steps of
two, up to `MOST_STEPS`. So positions of which much depends are searched longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

from bookbuilder._core import Position, Positions
from bookbuilder.columns import values
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native
from bookbuilder.tally.tally import Tally

__all__ = ["MOST_STEPS", "Plan", "PlannedMove", "Target", "plan_tally"]

MOST_STEPS: Final = 4
"""The most reached positions are searched with 2 to this power times the nodes of the least reached."""


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

    def nodes(self, number: int, base: int) -> int:
        """Return the nodes for a position: those of the least reached, times a power of two.

        Args:
            number: the number of the position.
            base: nodes for the least reached position.
        """
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


def _target(position: Position, fold: bool, reach: float, line: str) -> Target:
    return Target(position, *position.stored(fold), reach, line)


def _keys(game: Game, fens: list[str], *, fold: bool) -> tuple[list[int], list[int]]:
    """Return keys and locks of positions."""
    table = from_native(Positions(game, fens).keys(fold))
    key, lock = (values(table.column(name)).tolist() for name in ("key", "lock"))
    return key, lock
