"""The margin curve: the number of positions in a book as the margin below the position's own P grows.

Each point is the count of `select` with that margin and that minimum number of games. All points share the
graph of the tally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.errors import SelectionError
from bookbuilder.selection.candidates import count_candidates, positions_part
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.thresholds import Share, as_share
from bookbuilder.selection.verdicts import judge_positions, kind_verdicts
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MARGINS", "margin_curve"]

MARGINS: Final = tuple(Fraction(step, 100) for step in (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100))
"""0, 0.01 … 1."""


def margin_curve(
    tally: Tally,
    options: SelectionOptions | None = None,
    /,
    *,
    grid: Sequence[Share] = MARGINS,
    min_games: Sequence[int] = (3, 10, 20),
) -> pd.DataFrame:
    """Return the size of the book for each margin and each minimum number of games.

    Args:
        tally: any tally.
        options: the other rules, of shape `positions`; None = the defaults.
        grid: margins, 0 … 1, exact; in any order, each counted once.
        min_games: minimum numbers of games that reached a position.

    Returns:
        Columns margin, min_games, positions (kept), usage_share (of kept positions in the visits of games to
        all positions that `side` and `max_ply` leave). Sorted by min_games as given, then by margin.

    Raises:
        SelectionError: an option is not valid, or games have weights, which depend on the whole tally.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> curve = bb.margin_curve(tally, grid=["0%", "5%"], min_games=[1])
        >>> curve.columns.tolist()
        ['margin', 'min_games', 'positions', 'usage_share']
        >>> curve["positions"].is_monotonic_increasing
        True
    """
    margins = sorted({as_share(each) for each in grid})
    if not margins or any(games < 0 for games in min_games):
        raise SelectionError("margin curve: expected at least one margin, and minimum counts from 0")
    options = replace(options or SelectionOptions(), margin=margins[0]).for_games(tally.game_count)
    if not options.trims or options.shape != "positions":
        raise SelectionError("margin curve: expected positions, without another basis and weights of games")
    return _curve(tally, options, margins, min_games)


def _curve(
    tally: Tally, options: SelectionOptions, margins: Sequence[Fraction], min_games: Sequence[int]
) -> pd.DataFrame:
    import pandas as pd

    whole = count_candidates(tally, "positions")
    visits = int(whole.games[kind_verdicts(whole, side=options.side, max_ply=options.max_ply) == 0].sum())
    is_enough = whole.games >= replace(options, min_games=min(min_games)).least_games
    candidates, part = whole.taken(np.flatnonzero(is_enough)), positions_part(tally, is_enough)
    graph, points = tally_graph(part), []
    for least in min_games:
        for margin in margins:
            chosen = replace(options, margin=margin, min_games=least)
            kept = judge_positions(candidates, part, graph, chosen) == 0
            share = int(candidates.games[kept].sum()) / visits if visits else np.nan
            points.append((float(margin), least, int(kept.sum()), share))
    return pd.DataFrame(points, columns=["margin", "min_games", "positions", "usage_share"])
