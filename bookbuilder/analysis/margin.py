"""The margin curve: the number of positions in a book as the margin below the position's own P grows.

A position is in the book if a move that leads to it holds the margin (see `bookbuilder.selection.select`).
Each point equals the count of `select` with the same options.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.analysis.threshold import size_curve
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SideName
from bookbuilder.selection.candidates import Candidates, count_candidates
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.selection.options import SelectionOptions, Standard
from bookbuilder.selection.rules import drop_by_position
from bookbuilder.selection.thresholds import Share, as_share
from bookbuilder.selection.verdicts import kind_verdicts, positions_before, reached_counts
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MARGINS", "margin_curve"]

MARGINS: Final = tuple(Fraction(step, 100) for step in (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100))
"""0, 0.01 … 1."""


def margin_curve(
    tally: Tally,
    *,
    grid: Sequence[Share] = MARGINS,
    min_games: Sequence[int] = (3, 10, 20),
    by: Standard = "p",
    prior: int = 20,
    min_share: Share | None = "0.02",
    max_ply: int | None = 40,
    side: SideName | None = None,
) -> pd.DataFrame:
    """Return the size of the book for each margin and each minimum number of games.

    Args:
        tally: any tally.
        grid: margins, 0 … 1, exact; in any order, each counted once.
        min_games: minimum numbers of games that reached a position.
        by: what is compared: `p` or `score`.
        prior: games at the position's own P that are added to each move.
        min_share: minimum share of a move at its position; None = no limit.
        max_ply: maximum number of plies after which a position stands; None = no limit.
        side: whose moves; None = both sides'.

    Returns:
        Columns margin, min_games, positions (kept), usage_share (of kept positions in the visits of games to
        all positions that `side` and `max_ply` leave). Sorted by min_games as given, then by margin.

    Raises:
        SelectionError: an option is not valid.
    """
    margins = sorted({as_share(each) for each in grid}, reverse=True)
    if not margins or any(games < 0 for games in min_games):
        raise SelectionError("margin curve: expected at least one margin, and minimum counts from 0")
    options = SelectionOptions(by=by, prior=prior, min_share=min_share, side=side, max_ply=max_ply)
    return _curve(tally, margins, min_games, options)


def _curve(
    tally: Tally, margins: Sequence[Fraction], min_games: Sequence[int], options: SelectionOptions
) -> pd.DataFrame:
    import pandas as pd

    candidates = count_candidates(tally, "positions")
    rows = kind_verdicts(candidates, side=options.side, max_ply=options.max_ply) == 0
    visits = int(candidates.games[rows].sum())
    is_enough = candidates.games >= min(min_games)
    few = candidates.taken(np.flatnonzero(is_enough))
    part = tally.positions(is_enough)
    graph, moves = tally_graph(part), count_candidates(part, "moves")
    names, curves = [float(each) for each in margins], []
    for least in min_games:
        passed = _margins_passed(moves, few, graph, options, margins, least)
        passed[~rows[is_enough]] = 0
        curves.append(size_curve("margin", names, [least], passed, few.games, all_visits=visits)[::-1])
    return pd.concat(curves, ignore_index=True)


def _margins_passed(
    moves: Candidates,
    candidates: Candidates,
    graph: Graph,
    options: SelectionOptions,
    margins: Sequence[Fraction],
    least: int,
) -> npt.NDArray[np.intp]:
    """Return the number of descending margins that a move to each position holds.

    Only lines through positions with at least so many games count.
    """
    is_enough = candidates.games >= least
    reached = graph.reachable(np.ones(len(moves), dtype=np.bool_), is_enough)
    edges = graph.edges()
    edges = edges[reached[graph.parent[edges]] & is_enough[graph.child[edges]]]
    judged = reached_counts(moves, candidates, graph).taken(edges)
    before = positions_before(moves, candidates, graph.parent).taken(edges)
    passed = np.zeros(edges.size, dtype=np.intp)
    for margin in margins:
        dropped = np.zeros(edges.size, dtype=np.bool_)
        for _, rows in drop_by_position(judged, before, options.with_margin(margin)):
            dropped |= rows
        passed += ~dropped
    best = np.zeros(len(candidates), dtype=np.intp)
    np.maximum.at(best, graph.child[edges], passed)
    return best
