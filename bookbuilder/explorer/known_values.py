"""Values of positions from files of evaluations (`serve --evals`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bookbuilder.errors import EvalsError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.evals.table import Evals, ValueIndex


class KnownValues:
    """The evaluations that a server knows, one table for each game."""

    def __init__(self, paths: Sequence[Path] = ()) -> None:
        """Read files or folders of evaluations.

        Raises:
            EvalsError: a file is not one of evaluations, or those of a game fold mirrors differently.
            OSError: a file cannot be read.
        """
        from bookbuilder.evals.table import Evals, merge_evals

        tables: dict[Game, list[Evals]] = {}
        for path in paths:
            found = Evals.read(path)
            tables.setdefault(found.game, []).append(found)
        self._tables: dict[Game, tuple[ValueIndex, bool]] = {}
        for game, each in tables.items():
            if len({one.fold for one in each}) > 1:
                raise EvalsError(f"evaluations of {game}: some fold mirrors, others do not; serve one kind")
            merged = merge_evals(each)
            self._tables[game] = merged.index(), merged.fold

    def of(self, game: Game, positions: Sequence[Position]) -> list[dict[str, Any] | None]:
        """Return the values of positions of a game, each for the side to move; None where there is none."""
        if game not in self._tables:
            return [None] * len(positions)
        index, fold = self._tables[game]
        keys, locks = zip(*(position.stored(fold) for position in positions), strict=True)
        found = index.values(np.array(keys, np.uint64), np.array(locks, np.uint32))
        return [
            None if math.isnan(score) else {"score_cp": int(score), "nodes": int(nodes)}
            for score, nodes in zip(found.score.tolist(), found.nodes.tolist(), strict=True)
        ]
