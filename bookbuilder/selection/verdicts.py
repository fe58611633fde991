"""Verdicts: the rules of a selection applied to candidates, column by column.

`bookbuilder.selection.select` explains each rule and their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SIDES
from bookbuilder.ratios import as_fraction, performance, result_ratios, score
from bookbuilder.schema import REASONS
from bookbuilder.selection.by_hand import kept_places, rows_by_hand
from bookbuilder.selection.candidates import (
    Before,
    Candidates,
    Judged,
    candidates_of_rows,
    count_candidates,
    games_at,
    positions_before,
)
from bookbuilder.selection.criteria import Criteria
from bookbuilder.selection.engine import Backed, lose_nothing, move_values, vetoed
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.graph import Graph
from bookbuilder.selection.options import PRIOR_GAMES, PRIORS, SelectionOptions
from bookbuilder.selection.perpetuals import judge_by, lost_by_repetition
from bookbuilder.selection.quality import blended_quality, pick_quality, worth_of
from bookbuilder.selection.thresholds import at_least, passes, proved_worse
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder.tally.rows import Rare, TallyRow

Verdicts: TypeAlias = npt.NDArray[np.int8]
"""Index into `schema.REASONS` for each row; 0 = kept."""
_Mask: TypeAlias = npt.NDArray[np.bool_]
_Dropped: TypeAlias = Iterator[tuple[str, _Mask]]

MAIN_SHARE: Final = Fraction(1, 10)
"""A move in this share of the games at its position is never dropped as worse."""
_UNIT: Final = 10_000
_FEW: Final = 3
_PREDICTED_PLIES: Final = 30
"""Later positions are too rare for a result."""
_SURE: Final = 0.01
"""No prediction is surer: otherwise a move that lost its only game could never win."""
_PLIES: Final = 40


def kind_verdicts(candidates: Candidates | _RareRows, *, max_ply: int | None) -> Verdicts:
    """Return the verdicts by the rules about no counts: root, no-move, beyond-ply."""
    verdicts: Verdicts = np.zeros(candidates.ply.size, dtype=np.int8)
    if candidates.move is None:
        _drop(verdicts, "root", candidates.ply == 0)
    else:
        _drop(verdicts, "no-move", candidates.move == 0)
    if max_ply is not None:
        _drop(verdicts, "beyond-ply", candidates.ply > max_ply)
    return verdicts


def needed_games(minimum: float | None, ply: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the games that a row after each of some plies needs.

    A minimum of 2.25 is 2 games in the first three quarters of 40 plies, and 3 after that. So one game more
    in an archive changes few moves of its book.

    Example:
        >>> needed_games(2.25, np.array([1, 30, 31, 40, 60])).tolist()
        [2, 2, 3, 3, 3]
    """
    hundredths = round(100 * (minimum or 0))
    plies = np.minimum(ply.astype(np.int64), _PLIES)
    needed: npt.NDArray[np.int64] = -(-(_PLIES * hundredths + 100 * plies) // (100 * _PLIES)) - 1
    return needed


def judge_counts(candidates: Candidates, options: SelectionOptions) -> Verdicts:
    """Return the verdicts by the rules that need only a row's own data."""
    verdicts, c = kind_verdicts(candidates, max_ply=options.max_ply), candidates
    for own, rows in options.by_side(c.side):
        needed = np.maximum(needed_games(own.min_games, np.arange(1 + int(c.ply.max(initial=0)))), 0)
        _drop(verdicts, "below-games", rows & (c.games < needed.astype(np.uint64)[c.ply]))
        _drop(verdicts, "below-p", rows & ~passes(c.wins, c.losses, as_fraction(own.min_win_rate)))
        if own.min_score is not None:
            points, maximum = 2 * c.wins + c.draws, 2 * (c.wins + c.draws + c.losses)
            _drop(verdicts, "below-score", rows & ~at_least(points, maximum, as_fraction(own.min_score)))
    return verdicts


def drop_by_position(
    c: Candidates | Judged, before: Before, options: SelectionOptions, is_sound: _Mask | None = None
) -> _Dropped:
    """Yield the rules that compare a move with its position: below-share, proved-worse.

    Args:
        c: the moves.
        before: the position before each.
        options: which rows to keep.
        is_sound: moves that lose nothing by an engine.
    """
    for own, rows in options.by_side(c.side):
        if own.min_share is not None:
            is_enough = at_least(before.played, before.moved, as_fraction(own.min_share))
            yield "below-share", rows & ~is_enough
        if own.margin is not None:
            # A move that never lost cannot be proved worse.
            can_drop = rows & (c.losses > 0) & ~at_least(before.played, before.moved, MAIN_SHARE)
            if is_sound is not None:
                can_drop &= ~is_sound
            some = np.flatnonzero(can_drop)
            wins = c.wins[some]
            can_drop[some] = proved_worse(
                wins,
                wins + c.losses[some],
                *expected_ratio(c, before, some),
                margin=as_fraction(own.margin),
                prior=PRIOR_GAMES if own.prior is None else own.prior,
            )
            yield "proved-worse", can_drop


def expected_ratio(
    c: Candidates | Judged, before: Before, rows: slice | npt.NDArray[np.intp] = slice(None)
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the P that a move as good as its position would have, as part and whole.

    That is the P of the position. Where most games have ratings, it is corrected for who played the move: by
    the difference of the scores that the ratings promise, in hundredths of a per cent.
    """
    promised, is_rated = [], np.ones(1, np.bool_)
    for of in (c, before):
        won, drawn, lost, paired, surplus = (
            np.asarray(count[rows], np.int64)
            for count in (of.wins, of.draws, of.losses, of.paired, of.surplus)
        )
        results = won + drawn + lost
        scored = (_UNIT // 2) * (2 * won + drawn) // np.maximum(results, 1)
        promised.append(scored - (_UNIT // 100) * surplus // np.maximum(paired, 1))
        is_rated = is_rated & (paired > 0) & (2 * paired >= results)
    whole = won + lost
    part = _UNIT * won + np.where(is_rated, promised[0] - promised[1], 0) * whole
    return np.clip(part, 0, _UNIT * whole), _UNIT * whole


def fitted_prior(moves: Candidates, before: Before) -> int:
    """Return the prior of `PRIORS` by which the results of some games predict each other best.

    Each won or lost game is predicted from all others: from those with the same move, and with the prior from
    those at its position. Only moves that a margin can drop count. The best prior has the largest sum of the
    logarithms of these probabilities.
    """
    can_drop = (moves.games >= _FEW) & ~at_least(before.played, before.moved, MAIN_SHARE)
    rows = np.flatnonzero((kind_verdicts(moves, max_ply=_PREDICTED_PLIES) == 0) & can_drop)
    some = moves.part(rows)
    at = Before(**{name: column[rows] for name, column in before._asdict().items()})

    def likelihood(prior: int) -> float:
        return float(
            sum(
                (count * predicted(some, at, prior, won, 1)).sum()
                for won, count in ((1, some.wins), (0, some.losses))
            )
        )

    return max(PRIORS, key=likelihood)


def predicted(moves: Candidates, before: Before, prior: int, won: int, own: int) -> npt.NDArray[np.float64]:
    """Return the logarithm of the probability of a result of each move.

    Args:
        moves: the moves.
        before: their positions.
        prior: games at the P of its position that are added to each move.
        won: 1 = a win, 0 = a loss.
        own: 1 = the counts include the game itself, which is left out; 0 = they do not.
    """
    wins, losses = (each.astype(np.float64) for each in (moves.wins, moves.losses))
    of_wins, of_losses = (each.astype(np.float64) for each in (before.wins, before.losses))
    r = (of_wins - own * won) / np.maximum(of_wins + of_losses - own, 1)
    total = wins + losses - own + prior
    p = np.where(total > 0, (wins - own * won + prior * r) / np.maximum(total, 1), 0.5)
    found: npt.NDArray[np.float64] = np.log(np.clip(p if won else 1 - p, _SURE, 1 - _SURE))
    return found


class _RareRows(NamedTuple):
    """Rows of rare positions as `kind_verdicts` sees them."""

    move: npt.NDArray[np.int64] | None
    ply: npt.NDArray[np.int64]


def count_rare(rare: Rare, options: SelectionOptions, *, fold: bool) -> dict[str, int]:
    """Return the number of rows for each reason, of the positions that a tally of frequent ones lacks.

    Such a row has too few games if no earlier rule drops it.

    Raises:
        SelectionError: the rules depend on these rows.
    """
    lacks = kept_places(options.edits, fold=fold) - rare.looked_up
    if not options.trims or rare.min_games > options.least_games or lacks:
        raise SelectionError(
            f"the tally lacks positions of fewer than {rare.min_games} games, and these options need them; "
            "select from the whole tally"
        )
    is_moves = options.shape == "moves"
    kinds = rare.rows if is_moves else rare.positions
    has_move, _, ply = np.array([*kinds], np.int64).reshape(-1, 3).T
    rows = _RareRows(has_move, ply + has_move) if is_moves else _RareRows(None, ply)
    verdicts = kind_verdicts(rows, max_ply=options.max_ply)
    _drop(verdicts, "below-games", np.ones(verdicts.size, np.bool_))
    counts = np.bincount(verdicts, weights=np.array([*kinds.values()]), minlength=len(REASONS))
    return {reason: int(count) for reason, count in zip(REASONS, counts, strict=True) if count}


def judge(
    candidates: Candidates,
    tally: Tally,
    graph: Graph | None,
    options: SelectionOptions,
    *,
    verdicts: Verdicts,
    moves: Candidates,
    backed: Backed | None = None,
) -> None:
    """Complete the verdict on each candidate.

    Args:
        candidates: positions or moves of the tally, by the shape of the options.
        tally: the tally.
        graph: its graph, where `options.needs_graph` says so.
        options: which rows to keep.
        verdicts: those by the rules about single rows, which this function changes.
        moves: the moves of the tally, where there is a graph.
        backed: what an engine says, where there are evaluations.
    """
    if candidates.move is not None:
        starts = candidates.group_starts()
        parent: npt.NDArray[Any] = np.repeat(np.arange(starts.size), np.diff(starts, append=len(candidates)))
        rows = np.flatnonzero(verdicts == 0)
        judged = Judged.of(candidates, rows, candidates, rows)
        verdicts[rows] = _judge_siblings(judged, rows, candidates, tally, parent, graph, options, backed)
    elif graph is not None:
        _judge_by_moves(verdicts, candidates, moves, tally, graph, options, backed)
    by_hand = rows_by_hand(
        candidates.key, candidates.lock, candidates.move, options.edits, fold=tally.options.fold
    )
    kept = np.array([row for row, edit in by_hand.items() if edit.keep is True], np.intp)
    for row, edit in by_hand.items():
        if edit.keep is False and verdicts[row] == 0:
            verdicts[row] = REASONS.index("by-hand")
    verdicts[kept] = 0
    if graph is not None:
        _judge_lines(verdicts, candidates, tally, graph, options)
        verdicts[kept] = 0


def _judge_lines(
    verdicts: Verdicts,
    candidates: Candidates,
    tally: Tally,
    graph: Graph,
    options: SelectionOptions,
) -> None:
    """Apply the rules about lines; changes the verdicts."""
    is_moves = candidates.move is not None
    # What a verdict on a row of the tally is about: the row itself, or the position that it leads to.
    targets: npt.NDArray[Any] = np.arange(len(tally)) if is_moves else graph.child
    edges = graph.edges()
    judge = options.repetition
    if judge is not None and not (isinstance(judge, str) and tally.game == "chess"):
        # By the rules of chess nobody loses by repeating.
        judged = judge_by(tally.game, judge) if isinstance(judge, str) else judge
        kept = np.zeros(len(tally), dtype=np.bool_)
        kept[edges] = verdicts[targets[edges]] == 0
        is_lost = np.zeros(verdicts.size, dtype=np.bool_)
        is_lost[lost_by_repetition(tally, graph, kept, targets, judged)] = True
        _drop(verdicts, "repetition", is_lost)
    if options.margin is not None:
        # A side needs no moves where its own book moves do not lead, whatever the opponent plays.
        counting = games_at(tally) >= options.least_games
        mover = tally.column("mover")
        kept = np.zeros(len(tally), dtype=np.bool_)
        kept[edges] = verdicts[targets[edges]] == 0
        for side in range(len(SIDES)):
            reached = graph.reachable(kept | (mover != side), counting)
            lost = ~(reached[graph.parent] if is_moves else reached)
            _drop(verdicts, "unreachable", (candidates.side == side) & lost)
    if options.connected and is_moves:
        anywhere = np.ones(graph.positions, dtype=np.bool_)
        _drop(verdicts, "unreachable", ~graph.reachable(verdicts == 0, anywhere)[graph.parent])
    elif options.connected:
        everything = np.ones(len(tally), dtype=np.bool_)
        _drop(verdicts, "unreachable", ~graph.reachable(everything, verdicts == 0))


def _judge_by_moves(
    verdicts: Verdicts,
    candidates: Candidates,
    moves: Candidates,
    tally: Tally,
    graph: Graph,
    options: SelectionOptions,
    backed: Backed | None,
) -> None:
    """Apply the rules about moves to the positions that they lead to; changes the verdicts."""
    edges = graph.edges()
    # A row that leads nowhere, or to a dropped position, does not compete with its siblings. With a margin,
    # lines through positions of too few games do not count: their P says nothing about a move.
    is_open = verdicts[graph.child[edges]] == 0
    if options.margin is not None:
        everything = np.ones(len(moves), dtype=np.bool_)
        is_open &= graph.reachable(everything, candidates.games >= options.least_games)[graph.parent[edges]]
    rows = edges[is_open]
    child = graph.child[rows]
    by_move: Verdicts = np.zeros(rows.size, dtype=np.int8)
    if options.compares_positions or options.top is not None:
        # All games that reached the position after a move judge it.
        judged = Judged.of(moves, rows, candidates, child)
        by_move = _judge_siblings(judged, rows, moves, tally, graph.parent, graph, options, backed)
    # A position gets the best verdict of the moves that lead to it: kept, or dropped by the last rule.
    furthest: Verdicts = np.full(len(candidates), -1, dtype=np.int8)
    last = len(REASONS)
    np.maximum.at(furthest, child, np.where(by_move == 0, last, by_move).astype(np.int8))
    furthest[furthest == last] = 0
    furthest[furthest == -1] = REASONS.index("unreachable")
    undecided = verdicts == 0
    verdicts[undecided] = furthest[undecided]


def _judge_siblings(
    judged: Judged,
    rows: npt.NDArray[np.intp],
    moves: Candidates,
    tally: Tally,
    parent: npt.NDArray[Any],
    graph: Graph | None,
    options: SelectionOptions,
    backed: Backed | None,
) -> Verdicts:
    """Return the verdicts by the rules about the moves of one position, on moves that no other rule drops.

    Args:
        judged: these moves, with the counts that judge them.
        rows: their numbers.
        moves: all moves, with the games that played them.
        tally: the tally.
        parent: number of the position before each move.
        graph: the graph of the tally, if there are evaluations.
        options: which rows to keep.
        backed: the evaluations.
    """
    verdicts: Verdicts = np.zeros(rows.size, dtype=np.int8)
    if options.compares_positions:
        is_sound = None
        if graph is not None and backed is not None:
            assert moves.move is not None
            child = np.where(graph.child == NOWHERE, -1, graph.child.astype(np.int64))
            is_sound = lose_nothing(backed.valued, parent, child, moves.move)[rows]
        for reason, dropped in drop_by_position(judged, positions_before(moves, rows), options, is_sound):
            _drop(verdicts, reason, dropped)
        for own, of_side in options.by_side(judged.side):
            if graph is None or backed is None or not isinstance(own.evals, Evidence):
                continue
            limit = own.veto or own.evals.usual_limit()
            positions = count_candidates(tally, "positions")
            _drop(
                verdicts,
                "engine-veto",
                of_side & vetoed(backed.valued, limit, moves, positions, parent, child)[rows],
            )
            if own.max_loss is not None:
                with np.errstate(invalid="ignore"):
                    is_low = (backed.value[parent] - move_values(backed.value, graph))[rows] > own.max_loss
                _drop(verdicts, "below-value", of_side & is_low)
    for own, of_side in options.by_side(judged.side):
        if own.top is not None:
            _drop(verdicts, "not-top", of_side & (_ranks(judged, parent[rows], verdicts, own.top) >= own.top))
    return verdicts


def _ranks(
    moves: Candidates | Judged, parent: npt.NDArray[Any], verdicts: Verdicts, top: int
) -> npt.NDArray[np.int64]:
    """Return the rank, from 0, of each move among the remaining moves of its position.

    All moves of a position with at most `top` of them have rank 0, since most positions have few moves.
    """
    assert moves.move is not None
    alive = np.flatnonzero(verdicts == 0)
    sizes = np.bincount(parent[alive], minlength=1)
    alive = alive[sizes[parent[alive]] > top]
    group, games = parent[alive], moves.games[alive]
    worst_first = np.nan_to_num(score(moves.wins, moves.draws, moves.losses)[alive], nan=-1.0)
    order = np.lexsort((moves.move[alive], -worst_first, games.max(initial=0) - games, group))
    # Groups ascend in `order`, so the rank is the place less the first place of the group.
    begins = np.searchsorted(group[order], group[order])
    ranks = np.zeros(verdicts.size, dtype=np.int64)
    ranks[alive[order]] = np.arange(alive.size) - begins
    return ranks


def candidate_columns(candidates: Candidates) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a selection that are counted."""
    c = candidates
    return {
        "key": c.key,
        "lock": c.lock,
        **({} if c.move is None else {"move": c.move}),
        "side": c.side,
        "ply": c.ply,
        "reached" if c.move is None else "played": c.games,
        "wins": c.wins,
        "draws": c.draws,
        "losses": c.losses,
        "paired": c.paired,
        "surplus": c.surplus,
    }


class MoveVerdict(TypedDict):
    """The verdict on a move by all games that reached the position after it; None = undefined.

    The names are as in SELECTION_POSITIONS. `share` is the share of the games that moved on, `expected_p`
    the P that a move as good as its position would have.
    """

    side: int
    ply: int
    reached: int
    wins: int
    draws: int
    losses: int
    p: float | None
    p_low: float | None
    p_high: float | None
    score: float | None
    quality: int
    kept: bool
    reason: str
    paired: int
    performance: float | None
    share: float | None
    expected_p: float | None


def judge_moves_at(
    here: Sequence[TallyRow],
    after: Mapping[int, Sequence[TallyRow]],
    options: SelectionOptions,
    *,
    newest_year: int,
    has_results: bool = True,
) -> dict[int, MoveVerdict | None]:
    """Return the verdict on each move at a position by the position that it leads to.

    Args:
        here: all rows that the tally has of the position.
        after: for the code of each move, all rows of the position after it.
        options: resolved. Rules that need the graph of the tally do not apply.
        newest_year: of the tally; 0 = unknown.
        has_results: whether a game of the tally has a result. Else moves weigh by games.

    Returns:
        None for a move if the tally has no rows of the position after it.
    """
    codes = [code for code, rows in after.items() if rows]
    found: dict[int, MoveVerdict | None] = dict.fromkeys(after)
    if not codes:
        return found
    c = candidates_of_rows([row for code in codes for row in after[code]])
    verdicts = judge_counts(c, options)
    before = moves_before(here, codes) if here else None
    if before is not None:
        for reason, rows in drop_by_position(c, before, options):
            _drop(verdicts, reason, rows)
    moves, alone = replace(c, move=np.array(codes, np.uint16)), np.zeros(len(codes), np.intp)
    for own, rows in options.by_side(c.side):
        if own.top is not None:
            ranks = _ranks(moves, alone, verdicts, own.top)
            _drop(verdicts, "not-top", rows & (ranks >= own.top))
    if options.sharpen and options.quality is None and here:
        played = _played_at(here, codes)
        worth = worth_of(played, Criteria.of(options.criteria), newest_year)
        if not has_results and not worth.any():
            worth = played.games.astype(np.float64)
        quality = pick_quality(played, verdicts == 0, options.sharpen, worth=worth, reached=c.games)
    else:
        quality = blended_quality(c, newest_year)
    columns = candidate_columns(c) | result_ratios(c.wins, c.draws, c.losses)
    columns |= {"quality": quality, "kept": verdicts == 0, "performance": performance(c.surplus, c.paired)}
    columns |= move_standing(c, before)
    names = [name for name in columns if name not in ("key", "lock", "surplus")]
    for place, code in enumerate(codes):
        row = {name: columns[name][place].item() for name in names}
        row = {name: None if value != value else value for name, value in row.items()}
        found[code] = MoveVerdict(**row, reason=REASONS[verdicts[place]])  # type: ignore[typeddict-item]
    return found


def _played_at(here: Sequence[TallyRow], codes: Sequence[int]) -> Candidates:
    """Return the moves at a position, with the games that played them; none where no game did."""
    by_code = {row.move: row for row in here}
    unplayed = here[0]._replace(games=0, first_wins=0, draws=0, second_wins=0)
    return candidates_of_rows([by_code.get(code, unplayed) for code in codes], "moves")


def move_standing(c: Candidates, before: Before | None) -> dict[str, npt.NDArray[np.float64]]:
    """Return the share of each move at its position, and the P that a move as good as this would have."""
    if before is None:
        return dict.fromkeys(("share", "expected_p"), np.full(len(c), np.nan))
    part, whole = expected_ratio(c, before)
    with np.errstate(invalid="ignore"):
        return {"share": before.played / before.moved, "expected_p": part / whole}


def moves_before(here: Sequence[TallyRow], codes: Sequence[int]) -> Before:
    """Return the position before some moves of it, from all its rows."""
    position, by_code = candidates_of_rows(here), {row.move: row.games for row in here}
    whole = sum(row.games for row in here if row.move)
    one = np.zeros(len(codes), np.intp)
    return Before(
        played=np.array([by_code.get(code, 0) for code in codes], np.uint64),
        moved=np.full(len(codes), whole, np.uint64),
        wins=position.losses[one],
        draws=position.draws[one],
        losses=position.wins[one],
        paired=position.paired[one],
        surplus=-position.surplus[one],
    )


def _drop(verdicts: Verdicts, reason: str, dropped: _Mask) -> None:
    verdicts[dropped & (verdicts == 0)] = REASONS.index(reason)
