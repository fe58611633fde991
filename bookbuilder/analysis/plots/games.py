"""Figure of the games of a tally: their results by their length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.analysis.plots.axes import INK, LINES, RESULTS, dressed
from bookbuilder.errors import OptionError
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["results"]

_FEWEST: Final = 20
"""The figure ends where fewer games remain, since their shares are chance."""


def results(tally: Tally, *, ax: Axes | None = None) -> Axes:
    """Draw the shares of results at each ply, of the games that last at least to that ply.

    Length means counted plies: the figure of a tally with a ply limit ends there. Games without a result do
    not count.

    Raises:
        OptionError: no game has a result.

    Example:
        >>> bb.plots.results(bb.Tally.from_archives("games.pgn")).get_title(loc="left")
        'Results of 6 games, by the plies that they last'
    """
    from matplotlib.patheffects import withStroke

    lasting = _lasting(tally)
    games = lasting.sum(axis=0)
    if not games[0]:
        raise OptionError("results by ply: expected at least one game with a result")
    last = int(np.flatnonzero(games >= min(_FEWEST, games[0]))[-1])
    lasting, games = lasting[:, : last + 1], games[: last + 1]
    ax = dressed(ax, grid="y")
    _draw_shares(ax, 100 * lasting / games)
    ax.plot(
        np.arange(last + 1),
        100 * games / games[0],
        color=LINES[1],
        linewidth=2.2,
        label="share of all games",
        path_effects=[withStroke(linewidth=5, foreground="white")],
    )
    ax.set_title(f"Results of {games[0]:,} games, by the plies that they last", loc="left")
    ax.set(xlim=(0, max(last, 1)), ylim=(0, 100), ylabel="share of games, in %")
    ax.set_xlabel("minimum number of counted plies")
    ax.legend(loc="lower left", facecolor="white", edgecolor="none", framealpha=0.9, labelcolor=INK)
    return ax


def _lasting(tally: Tally) -> npt.NDArray[np.int64]:
    """Return for each result the number of games that last at least 0, 1 … plies."""
    plies = tally.games.column("plies").to_numpy()
    result = tally.games.column("result").to_numpy()
    longest = plies.max(initial=0)
    ended = np.array([np.bincount(plies[result == code], minlength=longest + 1) for code in (1, 2, 3)])
    return np.cumsum(ended[:, ::-1], axis=1)[:, ::-1]


def _draw_shares(ax: Axes, shares: npt.NDArray[np.float64]) -> None:
    below = np.zeros(shares.shape[1])
    names = ("first side wins", "draw", "second side wins")
    for share, colour, name in zip(shares, RESULTS, names, strict=True):
        ply = np.arange(share.size)
        ax.fill_between(ply, below, below + share, color=colour, label=name, linewidth=0, step="mid")
        below += share
