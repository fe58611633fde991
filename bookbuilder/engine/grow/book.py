"""The book of a tree that has grown: which moves each owner plays, and how often; and its evaluations.

An owner plays a move if the centipawns of expected value that its own moves lose on the best line to it, the
path error, stay within a limit. At an open position it plays the engine's move. The weight of a move is
e^(−loss / c).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa

from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.engine.grow.growth import Growth
from bookbuilder.engine.grow.tree import OWNERS, Branch, GrowingTree, Grown
from bookbuilder.evals.table import Evals
from bookbuilder.schema import EVALS
from bookbuilder.selection.quality import LARGEST_WEIGHT


def grown_book(tree: GrowingTree, *, own_loss: float, scale: float) -> MoveBook:
    """Return the book of both owners.

    Args:
        tree: the tree, with values.
        own_loss: what the moves of an owner may lose on a line, in centipawns.
        scale: the centipawns c by which the weight of a move falls to 1/e.
    """
    rows = [row for owner in OWNERS for row in _Owner(tree, owner, own_loss, scale).rows()]
    rows.sort(key=lambda row: (row[0], row[1], -row[3], row[2]))
    key, lock, move, weight = zip(*rows, strict=True) if rows else ((), (), (), ())
    table = move_table(
        len(rows),
        key=np.array(key, np.uint64),
        lock=np.array(lock, np.uint32),
        move=np.array(move, np.uint16),
        weight=np.array(weight, np.uint64),
    )
    return MoveBook(table=table, game=tree.nodes[0].position.game, fold=tree.fold, statistic="own")


class _Owner:
    """The part of the tree that one owner plays."""

    def __init__(self, tree: GrowingTree, owner: int, own_loss: float, scale: float) -> None:
        self._tree, self._owner, self._limit, self._scale = tree, owner, own_loss, scale
        self._order = sorted(range(len(tree.nodes)), key=lambda number: tree.nodes[number].ply)

    def rows(self) -> list[tuple[int, int, int, int]]:
        """Return key, lock, move and weight of each move that the owner plays."""
        found: list[tuple[int, int, int, int]] = []
        for number, branches in self._kept().items():
            node = self._tree.nodes[number]
            if node.position.side == self._owner:
                found += self._weighed(node, branches)
        return found

    def _kept(self) -> dict[int, list[Branch]]:
        """Return the moves that are followed from each position that is reached within the limit."""
        error, kept = {0: 0.0}, dict[int, list[Branch]]()
        for number in self._order:
            if number not in error:
                continue
            node, so_far = self._tree.nodes[number], error[number]
            is_own = node.position.side == self._owner
            kept[number] = []
            if not node.looked[self._owner]:
                continue
            for branch in node.branches.values():
                after = so_far + (self._tree.expected_loss(node, branch, self._owner) if is_own else 0.0)
                if after <= self._limit:
                    kept[number].append(branch)
                    error[branch.after] = min(after, error.get(branch.after, math.inf))
        return kept

    def _weighed(self, node: Grown, branches: list[Branch]) -> list[tuple[int, int, int, int]]:
        """Return the rows of a position: its moves with weights up to 65,535."""
        parts = {
            branch.code: math.exp(-self._tree.expected_loss(node, branch, self._owner) / self._scale)
            for branch in branches
        }
        if not parts and node.best is not None and node.position.verdict is None:
            parts = {node.best: 1.0}
        heaviest, stored = max(parts.values(), default=1.0), node.position.stored(self._tree.fold)
        return [
            (
                *stored,
                node.position.stored_move(code, self._tree.fold),
                max(1, round(LARGEST_WEIGHT * part / heaviest)),
            )
            for code, part in parts.items()
        ]


def growth_evals(growth: Growth, *, nodes: int) -> Evals:
    """Return the evaluations that a book grew from; values beyond ±1,000 centipawns are cut there."""
    tree = growth.tree
    searched = [node for node in tree.nodes if node.position.verdict is None]
    places = [node.position.stored(tree.fold) for node in searched]
    best = [
        None if node.best is None else node.position.stored_move(node.best, tree.fold) for node in searched
    ]
    size = len(searched)
    columns: dict[str, list[Any]] = {
        "key": [key for key, _ in places],
        "lock": [lock for _, lock in places],
        "engine": [growth.engine] * size,
        "network": [growth.network] * size,
        "limit": [f"nodes={nodes}"] * size,
        "depth": [None] * size,
        "nodes": [nodes] * size,
        "score": [round(node.score) for node in searched],
        "best": best,
    }
    table = pa.Table.from_pydict(columns, schema=EVALS)
    return Evals.of(table, tree.nodes[0].position.game, fold=tree.fold)
