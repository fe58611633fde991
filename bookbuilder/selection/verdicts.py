"""Verdicts: the rules of a selection applied to candidates, column by column.

`bookbuilder.selection.select` explains each rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES, SideName
from bookbuilder.ratios import Counts, score
from bookbuilder.schema import REASONS
from bookbuilder.selection.backup import Backed, move_values
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.perpetuals import judge_by, lost_by_repetition
from bookbuilder.selection.rules import Before, Dropped, drop_by_counts, drop_by_kind, drop_by_position
from bookbuilder.selection.settled import kept_places, settle
from bookbuilder.selection.veto import vetoed
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder.tally.rows import Rare

__all__ = [
    "Verdicts",
    "count_rare",
    "judge_counts",
    "judge_moves",
    "judge_positions",
    "kind_verdicts",
    "positions_before",
    "reached_counts",
]

Verdicts: TypeAlias = npt.NDArray[np.int8]
"""Index into `schema.REASONS` for each row; 0 = kept."""
_Mask: TypeAlias = npt.NDArray[np.bool_]


def kind_verdicts(candidates: Candidates, *, side: SideName | None, max_ply: int | None) -> Verdicts:
    """Return the verdicts by the rules about no counts: root, no-move, side, beyond-ply."""
    verdicts: Verdicts = np.zeros(len(candidates), dtype=np.int8)
    _drop_all(verdicts, drop_by_kind(candidates, side=side, max_ply=max_ply))
    return verdicts


def judge_counts(candidates: Candidates, options: SelectionOptions) -> Verdicts:
    """Return the verdicts by the rules that need only a row's own data.

    The rules about counts apply to positions only if all games that reached them judge them.
    """
    verdicts = kind_verdicts(candidates, side=options.side, max_ply=options.max_ply)
    if candidates.move is not None or options.judged_by == "reached":
        _drop_all(verdicts, drop_by_counts(candidates, options))
    return verdicts


class _RareRows(NamedTuple):
    """Rows of rare positions as `drop_by_kind` sees them."""

    move: npt.NDArray[np.int64] | None
    side: npt.NDArray[np.int64]
    ply: npt.NDArray[np.int64]


def count_rare(rare: Rare, options: SelectionOptions, *, fold: bool) -> dict[str, int]:
    """Return the number of rows for each reason, of the positions that a tally of frequent ones lacks.

    Such a row has too few games if no earlier rule drops it.

    Raises:
        SelectionError: the rules depend on these rows.
    """
    lacks = kept_places(options, fold=fold) - rare.looked_up
    if not options.trims or rare.min_games > options.least_games or lacks:
        raise SelectionError(
            f"the tally lacks positions of fewer than {rare.min_games} games, and these options need them; "
            "select from the whole tally"
        )
    is_moves = options.shape == "moves"
    kinds = rare.rows if is_moves else rare.positions
    has_move, mover, ply = np.array([*kinds], np.int64).reshape(-1, 3).T
    rows = _RareRows(has_move, mover, ply + has_move) if is_moves else _RareRows(None, 1 - mover, ply)
    verdicts: Verdicts = np.full(len(kinds), REASONS.index("below-games"), dtype=np.int8)
    for reason, dropped in [*drop_by_kind(rows, side=options.side, max_ply=options.max_ply)][::-1]:
        verdicts[dropped] = REASONS.index(reason)
    counts = np.bincount(verdicts, weights=np.array([*kinds.values()]), minlength=len(REASONS))
    return {reason: int(count) for reason, count in zip(REASONS, counts, strict=True) if count}


def judge_moves(
    candidates: Candidates,
    tally: Tally,
    graph: Graph | None,
    options: SelectionOptions,
    *,
    verdicts: Verdicts | None = None,
    backed: Backed | None = None,
) -> Verdicts:
    """Return the verdicts on moves.

    Args:
        candidates: the moves.
        tally: the tally.
        graph: its graph, where `options.needs_graph` says so.
        options: which rows to keep.
        verdicts: those by the rules about single rows, which this function changes; None = `judge_counts`.
        backed: what an engine says, where there are evaluations.
    """
    verdicts = judge_counts(candidates, options) if verdicts is None else verdicts
    if graph is not None and options.judged_by == "reached":
        _drop(verdicts, "unreachable", graph.child == NOWHERE)
    assert candidates.move is not None
    group = _numbered(candidates.group_starts(), len(candidates))
    positions = count_candidates(tally, "positions", options) if options.compares_positions else None
    if positions is not None:
        played = count_candidates(tally, "moves", options)
        before = positions_before(played, positions, group)
        _drop_all(verdicts, drop_by_position(candidates, before, options))
        _drop_by_engine(verdicts, played, positions, graph, before, options, backed)
    rows = _Siblings(
        group=group,
        side=candidates.side,
        move=candidates.move,
        games=candidates.games,
        score=score(candidates.wins, candidates.draws, candidates.losses),
    )
    _drop_by_rank(verdicts, rows, options)
    settle(verdicts, candidates, options, fold=tally.options.fold)
    if graph is not None:
        _judge_lines_of_moves(
            verdicts, candidates, tally, graph, _counting(graph, positions, options), options
        )
    return verdicts


def _judge_lines_of_moves(
    verdicts: Verdicts,
    candidates: Candidates,
    tally: Tally,
    graph: Graph,
    counting: _Mask,
    options: SelectionOptions,
) -> None:
    """Apply the rules about lines to moves; changes the verdicts."""
    if options.repetition is not None:
        _judge_repetition(verdicts, verdicts == 0, np.arange(len(candidates)), tally, graph, options)
    if options.own_lines:
        for side, reached in _own_lines(graph, verdicts == 0, candidates.side, counting):
            _drop(verdicts, "unreachable", (candidates.side == side) & ~reached[graph.parent])
    if options.connected:
        anywhere = np.ones(graph.positions, dtype=np.bool_)
        _drop(verdicts, "unreachable", ~graph.reachable(verdicts == 0, anywhere)[graph.parent])


def judge_positions(
    candidates: Candidates,
    tally: Tally,
    graph: Graph | None,
    options: SelectionOptions,
    *,
    verdicts: Verdicts | None = None,
    backed: Backed | None = None,
) -> Verdicts:
    """Return the verdicts on positions. The arguments are as in `judge_moves`."""
    verdicts = judge_counts(candidates, options) if verdicts is None else verdicts
    if graph is None:
        return verdicts
    _judge_by_moves(verdicts, candidates, tally, graph, options, backed)
    settle(verdicts, candidates, options, fold=tally.options.fold)
    edges, leads_to_kept = graph.edges(), np.zeros(len(tally), dtype=np.bool_)
    if options.repetition is not None:
        leads_to_kept[edges] = verdicts[graph.child[edges]] == 0
        _judge_repetition(verdicts, leads_to_kept, graph.child, tally, graph, options)
    if options.own_lines:
        leads_to_kept[edges] = verdicts[graph.child[edges]] == 0
        counting = _counting(graph, candidates, options)
        for side, reached in _own_lines(graph, leads_to_kept, tally.column("mover"), counting):
            _drop(verdicts, "unreachable", (candidates.side == side) & ~reached)
    if options.connected:
        everything = np.ones(len(tally), dtype=np.bool_)
        _drop(verdicts, "unreachable", ~graph.reachable(everything, verdicts == 0))
    return verdicts


def _counting(graph: Graph, positions: Candidates | None, options: SelectionOptions) -> _Mask:
    """Return the positions through which lines count: with a margin, positions of enough games."""
    if options.margin is None or positions is None:
        return np.ones(graph.positions, dtype=np.bool_)
    is_enough: _Mask = positions.games >= options.least_games * positions.scale
    return is_enough


def _own_lines(graph: Graph, kept: _Mask, mover: Counts, counting: _Mask) -> Iterator[tuple[int, _Mask]]:
    """Yield each side with the positions that its own kept moves reach, whatever the opponent plays."""
    for side in range(len(SIDES)):
        yield side, graph.reachable(kept | (mover != side), counting)


def _judge_by_moves(
    verdicts: Verdicts,
    candidates: Candidates,
    tally: Tally,
    graph: Graph,
    options: SelectionOptions,
    backed: Backed | None,
) -> None:
    """Apply the rules about moves to the positions that they lead to; changes the verdicts."""
    moves = count_candidates(tally, "moves", options)
    assert moves.move is not None
    child = graph.child[edges := graph.edges()]
    by_move: Verdicts = np.zeros(len(moves), dtype=np.int8)
    judged = moves
    if options.judged_by == "played":
        _drop_all(by_move, drop_by_counts(moves, options))
    else:
        judged = reached_counts(moves, candidates, graph)
    # A row that leads nowhere, or to a dropped position, does not compete with its siblings. With a margin,
    # lines through positions of too few games do not count: their P says nothing about a move.
    is_out = np.ones(len(moves), dtype=np.bool_)
    is_out[edges] = verdicts[child] != 0
    if options.margin is not None:
        everything = np.ones(len(moves), dtype=np.bool_)
        is_out |= ~graph.reachable(everything, _counting(graph, candidates, options))[graph.parent]
    _drop(by_move, "unreachable", is_out)
    if options.compares_positions:
        before = positions_before(moves, candidates, graph.parent)
        _drop_all(by_move, drop_by_position(judged, before, options))
        _drop_by_engine(by_move, moves, candidates, graph, before, options, backed)
    rows = _Siblings(
        group=graph.parent,
        side=moves.side,
        move=moves.move,
        games=judged.games,
        score=score(judged.wins, judged.draws, judged.losses),
    )
    _drop_by_rank(by_move, rows, options)
    undecided = verdicts == 0
    verdicts[undecided] = _furthest(by_move[edges], child, len(candidates))[undecided]


def _furthest(by_move: Verdicts, child: npt.NDArray[np.integer[Any]], positions: int) -> Verdicts:
    """Return the best verdict of the moves that lead to each position: kept, or dropped by the last rule."""
    furthest: Verdicts = np.full(positions, -1, dtype=np.int8)
    np.maximum.at(furthest, child, np.where(by_move == 0, len(REASONS), by_move).astype(np.int8))
    furthest[furthest == len(REASONS)] = 0
    furthest[furthest == -1] = REASONS.index("unreachable")
    return furthest


def _drop_by_engine(
    verdicts: Verdicts,
    moves: Candidates,
    positions: Candidates,
    graph: Graph | None,
    before: Before,
    options: SelectionOptions,
    backed: Backed | None,
) -> None:
    """Apply engine-veto and below-value; changes the verdicts. `moves` have the games that played them."""
    if graph is None or backed is None:
        return
    for own, rows in options.by_side(moves.side):
        if not isinstance(own.evals, Evidence):
            continue
        child = np.where(graph.child == NOWHERE, -1, graph.child.astype(np.int64))
        limit = own.veto or own.evals.usual_limit()
        lost = vetoed(backed.valued, limit, moves, positions, graph.parent, child, before)
        _drop(verdicts, "engine-veto", rows & lost)
        if own.max_loss is not None:
            with np.errstate(invalid="ignore"):
                is_low = backed.value[graph.parent] - move_values(backed.value, graph) > own.max_loss
            _drop(verdicts, "below-value", rows & is_low)


def positions_before(
    moves: Candidates, positions: Candidates, parent: npt.NDArray[np.integer[Any]]
) -> Before:
    """Return the position before each move.

    Args:
        moves: all moves of a tally.
        positions: its positions; their counts are of the side that moved to them.
        parent: number of the position before each move.
    """
    moved = np.zeros(len(positions), dtype=np.uint64)
    played = np.where(moves.move != 0, moves.games, 0).astype(np.uint64)
    np.add.at(moved, parent, played)
    return Before(
        played=played,
        moved=moved[parent],
        wins=positions.losses[parent],
        draws=positions.draws[parent],
        losses=positions.wins[parent],
        paired=positions.paired[parent],
        surplus=-positions.surplus[parent],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Siblings:
    """Columns of moves that compete with the other moves of their position."""

    group: npt.NDArray[np.integer[Any]]
    side: Counts
    move: Counts
    games: Counts
    score: npt.NDArray[np.float64]


def _drop_by_rank(verdicts: Verdicts, rows: _Siblings, options: SelectionOptions) -> None:
    """Apply the rule not-top; changes the verdicts."""
    for own, own_rows in options.by_side(rows.side):
        if own.top is not None:
            _drop(verdicts, "not-top", own_rows & (_ranks(rows, verdicts, own.top) >= own.top))


def _judge_repetition(
    verdicts: Verdicts,
    kept: _Mask,
    targets: npt.NDArray[np.integer[Any]],
    tally: Tally,
    graph: Graph,
    options: SelectionOptions,
) -> None:
    """Apply the rule repetition; changes the verdicts. `targets` has the index of the verdict on each row."""
    judge = options.repetition
    if judge is None or (isinstance(judge, str) and tally.game == "chess"):
        return  # by the rules of chess nobody loses by repeating
    judged = judge_by(tally.game, judge) if isinstance(judge, str) else judge
    is_lost = np.zeros(verdicts.size, dtype=np.bool_)
    is_lost[lost_by_repetition(tally, graph, kept, targets, judged)] = True
    _drop(verdicts, "repetition", is_lost)


def _ranks(rows: _Siblings, verdicts: Verdicts, top: int) -> npt.NDArray[np.int64]:
    """Return the rank, from 0, of each row among the remaining rows of its position.

    All rows of a position with at most `top` rows have rank 0, since most positions have few moves.
    """
    alive = np.flatnonzero(verdicts == 0)
    sizes = np.bincount(rows.group[alive], minlength=1)
    alive = alive[sizes[rows.group[alive]] > top]
    group = rows.group[alive]
    fewest_first = rows.games[alive]
    worst_first = np.nan_to_num(rows.score[alive], nan=-1.0)
    most_first = fewest_first.max(initial=0) - fewest_first
    order = np.lexsort((rows.move[alive], -worst_first, most_first, group))
    # Groups ascend in `order`, so a row's rank is its place minus the first place of its group.
    place = np.arange(alive.size)
    begins = np.searchsorted(group[order], group[order])
    ranks = np.zeros(verdicts.size, dtype=np.int64)
    ranks[alive[order]] = place - begins
    return ranks


def reached_counts(moves: Candidates, positions: Candidates, graph: Graph) -> Candidates:
    """Return moves with the counts of the positions that they lead to; their own where they lead nowhere."""
    child = graph.child[edges := graph.edges()]
    counts = {}
    for name in ("games", "wins", "draws", "losses", "paired", "surplus"):
        counts[name] = getattr(moves, name).copy()
        counts[name][edges] = getattr(positions, name)[child]
    return replace(moves, **counts)


def _numbered(starts: npt.NDArray[np.intp], rows: int) -> npt.NDArray[np.integer[Any]]:
    """Return the number of the group of each row."""
    return np.repeat(np.arange(starts.size, dtype=np.uint32), np.diff(starts, append=rows))


def _drop_all(verdicts: Verdicts, dropped: Dropped) -> None:
    for reason, rows in dropped:
        _drop(verdicts, reason, rows)


def _drop(verdicts: Verdicts, reason: str, dropped: _Mask) -> None:
    verdicts[dropped & (verdicts == 0)] = REASONS.index(reason)
