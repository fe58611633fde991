"""Figures of a book that was checked: losses, values at the exits, the worst line, and how soon it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.engine.evaluate.graph import Played
from bookbuilder.evals.loss import MOST_CENTIPAWNS, losses
from bookbuilder.evals.table import Evals
from bookbuilder.games.position import SIDES, SideName

__all__ = ["CheckedMove", "Figures", "check_figures", "checked_moves", "exit_values"]

_MOST_PLIES: Final = 120


@dataclass(frozen=True, slots=True)
class CheckedMove:
    """A book move, and what it loses.

    Attributes:
        owner: the side that plays it.
        line: moves in coordinates that lead to the position.
        move: the move.
        best: the engine's move; None: unknown.
        loss_cp: centipawns that it loses.
        visits: probability that a game plays it.
    """

    owner: SideName
    line: tuple[str, ...]
    move: str
    best: str | None
    loss_cp: int
    visits: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one owner. Means are weighted by visits; None = nothing was evaluated.

    Attributes:
        owner: the side that plays the book.
        moves: book moves that were compared.
        checked: their share of all book moves that the owner plays.
        mean_loss_cp: loss of a move.
        blunders: moves in a thousand that lose more than the limit.
        exit_cp: value for the owner at the exits that were evaluated, the most reached ones.
        exits_checked: share of the games that leave the book at these.
        path_loss_cp: what the owner loses on the worst line, all moves together.
        drop_out_ply: ply at which the book ends, if the opponent leaves it as soon as possible and gives away
            at most `give_away_cp`; None: it cannot.
        losing: moves that lose more than the limit, the most visited first.
    """

    owner: SideName
    moves: int
    checked: float
    mean_loss_cp: float | None
    blunders: float | None
    exit_cp: float | None
    exits_checked: float
    path_loss_cp: int
    drop_out_ply: int | None
    losing: tuple[CheckedMove, ...]


def check_figures(played: Played, evals: Evals, *, limit_cp: int, give_away_cp: int) -> Figures:
    """Return the figures of an owner.

    Args:
        played: the positions and moves of the book in use.
        evals: their evaluations.
        limit_cp: a move that loses more is a blunder.
        give_away_cp: what the opponent gives away at most to leave the book.
    """
    graph = _Graph(played, evals)
    own = graph.is_own & ~np.isnan(graph.loss)
    visits, loss = graph.visits[own], graph.loss[own]
    total, exits = float(visits.sum()), graph.exits()
    is_exit_known = ~np.isnan(graph.value[exits])
    exit_reach, exit_value = graph.reach[exits][is_exit_known], graph.value[exits][is_exit_known]
    return Figures(
        owner=SIDES[played.side],
        moves=int(own.sum()),
        checked=total / played.own_visits if played.own_visits else 0.0,
        mean_loss_cp=float(visits @ loss) / total if total else None,
        blunders=1000 * float(visits[loss > limit_cp].sum()) / total if total else None,
        exit_cp=float(exit_reach @ exit_value / exit_reach.sum()) if exit_reach.size else None,
        exits_checked=float(exit_reach.sum()),
        path_loss_cp=graph.worst_path(),
        drop_out_ply=graph.drop_out(give_away_cp),
        losing=graph.losing(limit_cp),
    )


def checked_moves(played: Played, evals: Evals) -> tuple[CheckedMove, ...]:
    """Return every book move of the owner with both positions evaluated, the most visited first."""
    return _Graph(played, evals).losing(-1)


def exit_values(played: Played, evals: Evals) -> list[tuple[tuple[str, ...], float, float]]:
    """Return line, value for the owner (NaN = not evaluated) and reach of each exit."""
    graph = _Graph(played, evals)
    rows = graph.exits().tolist()
    return [(played.nodes[row].line, float(graph.value[row]), played.nodes[row].reach) for row in rows]


class _Graph:
    """The columns of a book in use, and what follows from them."""

    def __init__(self, played: Played, evals: Evals) -> None:
        self._played, self._fold = played, evals.fold
        nodes, edges = played.nodes, played.edges
        key = np.array([node.key for node in nodes], np.uint64)
        valued = evals.values(key, np.array([node.lock for node in nodes], np.uint32))
        self._best = valued.best
        before, after = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 2))
        stored = [nodes[edge.before].position.stored_move(edge.code, self._fold) for edge in edges]
        self.loss = losses(valued, before, after, np.array(stored, np.uint16))
        self.visits = np.array([edge.visits for edge in edges], np.float64)
        self.is_own = np.array([edge.is_own for edge in edges], np.bool_)
        self.reach = np.array([node.reach for node in nodes], np.float64)
        # For the owner; at an exit the owner is to move.
        turn = np.array([1 if node.position.side == played.side else -1 for node in nodes])
        self.value: npt.NDArray[np.float64] = turn * np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)

    def exits(self) -> npt.NDArray[np.intp]:
        """Return the numbers of the exits."""
        return np.flatnonzero([node.is_exit for node in self._played.nodes])

    def worst_path(self) -> int:
        """Return what the owner loses on the worst line from the start; unknown losses count 0.

        A move back to a position that can be reached in fewer plies is not followed: lines would not end.
        """
        lost = {0: 0.0}
        worst = 0.0
        plies = [len(node.line) for node in self._played.nodes]
        prices = np.where(self.is_own, np.nan_to_num(self.loss), 0.0)
        prices[[plies[edge.after] <= plies[edge.before] for edge in self._played.edges]] = np.nan
        steps = self._steps(prices)
        for _ in range(_MOST_PLIES):
            after: dict[int, float] = {}
            for number, so_far in lost.items():
                for end, cost in steps.get(number, ()):
                    after[end] = max(after.get(end, 0.0), so_far + cost)
            if not after:
                break
            worst, lost = max(worst, *after.values()), after
        return round(worst)

    def drop_out(self, give_away_cp: int) -> int | None:
        """Return the first ply at which an opponent who gives away this much can have left the book."""
        cost = {0: 0.0}
        exits = set(self.exits().tolist())
        # Nothing says what a move costs that is not evaluated, so it is no way out.
        steps = self._steps(np.where(self.is_own, 0.0, np.where(np.isnan(self.loss), np.inf, self.loss)))
        for ply in range(_MOST_PLIES):
            if exits & cost.keys():
                return ply
            after: dict[int, float] = {}
            for number, so_far in cost.items():
                for end, more in steps.get(number, ()):
                    if so_far + more <= give_away_cp:
                        after[end] = min(after.get(end, np.inf), so_far + more)
            cost = after
        return None

    def losing(self, limit_cp: int) -> tuple[CheckedMove, ...]:
        """Return the own moves that lose more than the limit, the most visited first."""
        with np.errstate(invalid="ignore"):
            rows = np.flatnonzero(self.is_own & (self.loss > limit_cp))
        rows = rows[np.argsort(-self.visits[rows], kind="stable")]
        return tuple(self._checked(int(row)) for row in rows)

    def _checked(self, row: int) -> CheckedMove:
        edge = self._played.edges[row]
        node = self._played.nodes[edge.before]
        here, stored = node.position, int(self._best[edge.before])
        best = [code for code in here.moves() if here.stored_move(code, self._fold) == stored]
        return CheckedMove(
            owner=SIDES[self._played.side],
            line=node.line,
            move=here.coordinates(edge.code),
            best=here.coordinates(best[0]) if best else None,
            loss_cp=round(float(self.loss[row])),
            visits=edge.visits,
        )

    def _steps(self, cost: npt.NDArray[Any]) -> dict[int, list[tuple[int, float]]]:
        """Return the moves from each position: the position after it, and its cost; NaN = not followed."""
        steps: dict[int, list[tuple[int, float]]] = {}
        for edge, price in zip(self._played.edges, cost.tolist(), strict=True):
            if not np.isnan(price):
                steps.setdefault(edge.before, []).append((edge.after, price))
        return steps
