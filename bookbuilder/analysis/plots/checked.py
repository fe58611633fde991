"""Figures of a book that an engine has checked: what its moves lose, and what its exits are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.analysis.plots.axes import INK, LINES, MARKERS, PALE, count_axis, dressed, legend
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["exits", "losses"]

_STEP: Final = 20
"""Width of a bar of exits, in centipawns."""
_FARTHEST: Final = 200
"""Exits that are worth more, or less than minus this, share the last bar of their side."""
_DASHES: Final = (0, (4, 3))
"""Limits and means."""


def losses(moves: pd.DataFrame, *, blunder_cp: int = 100, ax: Axes | None = None) -> Axes:
    """Draw the share of book moves that lose more than a number of centipawns, for each owner.

    Moves count by their visits. The axis of shares is logarithmic, since blunders are rare. Each marker is a
    move, and the height of the line at the limit is the share of blunders.

    Args:
        moves: the frame of `BookCheck.moves`, or another with the columns owner, loss_cp (centipawns) and
            visits (any unit).
        blunder_cp: the limit to mark, in centipawns.
        ax: where to draw; None = a new figure.

    Raises:
        OptionError: no move was compared.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, positions=8, nodes=100)
        >>> bb.plots.losses(check.moves()).get_xlabel()
        'loss, in centipawns'
    """
    from matplotlib.ticker import MaxNLocator

    if moves.empty or not moves["visits"].sum() > 0:
        raise OptionError("losses of no move: expected at least one book move that was compared")
    ax = dressed(ax, height=4.0)
    end = 1.2 * max(float(moves["loss_cp"].max()), blunder_cp)
    smallest = min(
        _draw_losses(ax, rows, str(owner), end) for owner, rows in moves.groupby("owner", sort=False)
    )
    label = f"blunders lose more than {blunder_cp} cp"
    ax.axvspan(blunder_cp, end, color=PALE, alpha=0.45, linewidth=0, zorder=0)
    ax.axvline(blunder_cp, color=INK, linewidth=1, linestyle=_DASHES, zorder=2, label=label)
    _share_axis(ax, smallest)
    ax.set_xlim(0, end)
    count_axis(ax, "x", "loss, in centipawns")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.set_title(f"What {len(moves):,} book moves lose, by their visits", loc="left")
    legend(ax)
    return ax


def _draw_losses(ax: Axes, rows: pd.DataFrame, owner: str, end: float) -> float:
    """Draw the share of an owner's visits above each loss, and return the smallest one in per cent."""
    loss, visits = rows["loss_cp"].to_numpy(float), rows["visits"].to_numpy(float)
    order = np.argsort(loss, kind="stable")
    loss, share = loss[order], 100 * visits[order] / visits.sum()
    # The share of the moves that lose at least as much as each move in order; after the last one it is 0.
    above = np.cumsum(share[::-1])[::-1]
    colour, marker = (of[_number(owner)] for of in (LINES, MARKERS))
    ax.step(
        np.concatenate([[0.0], loss, [end]]),
        np.concatenate([[100.0], above[1:], [0.0, 0.0]]),
        where="post",
        color=colour,
        linewidth=1.8,
        label=f"{owner.capitalize()}, {loss @ share / 100:.1f} cp a move",
        zorder=3,
    )
    lost = loss > 0
    ax.plot(loss[lost], above[lost], marker, color=colour, markersize=4, zorder=3)
    return float(above.min())


def _share_axis(ax: Axes, smallest: float) -> None:
    """Make the axis of shares logarithmic, with a tick at each power of ten down to the smallest share."""
    lowest = min(int(np.floor(np.log10(max(smallest, 1e-6)))), 0)
    shares = [10.0**power for power in range(lowest, 3)]
    ax.set_yscale("log")
    ax.set_ylim(0.8 * shares[0], 130)
    ax.set_yticks(shares, [f"{share:g} %" for share in shares])
    ax.minorticks_off()
    ax.set_ylabel("share of moves that lose more")


def exits(values: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw what the exits of a book are worth for its owner, by the share of games that reach them.

    Exits that are worth more than 200 centipawns, or less than -200, are in the last bar.

    Args:
        values: the frame of `BookCheck.exits`, or another with the columns owner, value_cp (centipawns for
            the owner; NaN = unknown) and reach (0 … 1).
        ax: where to draw; None = a new figure.

    Raises:
        OptionError: no exit was evaluated.

    Example:
        >>> tally = bb.Tally.from_archives("games.pgn")
        >>> check = bb.check_book("games.book", tally, positions=16, nodes=100)
        >>> bb.plots.exits(check.exits()).get_xlabel()
        'value for the owner of the book, in centipawns'
    """
    from matplotlib.patheffects import withStroke

    known = values.dropna(subset=["value_cp"])
    if known.empty:
        raise OptionError("values of no exit: expected at least one exit that was evaluated")
    ax = dressed(ax, height=4.0, grid="y")
    owners = known["owner"].unique().tolist()
    end = int(np.clip(100 * np.ceil(known["value_cp"].abs().max() / 100), 100, _FARTHEST))
    edges = np.arange(-end - _STEP / 2, end + _STEP, _STEP)
    width = 0.86 * _STEP / len(owners)
    for number, owner in enumerate(owners):
        rows = known[known["owner"] == owner]
        value, reach = rows["value_cp"].to_numpy(float), 100 * rows["reach"].to_numpy(float)
        height, _ = np.histogram(np.clip(value, -end, end), edges, weights=reach)
        mean, colour = float(value @ reach / reach.sum()), LINES[_number(owner)]
        middles = edges[:-1] + _STEP / 2 + (number - (len(owners) - 1) / 2) * width
        name = f"{owner.capitalize()}, mean {_signed(mean)}"
        ax.bar(middles, height, width, color=colour, label=name, zorder=3)
        outline = [withStroke(linewidth=3.5, foreground="white")]
        ax.axvline(mean, color=colour, linewidth=1.6, linestyle=_DASHES, path_effects=outline, zorder=4)
    ax.axvline(0, color=INK, linewidth=1, zorder=2)
    ax.set_xlim(edges[0], edges[-1])
    ticks = range(-end, end + 1, 50)
    ax.set_xticks(ticks, [_tick(tick) for tick in ticks])
    ax.set_xlabel("value for the owner of the book, in centipawns")
    ax.set_ylabel("share of games, in %")
    ax.set_title(f"What {len(known):,} exits of the book are worth", loc="left")
    legend(ax)
    return ax


def _number(owner: str) -> int:
    """Return the number of the line of an owner: 0 for the first side, 1 for the second."""
    return int(owner == "black")


def _signed(value: float) -> str:
    """Return a whole number with its sign."""
    return "0" if abs(value) < 0.5 else f"{value:+.0f}".replace("-", "−")


def _tick(value: int) -> str:
    """Return the label of a tick: the last bars hold what is beyond them."""
    text = _signed(value)
    return f"≤ {text}" if value == -_FARTHEST else f"≥ {text}" if value == _FARTHEST else text
