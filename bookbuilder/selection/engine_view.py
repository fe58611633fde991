"""What evaluations add to a selection: values of the moves, backed up, and expected scores of the lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.evals.loss import MOST_CENTIPAWNS
from bookbuilder.selection.backup import Backed, back_up
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.expected import expected_scores
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.veto import expected, fitted_scale
from bookbuilder.tally.tally import Tally

__all__ = ["OF_ENGINE", "EngineView"]

OF_ENGINE: Final = ("engine", "value", "expected")
"""The columns of a selection that need evaluations; null without them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineView:
    """The evaluations of the positions of a tally.

    Attributes:
        backed: evaluations and backed-up values.
        graph: the graph of the tally.
        positions: its positions.
        moves: its rows, with the games that played them.
        options: of the selection.
    """

    backed: Backed
    graph: Graph
    positions: Candidates
    moves: Candidates
    options: SelectionOptions

    @classmethod
    def of(cls, evidence: Evidence, tally: Tally, graph: Graph, options: SelectionOptions) -> Self:
        """Return the view of a tally."""
        positions, moves = (count_candidates(tally, shape, options) for shape in ("positions", "moves"))
        valued = evidence.evals.values(positions.key, positions.lock)
        backed = Backed(valued, back_up(valued, tally, graph))
        return cls(backed=backed, graph=graph, positions=positions, moves=moves, options=options)

    def columns(self, kept: npt.NDArray[np.bool_]) -> dict[str, npt.NDArray[Any]]:
        """Return the columns engine, value and expected of a selection, for the side that moved.

        Args:
            kept: which of its rows are kept.
        """
        is_moves = self.options.shape == "moves"
        edges = self.graph.edges()
        child = self.graph.child[edges]
        kept_rows = kept
        if not is_moves:
            kept_rows = np.zeros(len(self.moves), np.bool_)
            kept_rows[edges] = kept[child]
        score = self.backed.valued.score
        clipped = np.clip(score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
        scores = expected_scores(
            self.graph,
            self.positions,
            self.moves,
            kept_rows,
            promised=expected(clipped, fitted_scale(self.backed.valued, self.positions)),
            prior=self.options.prior,
        )
        found = {"engine": -score, "value": -self.backed.value, "expected": scores}
        if not is_moves:
            return found
        return {name: self._by_row(column) for name, column in found.items()}

    def _by_row(self, column: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what each row's move leads to; NaN where it leads to no counted position."""
        child = self.graph.child
        leads = child != NOWHERE
        return np.where(leads, column[np.where(leads, child, 0)], np.nan)
