"""Plan which positions to evaluate: the most reached ones of a tally, or of a book in use.

The nodes of a search grow with the square root of the number of games that reach its position, in steps of
two, up to `MOST_STEPS`. So positions of which much depends are searched longer.

In a book in use the owner plays book moves, the opponent moves of other games. The probability that a game
reaches a position is computed ply by ply, not sampled. Only the most reached positions are kept, so that an
engine can look at all of them.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from bookbuilder._core import Position, Positions
from bookbuilder.book.play import Choice, MoveSource
from bookbuilder.columns import values
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native
from bookbuilder.tally.tally import Tally

__all__ = [
    "MOST_STEPS",
    "Edge",
    "Node",
    "Plan",
    "PlannedMove",
    "Played",
    "Target",
    "plan_book",
    "plan_of",
    "plan_tally",
    "play_book",
]

_Place: TypeAlias = tuple[int, int]
"""Key and lock of a position."""

MOST_STEPS: Final = 4
"""The most reached positions are searched with 2 to this power times the nodes of the least reached."""

_MOST_PLIES: Final = 120
# Lines are dropped below this probability, divided by the number of positions.
_LEAST_SHARE: Final = 0.02


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


@dataclass(slots=True)
class Node:
    """A position of a game of the owner.

    Attributes:
        position: the position.
        key: its key in a book.
        lock: its lock.
        line: moves in coordinates that lead to it.
        reach: probability that a game reaches it.
        is_exit: whether the owner is to move and has no book move.
    """

    position: Position
    key: int
    lock: int
    line: tuple[str, ...]
    reach: float = 0.0
    is_exit: bool = False


class Edge(NamedTuple):
    """A move between two positions.

    Attributes:
        before: the number of the position before it.
        code: its code there.
        after: the number of the position after it.
        visits: probability that a game plays it.
        is_own: whether the owner plays it.
    """

    before: int
    code: int
    after: int
    visits: float
    is_own: bool


@dataclass(slots=True)
class Played:
    """What happens when one side plays a book.

    Attributes:
        side: the owner, 0 first, 1 second.
        nodes: the positions, the most reached first; the start position is number 0.
        edges: the moves between them.
        own_visits: the owner's book moves in a game, on average, with those to positions that were not kept.
    """

    side: int
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    own_visits: float = 0.0


def play_book(book: MoveSource, replies: MoveSource, side: int, *, most: int, fold: bool) -> Played:
    """Return the positions that the owner of a book reaches most, and the moves between them.

    Args:
        book: the owner's moves, drawn by weight.
        replies: the opponent's moves, by frequency.
        side: the owner, 0 first, 1 second.
        most: maximum number of positions.
        fold: whether left-right mirrors are one position.
    """
    walk = _Walk(book, replies, side, fold, _LEAST_SHARE / most)
    walk.run()
    return walk.played(most)


class _Walk:
    """A walk, ply by ply."""

    def __init__(self, book: MoveSource, replies: MoveSource, side: int, fold: bool, least: float) -> None:
        self._book, self._replies, self._side = book, replies, side
        self._fold, self._least = fold, least
        self._nodes: dict[_Place, Node] = {}
        self._edges: dict[tuple[int, int, int], tuple[_Place, float, bool]] = {}
        self._own_visits = 0.0

    def run(self) -> None:
        """Follow the lines until they end or are rare."""
        level = {self._add(Position(self._book.game), (), 1.0): 1.0}
        for _ in range(_MOST_PLIES):
            after: dict[_Place, float] = {}
            for place, share in level.items():
                self._follow(self._nodes[place], place, share, after)
            if not after:
                break
            level = after

    def _follow(
        self, node: Node, place: tuple[int, int], share: float, after: dict[tuple[int, int], float]
    ) -> None:
        here = node.position
        if here.verdict is not None:
            return
        is_own = here.side == self._side
        moves = _shares((self._book if is_own else self._replies).choices(here))
        if is_own and not moves:
            node.is_exit = True
        for code, part in moves:
            visits = share * part
            self._own_visits += visits if is_own else 0.0
            if visits < self._least:
                continue
            end = self._add(here.play(code), (*node.line, here.coordinates(code)), visits)
            known = self._edges.get((*place, code), (end, 0.0, is_own))
            self._edges[*place, code] = (end, known[1] + visits, is_own)
            after[end] = after.get(end, 0.0) + visits

    def _add(self, position: Position, line: tuple[str, ...], share: float) -> _Place:
        """Add a visit to a position, and return its place."""
        place = position.stored(self._fold)
        node = self._nodes.setdefault(place, Node(position, *place, line))
        node.reach += share
        return place

    def played(self, most: int) -> Played:
        """Return the most reached positions, up to a third of them exits."""
        start, *rest = self._nodes
        exits = [place for place in rest if self._nodes[place].is_exit]
        ends = self._most_reached(exits, most // 3)
        others = self._most_reached(set(rest).difference(ends), most - 1 - len(ends))
        chosen = [start, *self._most_reached([*ends, *others], most)]
        number = {place: count for count, place in enumerate(chosen)}
        edges = [
            Edge(number[key, lock], code, number[end], visits, is_own)
            for (key, lock, code), (end, visits, is_own) in self._edges.items()
            if (key, lock) in number and end in number
        ]
        nodes = [self._nodes[place] for place in chosen]
        return Played(self._side, nodes, edges, self._own_visits)

    def _most_reached(self, places: Iterable[_Place], most: int) -> list[_Place]:
        """Return places in order, the most reached first."""
        return heapq.nsmallest(most, places, key=lambda place: (-self._nodes[place].reach, place))


def plan_of(games: Sequence[Played], *, fold: bool) -> Plan:
    """Return the plan that evaluates the positions of both owners."""
    best: dict[_Place, Node] = {}
    for played in games:
        for node in played.nodes:
            known = best.setdefault((node.key, node.lock), node)
            if node.reach > known.reach:
                best[node.key, node.lock] = node
    nodes = sorted(best.values(), key=lambda node: -node.reach)
    number = {(node.key, node.lock): count for count, node in enumerate(nodes)}
    moves: dict[tuple[int, int], PlannedMove] = {}
    for played in games:
        for edge in played.edges:
            before, after = (played.nodes[end] for end in (edge.before, edge.after))
            places = number[before.key, before.lock], number[after.key, after.lock]
            # The same position may be the mirror image of another owner's.
            here = nodes[places[0]].position
            code = here.unfolded_move(before.position.stored_move(edge.code, fold), fold)
            moves.setdefault((places[0], code), PlannedMove(places[0], code, places[1], edge.visits))
    targets = [Target(each.position, each.key, each.lock, each.reach, " ".join(each.line)) for each in nodes]
    return Plan(targets, list(moves.values()), fold)


def plan_book(book: MoveSource, replies: MoveSource, *, most: int, fold: bool) -> Plan:
    """Return the positions that the owners of a book reach most, and the moves between them.

    Args:
        book: the owner's moves, of either side.
        replies: the opponent's moves.
        most: maximum number of positions.
        fold: whether left-right mirrors are one position.

    Raises:
        OptionError: the book has no move that its owner reaches.
        StoreError: the tally of the replies is damaged.
    """
    games = [play_book(book, replies, side, most=most, fold=fold) for side in range(2)]
    if not any(played.own_visits for played in games):
        raise OptionError("the book has no move at the start position or after a reply: nothing to evaluate")
    plan = plan_of(games, fold=fold)
    moves = [move for move in plan.moves if max(move.before, move.after) < most]
    return Plan(plan.targets[:most], moves, fold)


def _shares(choices: Sequence[Choice]) -> list[tuple[int, float]]:
    """Return the moves of a source with their probabilities."""
    total = sum(choice.weight for choice in choices)
    return [(choice.code, choice.weight / total) for choice in choices]
