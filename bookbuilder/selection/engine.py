"""What an engine's evaluations say about a selection: the veto, backed-up values, and words.

A move is vetoed if all of this holds:

| | condition |
|---|---|
| it loses | its loss is above the limit L by the longest search of both positions, and above L/2 by the |
| | shortest one, which has to doubt it |
| another is better | if the position after the engine's own move is evaluated, some move has a better |
| | value than this one |
| it was confirmed | the longest searches have `CONFIRMING` times the nodes of the shortest, or at least |
| | `TRUSTED_NODES` |
| it matters | the expected score falls by more than `LEAST_FALL` |
| games do not object | the loss is above 2·L or `MOST_OVERRULED`, or there are fewer than `LEAST_RESULTS` |
| | results, or the lower bound of the move's score (Wilson, 95 %) is at most the score of its position |
| | less that fall |

The expected score of x centipawns is 1 / (1 + e^(−x/c)). The scale c is fitted to the results of the tally in
the positions that are evaluated. So a few hundred good results overrule a small loss, and never a large one.

The backed-up value V of a position is for the side to move, in centipawns. S is the engine's own value of it:

    V = max(S, −V of each child)    the engine's best move leads to no evaluated child
    V = max(−V of each child)       it does
    V = S                           no child is evaluated

Children are positions that counted moves lead to. So a value rests on the searches at the ends of lines,
which look further, and on the best move that the archive lacks. If play goes on in a circle for ever, the
game is drawn. In xiangqi the law comes first: a move by which its side would lose a perpetual leads nowhere.

A circle needs no special care: with n positions, n rounds of the formula from V = 0 give the values of the
game that is broken off as a draw after n plies, and no side needs more plies to force a way out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE
from bookbuilder.evals.loss import CONFIRMING, MOST_CENTIPAWNS, is_refuted, losses, overrating
from bookbuilder.evals.table import Valued
from bookbuilder.evals.words import value_words
from bookbuilder.games.ruling import Rule
from bookbuilder.ratios import score, wilson_bounds
from bookbuilder.selection.candidates import (
    Before,
    Candidates,
    count_candidates,
    positions_before,
    positions_part,
)
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.expected import expected_values
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.selection.perpetuals import judge_by, lost_by_repetition
from bookbuilder.tally.moves_at import codes_by_stored
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from bookbuilder._core import Position

OF_ENGINE: Final = ("engine", "value", "expected")
"""The columns of a selection that need evaluations; null without them."""

TRUSTED_NODES: Final = 1_000_000
"""A single search with this number of nodes needs no second one."""

LEAST_FALL: Final = 0.02
"""A smaller fall of the expected score does not matter."""

LEAST_RESULTS: Final = 50
"""Fewer results say nothing against an engine."""

MOST_OVERRULED: Final = 120
"""No results overrule a loss of more centipawns."""

_USUAL_SCALE: Final = 174.0
_SCALES: Final = np.arange(60.0, 601.0)
_LEAST_POSITIONS: Final = 50
_LEAST_FITTED: Final = 20

_RULE: Final[Rule] = "axf"

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Rows: TypeAlias = npt.NDArray[np.integer[Any]]
_Numbers: TypeAlias = npt.NDArray[np.float64]


def vetoed(
    valued: Valued,
    limit_cp: int,
    moves: Candidates,
    positions: Candidates,
    parent: _Rows,
    child: _Rows,
) -> _Mask:
    """Return which moves the engine vetoes.

    `parent` and `child` number the positions before and after each move; -1 = none.
    """
    assert moves.move is not None
    code = moves.move.astype(np.uint16)
    loss, first = (losses(valued, parent, child, code, is_first=each) for each in (False, True))
    loses = is_refuted(loss, first, limit_cp)
    loses &= _is_confirmed(valued, parent, child) & _has_better(valued, parent, child, code)
    if not loses.any():
        return loses
    scale = fitted_scale(valued, positions)
    value = np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)[parent]
    fall = expected(value, scale) - expected(value - loss, scale)
    return loses & (fall > LEAST_FALL) & ~_is_overruled(moves, positions_before(moves), fall, loss, limit_cp)


def lose_nothing(valued: Valued, parent: _Rows, child: _Rows, code: npt.NDArray[Any]) -> _Mask:
    """Return which moves lose nothing by the longest searches; the arguments are as in `vetoed`."""
    with np.errstate(invalid="ignore"):
        nothing: _Mask = losses(valued, parent, child, code.astype(np.uint16), is_first=False) <= 0
    return nothing


def expected(centipawns: _Numbers, scale: float) -> _Numbers:
    """Return the expected score of values."""
    expectation: _Numbers = 1 / (1 + np.exp(-centipawns / scale))
    return expectation


def fitted_scale(valued: Valued, positions: Candidates) -> float:
    """Return the scale of the expected score, in centipawns, that fits the results best.

    The fit minimises the cross-entropy over positions with results; with few of them it is 174, as for Elo.

    The positions have the results of the side that moved to them.
    """
    results = positions.wins + positions.draws + positions.losses
    usable = ~np.isnan(valued.score) & (results >= _LEAST_FITTED)
    if np.count_nonzero(usable) < _LEAST_POSITIONS:
        return _USUAL_SCALE
    weight = results[usable].astype(np.float64)
    # The side to move lost where the side before won.
    counts = (positions.losses, positions.draws, positions.wins)
    points = score(*(count[usable].astype(np.float64) for count in counts))
    value = np.clip(valued.score[usable], -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    entropy = [_cross_entropy(expected(value, scale), points, weight) for scale in _SCALES]
    return float(_SCALES[int(np.argmin(entropy))])


def _cross_entropy(expectation: _Numbers, points: _Numbers, weight: _Numbers) -> float:
    bits = points * np.log(expectation) + (1 - points) * np.log1p(-expectation)
    return -float(np.sum(weight * bits))


def _is_confirmed(valued: Valued, parent: _Rows, child: _Rows) -> _Mask:
    """Return whether the longest searches of both positions confirm the shortest ones."""
    known = child >= 0
    after = np.where(known, child, 0)
    longest = np.minimum(valued.nodes[parent], valued.nodes[after])
    shortest = np.maximum(valued.first_nodes[parent], valued.first_nodes[after])
    confirmed: _Mask = (longest >= CONFIRMING * shortest) | (longest >= TRUSTED_NODES)
    return confirmed & known & (longest > 0)


def _has_better(valued: Valued, parent: _Rows, child: _Rows, code: npt.NDArray[np.uint16]) -> _Mask:
    """Return which moves an evaluated move of their position beats, or the engine's own unevaluated move.

    An engine that looks deeper after its own move may find it no better. Then only its first look was wrong.
    """
    value = np.where(child >= 0, -valued.score[np.maximum(child, 0)], np.nan)
    known = ~np.isnan(value)
    best = np.full(valued.score.size, -np.inf)
    np.maximum.at(best, parent[known], value[known])
    is_answered = np.zeros(valued.score.size, np.bool_)
    is_answered[parent[known & (valued.best[parent] == code)]] = True
    with np.errstate(invalid="ignore"):
        better: _Mask = (best[parent] > value) | ~is_answered[parent]
    return better


def _is_overruled(moves: Candidates, before: Before, fall: _Numbers, loss: _Numbers, limit_cp: int) -> _Mask:
    """Return where the results of a move stand against the engine."""
    won, drawn, lost = moves.wins, moves.draws, moves.losses
    results = won + drawn + lost
    is_enough = results >= LEAST_RESULTS
    # A draw is half a win and half a loss.
    low, _ = wilson_bounds(won + drawn / 2, lost + drawn / 2)
    counts = (before.wins, before.draws, before.losses)
    of_position = score(*(np.asarray(count, np.float64) for count in counts))
    with np.errstate(invalid="ignore"):
        stands: _Mask = is_enough & (loss <= min(2 * limit_cp, MOST_OVERRULED)) & (low > of_position - fall)
    return stands


class Backed(NamedTuple):
    """What an engine says about the positions of a graph."""

    valued: Valued
    value: _Numbers  # backed-up values, for the side to move; NaN = not evaluated


def back_up(valued: Valued, tally: Tally, graph: Graph) -> _Numbers:
    """Return the backed-up value of each position, for the side to move; NaN = not evaluated."""
    own = np.clip(valued.score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
    rows = _evaluated_rows(own, tally, graph)
    if not rows.size:
        return own
    parent, child = graph.parent[rows].astype(np.intp), graph.child[rows].astype(np.intp)
    is_best = tally.column("move")[rows] == valued.best[parent]
    is_inner, follows_best = (np.zeros(graph.positions, np.bool_) for _ in range(2))
    is_inner[parent] = True
    follows_best[parent[is_best]] = True
    starts = np.flatnonzero(np.append(True, parent[1:] != parent[:-1]))
    inner = parent[starts]
    # The least that the side to move has: the engine's own move, if it leads out of the evaluated positions.
    floor = np.where(follows_best[inner], -np.inf, own[inner])
    value = np.where(is_inner, 0.0, own)
    for _ in range(inner.size + 1):
        new = np.maximum(floor, np.maximum.reduceat(-value[child], starts))
        if (new == value[inner]).all():
            break
        value[inner] = new
    return value


def _evaluated_rows(own: _Numbers, tally: Tally, graph: Graph) -> npt.NDArray[np.intp]:
    """Return the rows between evaluated positions, without those by which their side loses a perpetual."""
    usable = graph.child != NOWHERE
    usable[usable] = ~np.isnan(own[graph.child[usable]])
    usable &= ~np.isnan(own[graph.parent])
    if tally.game == "xiangqi" and usable.any():
        every = np.arange(len(tally))
        usable[lost_by_repetition(tally, graph, usable, every, judge_by(tally.game, _RULE))] = False
    return np.flatnonzero(usable)


def move_values(value: _Numbers, graph: Graph) -> _Numbers:
    """Return the backed-up value of each row's move, for the side that makes it; NaN = unknown."""
    found = np.full(graph.parent.size, np.nan)
    edges = graph.edges()
    found[edges] = -value[graph.child[edges]]
    return found


class EngineView(NamedTuple):
    """The evaluations of the positions of a tally."""

    backed: Backed  # evaluations and backed-up values
    graph: Graph  # the graph of the tally
    positions: Candidates  # its positions
    moves: Candidates  # its rows, with the games that played them
    is_moves: bool  # whether the selection is of moves

    @classmethod
    def of(cls, evidence: Evidence, tally: Tally, graph: Graph, *, is_moves: bool) -> Self:
        """Return the view of a tally."""
        positions, moves = (count_candidates(tally, "positions"), count_candidates(tally, "moves"))
        valued = evidence.evals.values(positions.key, positions.lock)
        backed = Backed(valued, back_up(valued, tally, graph))
        return cls(backed=backed, graph=graph, positions=positions, moves=moves, is_moves=is_moves)

    def columns(
        self, kept: npt.NDArray[np.bool_], worth: _Numbers, power: int
    ) -> dict[str, npt.NDArray[Any]]:
        """Return the columns engine, value and expected of a selection, for the side that moved.

        `kept` says which of its rows are kept; `worth` is of each row of the tally.
        """
        edges = self.graph.edges()
        kept_rows = kept
        if not self.is_moves:
            kept_rows = np.zeros(len(self.moves), np.bool_)
            kept_rows[edges] = kept[self.graph.child[edges]]
        score, points = self.backed.valued.score, np.where(kept_rows, worth, 0.0)
        clipped = np.clip(score, -MOST_CENTIPAWNS, MOST_CENTIPAWNS)
        expectation = expected_values(self.graph, self.positions, self.moves, points, clipped, power)
        found = {"engine": -score, "value": -self.backed.value, "expected": expectation}
        if not self.is_moves:
            return found
        return {name: self._by_row(column) for name, column in found.items()}

    def _by_row(self, column: _Numbers) -> _Numbers:
        """Return what each row's move leads to; NaN where it leads to no counted position."""
        child = self.graph.child
        leads = child != NOWHERE
        return np.where(leads, column[np.where(leads, child, 0)], np.nan)


def engine_words(
    tally: Tally, evidence: Evidence, least_games: int, here: Position, codes: Sequence[int], notation: str
) -> list[str]:
    """Return what the evaluations say about moves; empty where a position is not evaluated.

    The moves of the tally tell by how much the engine overrates the side to move, at positions of at least
    this number of games.
    """
    fold = evidence.evals.fold
    after = [here.play(code) for code in codes]
    places = np.array([here.stored(fold), *(each.stored(fold) for each in after)], dtype=np.uint64)
    valued = evidence.evals.values(places[:, 0], places[:, 1].astype(np.uint32))
    ends = np.arange(1, len(codes) + 1)
    stored = np.array([here.stored_move(code, fold) for code in codes], np.uint16)
    starts = np.zeros(len(codes), np.intp)
    loss = losses(valued, starts, ends, stored, overrated=_overrated_in(tally, evidence, least_games))
    best = _move(here, int(valued.best[0]), notation, fold=fold)
    words = []
    for place, (lost, position) in enumerate(zip(loss.tolist(), after, strict=True), start=1):
        if np.isnan(lost):
            words.append("")
        elif lost == 0:
            words.append(f"engine: {value_words(-valued.score[place])}, loses nothing")
        else:
            reply = _move(position, int(valued.best[place]), notation, fold=fold)
            refuted = f" after {reply}" if reply else ""
            better = f"; {best} is better, {value_words(valued.score[0])}" if best else ""
            words.append(f"engine: loses {lost:.0f} cp{refuted}{better}")
    return words


def _overrated_in(tally: Tally, evidence: Evidence, least_games: int) -> float:
    """Return by how many centipawns the engine overrates the side to move, as the veto sees it."""
    positions = count_candidates(tally, "positions")
    part = positions_part(tally, positions.games >= least_games)
    graph = tally_graph(part)
    key, lock, move = (part.column(name) for name in ("key", "lock", "move"))
    valued = evidence.evals.values(key[graph.starts], lock[graph.starts])
    after = np.where(graph.child == NOWHERE, -1, graph.child.astype(np.int64))
    return overrating(valued, graph.parent, after, move.astype(np.uint16))


def _move(here: Position, stored: int, notation: str, *, fold: bool) -> str:
    """Return a move, given as a table holds it; empty if it is unknown."""
    codes = codes_by_stored(here, fold=fold)
    return here.format_move(codes[stored], notation) if stored in codes else ""
