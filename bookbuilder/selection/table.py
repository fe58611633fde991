"""The table of a selection: the columns of its candidates, their quality, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.columns import column_of, texts_of
from bookbuilder.ratios import performance, result_ratios
from bookbuilder.schema import REASONS, check
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.own_rule import OwnRule, candidate_frame
from bookbuilder.selection.picks import pick_quality
from bookbuilder.selection.quality import blended_quality, checked_quality, parse_weights
from bookbuilder.selection.verdicts import Verdicts

__all__ = ["Columns", "selection_columns", "selection_quality", "selection_table"]

Columns: TypeAlias = dict[str, npt.NDArray[Any]]
"""The columns of a selection by name, except the verdicts."""


def selection_columns(candidates: Candidates) -> Columns:
    """Return what candidates count, and their ratios."""
    c = candidates
    whole = c.whole_games()
    results, paired = (c.wins, c.draws, c.losses), whole.pop("paired")
    return {
        "key": c.key,
        "lock": c.lock,
        **({} if c.move is None else {"move": c.move}),
        "side": c.side,
        "ply": c.ply,
        "reached" if c.move is None else "played": whole.pop("games"),
        **whole,
        **result_ratios(*(results if c.scale == 1 else (counts / c.scale for counts in results))),
        "paired": paired,
        "performance": performance(c.surplus, c.paired),
    }


def selection_quality(
    candidates: Candidates,
    columns: Mapping[str, npt.NDArray[Any]],
    verdicts: Verdicts,
    graph: Graph | None,
    options: SelectionOptions,
) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate, as the options want it."""
    given = options.quality
    if given is None:
        if options.sharpen is None:
            return blended_quality(candidates)
        return pick_quality(candidates, verdicts == 0, graph, options.sharpen)
    if not callable(given):
        return blended_quality(candidates, parse_weights(given))
    return checked_quality(given(candidate_frame(candidates, columns)), len(candidates))


def selection_table(columns: Columns, verdicts: Verdicts, schema: pa.Schema, own: OwnRule | None) -> pa.Table:
    """Return columns and verdicts as a table of a schema of selections."""
    arrays: dict[str, pa.Array[Any]] = {
        name: column_of(column, nullable=schema.field(name).nullable) for name, column in columns.items()
    }
    arrays["kept"] = column_of(verdicts == 0)
    reasons = REASONS if own is None else (*REASONS, own.reason)
    arrays["reason"] = pa.DictionaryArray.from_arrays(column_of(verdicts), texts_of(reasons))
    return check(pa.table({name: arrays[name] for name in schema.names}), schema)
