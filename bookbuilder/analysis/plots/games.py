"""The games of a tally as a figure: how they end, by the plies that they last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.analysis.plots.axes import INK, LINES, RESULTS, dressed
from bookbuilder.errors import OptionError
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["results"]

_FEWEST: Final = 20
"""Shares of fewer games than that are chance and not drawn; an archive of fewer is drawn whole."""


def results(tally: Tally, *, ax: Axes | None = None) -> Axes:
    """Draw the results of the games that last at least so many plies, as shares, ply by ply.

    Plies are those that were counted: of a tally with a ply limit the figure ends there. Games without a
    result are left out.

    Args:
        tally: any tally.
        ax: where to draw; None = a new figure.

    Returns:
        The Axes.

    Raises:
        OptionError: no game has a result.
    """
    from matplotlib.patheffects import withStroke

    plies = tally.games.column("plies").to_numpy()
    result = tally.games.column("result").to_numpy()
    longest = plies.max(initial=0)
    ended = np.array([np.bincount(plies[result == code], minlength=longest + 1) for code in (1, 2, 3)])
    lasting = np.cumsum(ended[:, ::-1], axis=1)[:, ::-1]
    games = lasting.sum(axis=0)
    if not games[0]:
        raise OptionError("results by ply: expected at least one game with a result")
    last = int(np.flatnonzero(games >= min(_FEWEST, games[0]))[-1])
    ply = np.arange(last + 1)
    ax = dressed(ax, grid="y")
    below = np.zeros(last + 1)
    for counts, colour, name in zip(
        lasting, RESULTS, ("first side wins", "draw", "second side wins"), strict=True
    ):
        share = 100 * counts[: last + 1] / games[: last + 1]
        ax.fill_between(ply, below, below + share, color=colour, label=name, linewidth=0, step="mid")
        below += share
    ax.plot(
        ply,
        100 * games[: last + 1] / games[0],
        color=LINES[1],
        linewidth=2.2,
        label="games that last so long, of all",
        path_effects=[withStroke(linewidth=5, foreground="white")],
    )
    ax.set_title(f"Results of {games[0]:,} games, by the plies that they last", loc="left")
    ax.set_xlim(0, max(last, 1))
    ax.set_ylim(0, 100)
    ax.set_xlabel("the game lasts at least so many counted plies")
    ax.set_ylabel("share of games, in %")
    ax.legend(loc="lower left", facecolor="white", edgecolor="none", framealpha=0.9, labelcolor=INK)
    return ax
