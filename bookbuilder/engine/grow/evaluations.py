"""The evaluations of a tree that has grown, as a table: what a search found is of use elsewhere too."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from bookbuilder.engine.grow.growth import Growth
from bookbuilder.evals.table import Evals
from bookbuilder.schema import EVALS

__all__ = ["growth_evals"]


def growth_evals(growth: Growth, *, nodes: int) -> Evals:
    """Return the evaluations that a book grew from; values beyond ±1,000 centipawns are cut there.

    Args:
        growth: the tree.
        nodes: nodes of each search.
    """
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
