"""The book of a tree that has grown: which moves each owner plays, and how often; and its evaluations.

An owner plays a move if the centipawns of expected value that its own moves lose on the best line to it, the
path error, stay within a limit. At an open position it plays the engine's move. The weight of a move is
e^(−loss / c).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.engine.grow.growth import Growth
from bookbuilder.engine.grow.tree import OWNERS, GrowingTree
from bookbuilder.evals.table import Evals
from bookbuilder.schema import EVALS
from bookbuilder.selection.quality import LARGEST_WEIGHT


def grown_book(tree: GrowingTree, *, own_loss: float, scale: float) -> MoveBook:
    """Return the book of both owners, by the path error `own_loss` and the scale c, both in centipawns."""
    rows = [row for owner in OWNERS for row in _owner_rows(tree, owner, own_loss, scale)]
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


def _owner_rows(
    tree: GrowingTree, owner: int, own_loss: float, scale: float
) -> Iterator[tuple[int, int, int, int]]:
    """Yield key, lock, move and weight, up to 65,535, of each move that an owner plays within the limit."""
    error = {0: 0.0}
    for number in sorted(range(len(tree.nodes)), key=lambda number: tree.nodes[number].ply):
        if number not in error:
            continue
        node = tree.nodes[number]
        here, parts = node.position, dict[int, float]()
        for branch in node.branches.values() if node.looked[owner] else ():
            loss = tree.expected_loss(node, branch, owner)
            after = error[number] + (loss if here.side == owner else 0.0)
            if after <= own_loss:
                parts[branch.code] = math.exp(-loss / scale)
                error[branch.after] = min(after, error.get(branch.after, math.inf))
        if here.side != owner:
            continue
        if not parts and node.best is not None and here.verdict is None:
            parts = {node.best: 1.0}
        heaviest, stored = max(parts.values(), default=1.0), here.stored(tree.fold)
        for code, part in parts.items():
            weight = max(1, round(LARGEST_WEIGHT * part / heaviest))
            yield *stored, here.stored_move(code, tree.fold), weight


def growth_evals(growth: Growth, *, nodes: int) -> Evals:
    """Return the evaluations that a book grew from; values beyond ±1,000 centipawns are cut there."""
    tree = growth.tree
    rows = []
    for node in tree.nodes:
        here, best = node.position, node.best
        if here.verdict is None:
            key, lock = here.stored(tree.fold)
            row = {
                "key": key,
                "lock": lock,
                "engine": growth.engine,
                "network": growth.network,
                "limit": f"nodes={nodes}",
                "nodes": nodes,
                "score": round(node.score),
                "best": None if best is None else here.stored_move(best, tree.fold),
            }
            rows.append(row)
    table = pa.Table.from_pylist(rows, schema=EVALS)
    return Evals.of(table, tree.nodes[0].position.game, fold=tree.fold)
