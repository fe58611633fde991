"""The distribution of counts in a store, for the size of a selection.

Millions of positions have few distinct counts, since most were reached once. With one row for each distinct
count (a kind), the explorer computes the size of a selection, also by ply, in the time that one position
takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.schema import REASONS
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.verdicts import judge_counts
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.tally import Tally

__all__ = ["Distribution", "coverage_answer", "ignored_rules"]

# The columns that verdicts depend on, and the number of positions of each kind.
_JUDGED: Final = {
    "side": pa.uint8(), "ply": pa.uint16(), "games": pa.uint64(), "wins": pa.uint64(), "draws": pa.uint64(),
    "losses": pa.uint64(),
}  # fmt: skip
_UNUSED: Final = ("key", "lock", "rating_sum", "rated", "year_max", "paired")
_COUNT: Final = ("positions", pa.uint64())


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Kinds of positions with their numbers.

    Attributes:
        kinds: one candidate for each kind; key and lock are 0.
        positions: number of positions of each kind.
    """

    kinds: Candidates
    positions: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, store: OpenStore) -> Distribution:
        """Return the distribution of a store's positions, reading one part of it at a time."""
        tables = [pa.table({name: pa.array([], kind) for name, kind in (*_JUDGED.items(), _COUNT)})]
        tables += [_kinds(Tally(rows, store.options)) for rows in store.row_parts()]
        kinds = pa.concat_tables(tables).group_by(list(_JUDGED)).aggregate([(_COUNT[0], "sum")])
        found: dict[str, Any] = {name: kinds.column(name).to_numpy() for name in _JUDGED}
        nothing = np.zeros(kinds.num_rows, np.uint64)
        rest: dict[str, Any] = dict.fromkeys(_UNUSED, nothing)
        return cls(
            kinds=Candidates(
                **found, **rest, move=None, marks=nothing.view(np.int64), surplus=nothing.view(np.int64)
            ),
            positions=kinds.column(f"{_COUNT[0]}_sum").to_numpy(),
        )

    def judged(self, options: SelectionOptions) -> npt.NDArray[np.int8]:
        """Return the verdict on each kind, an index into `schema.REASONS`.

        Args:
            options: with a minimum number of games; only the rules about a position's own counts apply.
        """
        return judge_counts(self.kinds, options)


def ignored_rules(options: SelectionOptions) -> list[str]:
    """Return the active rules that a distribution ignores: rules that depend on which move leads where.

    Example:
        >>> ignored_rules(SelectionOptions())
        ['proved-worse']
    """
    active = {
        "below-share": options.min_share is not None,
        "proved-worse": options.margin is not None,
        "unreachable": options.connected,
    }
    return [reason for reason, is_active in active.items() if is_active]


def _kinds(part: Tally) -> pa.Table:
    """Return the kinds of a tally's positions with the number of each."""
    candidates = count_candidates(part, "positions")
    columns = pa.table({name: pa.array(getattr(candidates, name), kind) for name, kind in _JUDGED.items()})
    kinds = columns.group_by(list(_JUDGED)).aggregate([([], "count_all")])
    name, kind = _COUNT
    return kinds.set_column(len(_JUDGED), name, kinds.column("count_all").cast(kind)).select([*_JUDGED, name])


def coverage_answer(found: Distribution, verdicts: npt.NDArray[np.int8]) -> dict[str, Any]:
    """Return the numbers of kept positions and of their visits: in all, by reason and by ply.

    A visit is one game that reached a position. A position counts at its smallest ply.
    """
    kept = verdicts == 0
    positions = found.positions.astype(np.int64)
    visits = positions * found.kinds.games.astype(np.int64)
    ply = found.kinds.ply.astype(np.int64)
    columns = {
        "positions": positions,
        "positions_kept": np.where(kept, positions, 0),
        "visits": visits,
        "visits_kept": np.where(kept, visits, 0),
    }
    by_ply = np.stack([_summed(ply, column) for column in columns.values()], axis=1)
    reasons = np.bincount(verdicts, positions, len(REASONS)).astype(np.int64).tolist()
    return {
        **_shared([int(column.sum()) for column in columns.values()]),
        "reasons": {name: count for name, count in zip(REASONS, reasons, strict=True) if count},
        "plies": [
            {"ply": place, **_shared(counts)} for place, counts in enumerate(by_ply.tolist()) if counts[0]
        ],
    }


def _summed(ply: npt.NDArray[np.int64], column: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    total = np.zeros(int(ply.max(initial=-1)) + 1, np.int64)
    np.add.at(total, ply, column)
    return total


def _shared(counts: list[int]) -> dict[str, Any]:
    positions, positions_kept, visits, visits_kept = counts
    return {
        "positions": positions,
        "positions_kept": positions_kept,
        "visits": visits,
        "visits_kept": visits_kept,
        "share": visits_kept / visits if visits else None,
    }
