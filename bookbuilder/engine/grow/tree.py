"""The tree of a book that grows: searched positions, the moves between them, and where to search next.

Values are negamax values in centipawns for the side to move, as in `selection.backup`: the best of the moves
in the tree, and the engine's own value if its best move is not among them. Several lines may reach a
position. Moves that lead back to a position of an earlier ply are not followed, so there are no circles.

Each side owns a book, and for each owner every position has a cost: what it takes an opponent to get from
there to an open position, where the book ends.

| position | cost |
|---|---|
| open, and nobody is searching there | 0 |
| the owner is to move | the least of: ply + 4 · loss + cost after the move |
| the opponent is to move | the least of: ply + min(loss, rarity) + cost after the move |

All terms are in centipawns. A ply costs 2, as in Texel's book builder (200 and 50 for a centipawn, 100 a
ply). An opponent may lose centipawns to leave the book, or play what many games played: the rarity of a move
is 25 · ln(1 / share of the games). The start position's cheapest open position is expanded next.

Sources: T. Lincke, Strategies for the automatic construction of opening books, 2000; P. Österlund, Texel.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Final

from bookbuilder._core import Position
from bookbuilder.games.position import SIDES

__all__ = ["OWNERS", "Branch", "GrowingTree", "Grown"]

OWNERS: Final = tuple(range(len(SIDES)))
"""The owners of the two books, by side: 0 first, 1 second."""

_PLY: Final = 2.0
_OWN_LOSS: Final = 4.0
_RARITY: Final = 25.0
_NEVER: Final = math.inf


@dataclass(slots=True)
class Branch:
    """A move of the tree.

    Attributes:
        code: the move.
        after: number of the position that it leads to.
        share: share of the archive's games at its position that played it, 0 … 1.
    """

    code: int
    after: int
    share: float


@dataclass(slots=True)
class Grown:
    """A position of the tree.

    Attributes:
        position: the position.
        ply: plies of the first line that led to it.
        score: the engine's value for the side to move.
        best: the engine's move; None = unknown.
        value: backed-up value for the side to move.
        branches: moves that are followed, by code.
        parents: numbers of the positions before it.
        is_open: for each owner, whether the position has not been expanded.
        is_pending: whether it is being expanded.
        cost: for each owner, the cost of the cheapest open position below.
    """

    position: Position
    ply: int
    score: float
    best: int | None
    value: float
    branches: dict[int, Branch] = field(default_factory=dict)
    parents: set[int] = field(default_factory=set)
    is_open: list[bool] = field(default_factory=lambda: [True, True])
    is_pending: bool = False
    cost: list[float] = field(default_factory=lambda: [0.0, 0.0])


class GrowingTree:
    """A tree of searched positions; number 0 is the start position."""

    def __init__(self, start: Position, score: float, best: int | None, *, fold: bool) -> None:
        """Begin with the start position and the engine's word about it."""
        self.fold = fold
        self.nodes: list[Grown] = []
        self._numbers: dict[tuple[int, int], int] = {}
        self.add(start, 0, score, best)

    def number_of(self, position: Position) -> int | None:
        """Return the number of a position; None if the tree lacks it."""
        return self._numbers.get(position.stored(self.fold))

    def add(self, position: Position, ply: int, score: float, best: int | None) -> int:
        """Add a searched position, and return its number."""
        node = Grown(position, ply, score, best, score)
        if position.verdict is not None:
            node.is_open = [False, False]
            node.cost = [_NEVER, _NEVER]
        self.nodes.append(node)
        self._numbers[position.stored(self.fold)] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def link(self, before: int, code: int, after: int, share: float) -> None:
        """Add a move; a move back to an earlier ply is not followed."""
        if self.nodes[after].ply > self.nodes[before].ply:
            self.nodes[before].branches.setdefault(code, Branch(code, after, share))
            self.nodes[after].parents.add(before)

    def refresh(self, changed: list[int]) -> None:
        """Compute values and costs again: of changed positions, and of those before them."""
        first = set(changed)
        queue = [(-self.nodes[number].ply, number) for number in first]
        heapq.heapify(queue)
        last = None
        while queue:
            ply_number = heapq.heappop(queue)
            if ply_number == last:
                continue
            last = ply_number
            node = self.nodes[ply_number[1]]
            before = (node.value, *node.cost)
            node.value = self._value(node)
            node.cost = [self._cost(node, owner) for owner in OWNERS]
            if (node.value, *node.cost) != before or ply_number[1] in first:
                for parent in node.parents:
                    heapq.heappush(queue, (-self.nodes[parent].ply, parent))

    def loss(self, node: Grown, branch: Branch) -> float:
        """Return what a move loses against the best one, in centipawns."""
        return max(node.value + self.nodes[branch.after].value, 0.0)

    def _value(self, node: Grown) -> float:
        values = [-self.nodes[branch.after].value for branch in node.branches.values()]
        if node.best not in node.branches:
            values.append(node.score)
        return max(values)

    def _cost(self, node: Grown, owner: int) -> float:
        if node.is_open[owner]:
            return _NEVER if node.is_pending else 0.0
        steps = (self._step(node, branch, owner) for branch in node.branches.values())
        return min(steps, default=_NEVER)

    def _step(self, node: Grown, branch: Branch, owner: int) -> float:
        """Return the cost of a move and of what follows."""
        loss = self.loss(node, branch)
        if node.position.side == owner:
            price = _OWN_LOSS * loss
        else:
            price = min(loss, _RARITY * -math.log(branch.share)) if branch.share > 0 else loss
        return _PLY + price + self.nodes[branch.after].cost[owner]

    def cheapest(self, owner: int) -> int | None:
        """Return the open position that an opponent reaches at the least cost; None if there is none."""
        number = 0
        if self.nodes[0].cost[owner] == _NEVER:
            return None
        while not self.nodes[number].is_open[owner]:
            node = self.nodes[number]
            number = min(
                node.branches.values(), key=lambda branch: (self._step(node, branch, owner), branch.code)
            ).after
        return number
