"""The tree of a book that grows: searched positions, the moves between them, and where to search next.

Expected values are for the owner of a book, in centipawns. At the owner's positions they are the best of the
moves in the tree, and the engine's own value if its best move is not among them; at the opponent's the mean
of the replies by their shares of the games, where the engine's value stands for replies that are not in the
tree. They tell where opponents of this kind go wrong. Several lines may reach a position. Moves that lead
back to a position of an earlier ply are not followed, so there are no circles.

Each side owns a book, and for each owner every position has a cost: what it takes an opponent to get from
there to an open position, where the book ends. The cheapest open position of the start is expanded next:

| position | cost |
|---|---|
| open, and nobody is searching there | rarity of the most played move that was not looked at |
| the owner is to move: the least of | 4 · expected loss + cost after it |
| the opponent is to move: the least of | rarity + cost after it |

The rarity of a move is 25 · ln(1 / share of the games), so e^(−cost / 25) is the probability that an opponent
who plays like the archive goes there: positions that games are likeliest to reach come first.

Source: the best-first expansion by probability in ICGA Journal 40 (2018), ICG-180039; compare T. Lincke,
Strategies for the automatic construction of opening books, 2000.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import Final

from bookbuilder._core import Position
from bookbuilder.games.position import SIDES

OWNERS: Final = tuple(range(len(SIDES)))
"""The owners of the two books, by side: 0 first, 1 second."""

_OWN_LOSS: Final = 4.0
_RARITY: Final = 25.0
_NEVER: Final = math.inf


@dataclass(slots=True)
class Branch:
    """A move of the tree."""

    code: int  # the move
    after: int  # number of the position that it leads to
    share: float  # share of the archive's games at its position that played it, 0 … 1


@dataclass(slots=True)
class Grown:
    """A position of the tree."""

    position: Position
    ply: int  # plies of the first line that led to it
    score: float  # the engine's value for the side to move
    best: int | None  # the engine's move; None = unknown
    expected: list[float]  # for each owner, the value that its book may expect there
    branches: dict[int, Branch] = field(default_factory=dict)  # moves that are followed, by code
    parents: set[int] = field(default_factory=set)  # numbers of the positions before it
    # For each owner, how many times the position was expanded.
    looked: list[int] = field(default_factory=lambda: [0, 0])
    # For each owner, the share of the most played move that no expansion looked at; 0: none.
    unseen: list[float] = field(default_factory=lambda: [1.0, 1.0])
    is_pending: bool = False  # whether it is being expanded
    # For each owner, the cost of the cheapest open position below.
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
        values = [score if position.side == owner else -score for owner in OWNERS]
        node = Grown(position, ply, score, best, values)
        if position.verdict is not None:
            node.unseen, node.cost = [0.0, 0.0], [_NEVER, _NEVER]
        number = self._numbers[position.stored(self.fold)] = len(self.nodes)
        self.nodes.append(node)
        return number

    def link(self, before: int, code: int, after: int, share: float) -> None:
        """Add a move; a move back to an earlier ply is not followed."""
        if self.nodes[after].ply > self.nodes[before].ply:
            self.nodes[before].branches.setdefault(code, Branch(code, after, share))
            self.nodes[after].parents.add(before)

    def begin_at(self, number: int, owner: int, unseen: float) -> None:
        """Say what share the most played move has of a position that was not expanded yet."""
        node = self.nodes[number]
        node.unseen[owner] = unseen
        node.cost[owner] = self._open_cost(node, owner)

    def look(self, number: int, owner: int, unseen: float) -> None:
        """Say that a position was expanded for an owner, and the share of what is left to look at."""
        node = self.nodes[number]
        node.is_pending = False
        node.looked[owner] += 1
        node.unseen[owner] = unseen

    def refresh(self, changed: list[int]) -> None:
        """Compute values and costs again: of changed positions, and of those before them."""
        first = set(changed)
        queue = [(-self.nodes[number].ply, number) for number in first]
        heapq.heapify(queue)
        last = None
        while queue:
            _, number = heapq.heappop(queue)
            if number == last:
                continue
            last = number
            node = self.nodes[number]
            before = (*node.expected, *node.cost)
            node.expected = [self._expected(node, owner) for owner in OWNERS]
            for owner in OWNERS:
                branches = node.branches.values() if node.looked[owner] else ()
                steps = (self._step(node, branch, owner) for branch in branches)
                node.cost[owner] = min([self._open_cost(node, owner), *steps])
            if (*node.expected, *node.cost) != before or number in first:
                for parent in node.parents:
                    heapq.heappush(queue, (-self.nodes[parent].ply, parent))

    def expected_loss(self, node: Grown, branch: Branch, owner: int) -> float:
        """Return what a move of the owner loses of the expected value, in centipawns."""
        return max(node.expected[owner] - self.nodes[branch.after].expected[owner], 0.0)

    def _expected(self, node: Grown, owner: int) -> float:
        branches = node.branches.values()
        if node.position.side == owner:
            values = [self.nodes[branch.after].expected[owner] for branch in branches]
            return max(values if node.best in node.branches else [*values, node.score])
        seen = sum(branch.share for branch in branches)
        mean = sum(branch.share * self.nodes[branch.after].expected[owner] for branch in branches)
        return mean / seen if seen > 1 else mean - (1 - seen) * node.score

    def _open_cost(self, node: Grown, owner: int) -> float:
        """Return the cost of what the position itself has left to look at."""
        return _NEVER if node.is_pending else _rarity(node.unseen[owner])

    def _step(self, node: Grown, branch: Branch, owner: int) -> float:
        """Return the cost of a move and of what follows."""
        if node.position.side == owner:
            price = _OWN_LOSS * self.expected_loss(node, branch, owner)
        else:
            price = _rarity(branch.share)
        return price + self.nodes[branch.after].cost[owner]

    def cheapest(self, owner: int) -> int | None:
        """Return the open position that an opponent reaches at the least cost; None if there is none."""
        number = 0
        if self.nodes[0].cost[owner] == _NEVER:
            return None
        while True:
            node = self.nodes[number]
            if node.cost[owner] == self._open_cost(node, owner):
                return number
            number = min(
                node.branches.values(), key=lambda branch: (self._step(node, branch, owner), branch.code)
            ).after


def _rarity(share: float) -> float:
    return _RARITY * -math.log(share) if share > 0 else _NEVER
