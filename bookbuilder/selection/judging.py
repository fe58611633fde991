"""From candidates to the columns and verdicts of a selection, the user's own rule and quality included.

`bookbuilder.selection.select` explains the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.ratios import performance, result_ratios
from bookbuilder.schema import REASONS
from bookbuilder.selection.candidates import Candidates, count_candidates, positions_part
from bookbuilder.selection.engine_view import EngineView
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.own_rule import OwnRule, candidate_frame
from bookbuilder.selection.picks import pick_quality
from bookbuilder.selection.quality import blended_quality, checked_quality, parse_weights
from bookbuilder.selection.settled import kept_places, settle, settle_quality
from bookbuilder.selection.verdicts import (
    Verdicts,
    judge_counts,
    judge_moves,
    judge_positions,
    reached_counts,
)
from bookbuilder.tally.tally import Tally

__all__ = ["Columns", "judge_rows", "judge_trimmed"]

Columns: TypeAlias = dict[str, npt.NDArray[Any]]
"""The columns of a selection by name."""

_Judged: TypeAlias = tuple[Columns, Verdicts]
"""The columns of a selection, and the verdict on each row."""

_OWN: Final = len(REASONS)
"""The verdict of the user's own rule."""


def judge_rows(
    tally: Tally,
    candidates: Candidates,
    options: SelectionOptions,
    own: OwnRule | None = None,
    verdicts: Verdicts | None = None,
    columns: Columns | None = None,
) -> _Judged:
    """Return columns and verdicts.

    Args:
        tally: the tally.
        candidates: its candidates.
        options: which rows to keep.
        own: the user's own rule, unless `verdicts` has it.
        verdicts: those by the rules about single rows, if they are known.
        columns: the columns of the candidates, if they are known.
    """
    columns = _columns(candidates) if columns is None else columns
    graph = tally_graph(tally) if options.needs_graph else None
    if options.shape == "moves" and graph is not None and options.judged_by == "reached":
        candidates = reached_counts(candidates, count_candidates(tally, "positions", options), graph)
        columns = {**_columns(candidates), "played": columns["played"]}
    if verdicts is None:
        verdicts = judge_counts(candidates, options)
        _drop_own(verdicts, own, candidates, columns)
    judge = judge_moves if options.shape == "moves" else judge_positions
    fold, value = tally.options.fold, None
    if not isinstance(options.evals, Evidence) or graph is None:
        verdicts = judge(candidates, tally, graph, options, verdicts=verdicts)
        settle(verdicts, candidates, options, fold=fold)
    else:
        view = EngineView.of(options.evals, tally, graph, options)
        verdicts = judge(candidates, tally, graph, options, verdicts=verdicts, backed=view.backed)
        settle(verdicts, candidates, options, fold=fold)
        columns |= view.columns(verdicts == 0)
        value = columns["value"]
    columns["quality"] = _quality(candidates, columns, verdicts, graph, options, value)
    settle_quality(columns["quality"], candidates, options, fold=fold)
    return columns, verdicts


def _drop_own(verdicts: Verdicts, own: OwnRule | None, candidates: Candidates, columns: Columns) -> None:
    """Apply the user's own rule; changes the verdicts."""
    if own is not None:
        verdicts[own.drops(candidates, columns, verdicts == 0)] = _OWN


def judge_trimmed(
    tally: Tally, candidates: Candidates, options: SelectionOptions, own: OwnRule | None
) -> _Judged:
    """Judge positions with enough games, those of changes by hand, and their moves only.

    Most positions were reached once. They are no candidates, and no move from them counts, so the graph is
    made without them.
    """
    verdicts = judge_counts(candidates, options)
    columns = _columns(candidates)
    _drop_own(verdicts, own, candidates, columns)
    positions = candidates
    sizes = np.ones(len(candidates), dtype=np.intp)
    if options.shape == "moves":
        positions = count_candidates(tally, "positions", options)
        sizes = np.diff(candidates.group_starts(), append=len(tally))
    is_enough = positions.games >= options.least_games
    is_enough |= _is_at(positions, kept_places(options, fold=tally.options.fold))
    if is_enough.all():
        return judge_rows(tally, candidates, options, verdicts=verdicts, columns=columns)
    rows = np.flatnonzero(np.repeat(is_enough, sizes))
    part = positions_part(tally, is_enough)
    judged, verdicts[rows] = judge_rows(part, candidates.taken(rows), options, verdicts=verdicts[rows])
    for name in judged.keys() - (columns.keys() - {"quality"}):
        missing = 0 if name == "quality" else np.nan
        columns[name] = np.full(len(candidates), missing, dtype=judged[name].dtype)
        columns[name][rows] = judged[name]
    return columns, verdicts


def _is_at(positions: Candidates, places: frozenset[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    """Return whether each position has one of these keys and locks."""
    found = np.isin(positions.key, np.array([key for key, _ in places], np.uint64))
    for row in np.flatnonzero(found):
        found[row] = (int(positions.key[row]), int(positions.lock[row])) in places
    return found


def _columns(candidates: Candidates) -> dict[str, npt.NDArray[Any]]:
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


def _quality(
    candidates: Candidates,
    columns: Mapping[str, npt.NDArray[Any]],
    verdicts: Verdicts,
    graph: Graph | None,
    options: SelectionOptions,
    value: npt.NDArray[np.float64] | None,
) -> npt.NDArray[np.uint8]:
    given = options.quality
    if given is None:
        if options.sharpen is None:
            return blended_quality(candidates)
        scale = None if value is None else options.loss_scale
        return pick_quality(candidates, verdicts == 0, graph, options.sharpen, value=value, loss_scale=scale)
    if not callable(given):
        return blended_quality(candidates, parse_weights(given))
    return checked_quality(given(candidate_frame(candidates, columns)), len(candidates))
