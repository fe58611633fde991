"""Plan which positions to evaluate: the most reached ones of a tally, or of a book in use.

The nodes of a search grow with the number of games that reach its position, in steps of two, up to
`MOST_STEPS`. So positions of which much depends are searched longer.

In a book in use the owner plays book moves, the opponent moves of other games. The probability that a game
reaches a position is computed ply by ply, not sampled. Only the most reached positions are kept, so that an
engine can look at all of them.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from bookbuilder._core import Position, Positions
from bookbuilder.book.play import MoveSource
from bookbuilder.columns import values
from bookbuilder.errors import OptionError
from bookbuilder.schema import from_native
from bookbuilder.tally.tally import Tally

_Place: TypeAlias = tuple[int, int]
"""Key and lock of a position."""

MOST_STEPS: Final = 4
"""The most reached positions are searched with 2 to this power times the nodes of the least reached."""

_MOST_PLIES: Final = 120
# Lines are dropped below this probability, divided by the number of positions.
_LEAST_SHARE: Final = 0.02


@dataclass(frozen=True, slots=True)
class Target:
    """A position to evaluate."""

    position: Position
    key: int  # its key in a book
    lock: int  # its lock
    reach: float  # share of the games that reach it
    line: str  # moves that lead to it
    is_exit: bool = False  # whether a book's owner is to move there and has no book move


class PlannedMove(NamedTuple):
    """A move between two positions of a plan."""

    before: int  # the number of the position before it
    code: int  # its code there
    after: int  # the number of the position after it
    share: float  # share of all games that play it
    is_own: bool = False  # whether a book's owner plays it


@dataclass(frozen=True, slots=True)
class Plan:
    """Positions to evaluate, the most reached first, and the moves between them."""

    targets: list[Target]
    moves: list[PlannedMove]
    fold: bool  # whether left-right mirrors are one position

    def nodes(self, base: int, steps: int = MOST_STEPS) -> list[int]:
        """Return the nodes for each position: `base` for the least reached, up to 2^`steps` times these."""
        least = self.targets[-1].reach
        ratios = [max(target.reach / least, 1.0) for target in self.targets]
        return [base << min(steps, int(math.log2(ratio))) for ratio in ratios]

    def within(self, nodes: int, base: int, steps: int) -> Plan:
        """Return the plan of as many positions as these nodes in all are enough for, at least one."""

        def cost(count: int) -> int:
            return sum(Plan(self.targets[:count], [], self.fold).nodes(base, steps))

        count = max(1, bisect_right(range(1, len(self.targets) + 1), nodes, key=cost))
        moves = [move for move in self.moves if max(move.before, move.after) < count]
        return Plan(self.targets[:count], moves, self.fold)


def plan_tally(tally: Tally, *, most: int, min_games: int, max_ply: int | None) -> Plan:
    """Return the most reached positions of a tally, and the moves that games played between them.

    `evaluate_tally` documents the limits.

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
    targets = [Target(start, *start.stored(fold), 1.0, "")]
    for fen, reached, line in zip(rows["fen"], rows["reached"], rows["line"], strict=True):
        here = Position(game, fen)
        targets.append(Target(here, *here.stored(fold), reached / games, line))
    numbers = {(each.key, each.lock): number for number, each in enumerate(targets)}
    by_row = {-1: 0} | {row: number for number, row in enumerate(rows.index.tolist(), start=1)}
    stored = from_native(Positions(game, tree["fen"].tolist()).keys(fold))
    key, lock = (values(stored.column(name)).tolist() for name in ("key", "lock"))
    after = [numbers.get(pair) for pair in zip(key, lock, strict=True)]
    edges = zip(tree["parent"], tree["move"], after, tree["played"], strict=True)
    moves = [
        PlannedMove(before, targets[before].position.parse_move(text), end, played / games)
        for parent, text, end, played in edges
        if (before := by_row.get(parent)) is not None and end is not None
    ]
    return Plan(targets, moves, fold)


@dataclass(frozen=True, slots=True)
class Played:
    """What happens when one side plays a book."""

    side: int  # the owner, 0 first, 1 second
    plan: Plan  # the most reached positions, the start position first, and the moves between them
    # The owner's book moves in a game, on average, with those to positions that were not kept.
    own_visits: float = 0.0


def play_book(book: MoveSource, replies: MoveSource, side: int, *, most: int, fold: bool) -> Played:
    """Return the positions that the owner of a book reaches most, up to a third of them exits.

    The owner, 0 first, 1 second, draws moves by weight, the opponent by frequency. `most` limits the
    positions; with `fold`, left-right mirrors are one position.
    """
    start = Position(book.game)
    found: dict[_Place, tuple[Position, str]] = {start.stored(fold): (start, "")}
    reach, exits = {start.stored(fold): 1.0}, set[_Place]()
    edges: dict[tuple[_Place, int], tuple[_Place, float, bool]] = {}
    own_visits, level = 0.0, dict(reach)
    for _ in range(_MOST_PLIES):
        after: dict[_Place, float] = {}
        for place, share in level.items():
            here, line = found[place]
            if here.verdict is not None:
                continue
            is_own = here.side == side
            choices = (book if is_own else replies).choices(here)
            total = sum(choice.weight for choice in choices)
            if is_own and not choices:
                exits.add(place)
            for choice in choices:
                visits = share * (choice.weight / total)
                own_visits += visits if is_own else 0.0
                if visits < _LEAST_SHARE / most:
                    continue
                position = here.play(choice.code)
                end = position.stored(fold)
                found.setdefault(end, (position, f"{line} {here.coordinates(choice.code)}".lstrip()))
                known = edges.get((place, choice.code), (end, 0.0, is_own))
                edges[place, choice.code] = (end, known[1] + visits, is_own)
                reach[end] = reach.get(end, 0.0) + visits
                after[end] = after.get(end, 0.0) + visits
        if not after:
            break
        level = after

    def most_reached(places: Iterable[_Place], count: int) -> list[_Place]:
        return heapq.nsmallest(count, places, key=lambda place: (-reach[place], place))

    first, *rest = found
    ends = most_reached(exits.difference([first]), most // 3)
    others = most_reached(set(rest).difference(ends), most - 1 - len(ends))
    chosen = [first, *most_reached([*ends, *others], most)]
    number = {place: count for count, place in enumerate(chosen)}
    moves = [
        PlannedMove(number[place], code, number[end], visits, is_own)
        for (place, code), (end, visits, is_own) in edges.items()
        if place in number and end in number
    ]
    targets = [
        Target(found[place][0], *place, reach[place], found[place][1], place in exits) for place in chosen
    ]
    return Played(side, Plan(targets, moves, fold), own_visits)


def plan_of(games: Sequence[Played], *, fold: bool) -> Plan:
    """Return the plan that evaluates the positions of both owners."""
    best: dict[_Place, Target] = {}
    for target in (target for played in games for target in played.plan.targets):
        known = best.setdefault((target.key, target.lock), target)
        if target.reach > known.reach:
            best[target.key, target.lock] = target
    targets = sorted(best.values(), key=lambda target: -target.reach)
    number = {(target.key, target.lock): count for count, target in enumerate(targets)}
    moves: dict[tuple[int, int], PlannedMove] = {}
    for played in games:
        for move in played.plan.moves:
            ends = [played.plan.targets[end] for end in (move.before, move.after)]
            before, after = (number[end.key, end.lock] for end in ends)
            # The same position may be the mirror image of another owner's.
            here = targets[before].position
            code = here.unfolded_move(ends[0].position.stored_move(move.code, fold), fold)
            moves.setdefault((before, code), PlannedMove(before, code, after, move.share))
    return Plan(targets, list(moves.values()), fold)
