"""Repetition: kept moves that lead their side into a perpetual that it loses.

A book would follow such a line forever. In chess the game is drawn; in xiangqi the side that checks or chases
may lose. A side gets into a perpetual by its own moves, while the other side may play any counted move. So a
cycle counts if all moves of one side in it are kept. If the judge says that this side loses, its move with
the fewest games is dropped.

Cycles have at most 12 plies. Most moves lie on none: moves that no move leads to, or on from, are removed
until nothing changes, and the few that remain are searched one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE, Position
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES, Game, SideName
from bookbuilder.games.ruling import Rule, judge
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import RepetitionJudge
from bookbuilder.tally.tally import Tally

_Numbers: TypeAlias = npt.NDArray[np.integer[Any]]
_Mask: TypeAlias = npt.NDArray[np.bool_]

# Maximum plies of a cycle: perpetual checks and chases are shorter. Chosen, not tuned.
_LONGEST: Final = 12
# Maximum number of cycles.
_MOST: Final = 100_000


class Cycle(NamedTuple):
    """Counted moves that lead from a position back to it, or to its mirror where mirrors are folded."""

    positions: tuple[int, ...]  # numbers of the positions, each before its move
    rows: tuple[int, ...]  # rows of the tally, one for each move


def judge_by(game: Game, rule: Rule) -> RepetitionJudge:
    """Return a judge that follows a code of rules: see docs/repetition.md."""

    def loser(position: Position, moves: tuple[str, ...]) -> SideName | None:
        return judge(game, position, moves=moves, rule=rule, occurrences=2).loser

    return loser


def lost_by_repetition(
    tally: Tally, graph: Graph, kept: _Mask, targets: _Numbers, judged: RepetitionJudge
) -> npt.NDArray[np.intp]:
    """Return what to drop so that no side's kept moves lead it into a perpetual that it loses.

    The book plays the kept rows. `targets` says what to drop for each row: its own number, or that of the
    position it leads to. `judged` returns the loser of a cycle. The dropped targets ascend.

    Raises:
        SelectionError: there are more than 100,000 cycles.
    """
    into = graph.rows_into()
    games, mover = tally.column("games"), tally.column("mover")
    # Most rows lie on no cycle of any moves. Removing these once saves half of the work.
    on_cycles = np.zeros(len(tally), dtype=np.bool_)
    on_cycles[_rows_on_cycles(graph, np.ones(len(tally), dtype=np.bool_))] = True
    gone: set[int] = set()
    for side, name in enumerate(SIDES):
        for cycle in cycles_of(graph, on_cycles & (kept | (mover != side))):
            own = {int(targets[row]): int(games[row]) for row in cycle.rows if mover[row] == side}
            if gone.isdisjoint(own) and judged(*_on_board(tally, graph, into, cycle)) == name:
                gone.add(min(own, key=lambda target: (own[target], target)))
    return np.array(sorted(gone), dtype=np.intp)


def cycles_of(graph: Graph, rows: _Mask) -> list[Cycle]:
    """Return the cycles of at most 12 plies that some rows of the tally make.

    Raises:
        SelectionError: there are more than 100,000.
    """
    out: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in _rows_on_cycles(graph, rows).tolist():
        out[int(graph.parent[row])].append((row, int(graph.child[row])))
    found: list[Cycle] = []
    for start in sorted(out):
        for cycle in _cycles_from(start, out):
            found.append(cycle)
            if len(found) > _MOST:
                raise SelectionError(
                    f"repetition: kept moves make more than {_MOST:,} cycles; raise min_games"
                )
    return found


def _rows_on_cycles(graph: Graph, walked: _Mask) -> npt.NDArray[np.intp]:
    """Return the rows that remain after removing dead ends and positions without a way in."""
    rows = np.flatnonzero(walked & (graph.child != NOWHERE))
    while True:
        entered, left = (np.zeros(graph.positions, dtype=np.bool_) for _ in range(2))
        entered[graph.child[rows]] = True
        left[graph.parent[rows]] = True
        still = rows[entered[graph.parent[rows]] & left[graph.child[rows]]]
        if still.size == rows.size:
            return rows
        rows = still


def _cycles_from(start: int, out: dict[int, list[tuple[int, int]]]) -> Iterator[Cycle]:
    """Yield the cycles whose smallest position is `start`."""
    path: list[tuple[int, int]] = []  # position, row of its move
    open_moves = [iter(out[start])]
    on_path = {start}
    here = [start]
    while open_moves:
        step = next(open_moves[-1], None)
        if step is None:
            open_moves.pop()
            on_path.discard(here.pop())
            if path:
                path.pop()
            continue
        row, child = step
        if child == start:
            whole = [*path, (here[-1], row)]
            yield Cycle(positions=tuple(each[0] for each in whole), rows=tuple(each[1] for each in whole))
        elif child > start and child not in on_path and len(path) < _LONGEST - 1:
            path.append((here[-1], row))
            here.append(child)
            on_path.add(child)
            open_moves.append(iter(out.get(child, ())))


def _on_board(
    tally: Tally, graph: Graph, into: npt.NDArray[np.int64], cycle: Cycle
) -> tuple[Position, tuple[str, ...]]:
    """Return the first position of a cycle, and its moves until the same position is reached again."""
    codes, fold = tally.column("move"), tally.options.fold

    def played(here: Position, row: int) -> tuple[Position, str]:
        code = here.unfolded_move(int(codes[row]), fold)
        return here.play(code), here.coordinates(code)

    here = Position(tally.game)
    for row in graph.line_to(cycle.positions[0], into):
        here, _ = played(here, row)
    start, moves = here, []
    while True:  # at most twice: the mirror of a mirror is the position itself
        for row in cycle.rows:
            here, text = played(here, row)
            moves.append(text)
        if here.key == start.key:
            return start, tuple(moves)
