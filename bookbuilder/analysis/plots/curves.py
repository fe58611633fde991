"""Threshold curves as figures: what `threshold_curve` returns in, Axes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bookbuilder.analysis.plots.axes import INK, LINES, MARKERS, count_axis, dressed, legend, share_axis
from bookbuilder.errors import OptionError
from bookbuilder.selection.thresholds import Share, as_fraction

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["threshold", "usage"]

_LOGARITHMIC: Final = " (logarithmic)"


def threshold(
    curve: pd.DataFrame, *, ax: Axes | None = None, log: bool = False, chosen: Share | None = None
) -> Axes:
    """Draw the positions kept against the threshold P, one line for each minimum count.

    Args:
        curve: what `threshold_curve` returned.
        ax: where to draw; None = a new figure.
        log: whether the count of positions has a logarithmic axis.
        chosen: a threshold to mark.

    Returns:
        The Axes.

    Raises:
        OptionError: the curve is empty.
    """
    ax = _curves(curve, "positions", ax, chosen)
    ax.set_title("Positions kept as the threshold rises", loc="left")
    if log:
        # symlog shows the zero that a strict threshold may leave.
        ax.set_yscale("symlog", linthresh=1)
    count_axis(ax, "y", f"positions kept{_LOGARITHMIC * log}")
    ax.set_ylim(0, max(1e-9, ax.get_ylim()[1]))
    return ax


def usage(
    curve: pd.DataFrame, *, ax: Axes | None = None, log: bool = False, chosen: Share | None = None
) -> Axes:
    """Draw the share of visits that kept positions have against the threshold P, one line a minimum count.

    Args:
        curve: what `threshold_curve` returned.
        ax: where to draw; None = a new figure.
        log: whether the shares have a logarithmic axis.
        chosen: a threshold to mark.

    Returns:
        The Axes.

    Raises:
        OptionError: the curve is empty.
    """
    ax = _curves(curve, "usage_share", ax, chosen)
    ax.set_title("Share of all visits of games to positions that the book knows", loc="left")
    if log:
        ax.set_yscale("symlog", linthresh=0.001)
    share_axis(ax, f"share of visits{_LOGARITHMIC * log}")
    return ax


def _curves(curve: pd.DataFrame, column: str, ax: Axes | None, chosen: Share | None) -> Axes:
    if curve.empty:
        raise OptionError("threshold curve is empty: expected at least one row")
    ax = dressed(ax)
    for index, (least, points) in enumerate(curve.groupby("min_games", sort=False)):
        ax.plot(
            100 * points["p"],
            points[column],
            color=LINES[index % len(LINES)],
            marker=MARKERS[index % len(MARKERS)],
            markersize=4.2,
            linewidth=1.8,
            label=f"at least {least} game{'' if least == 1 else 's'}",
            clip_on=False,
            zorder=3,
        )
    if chosen is not None:
        percent = 100 * float(as_fraction(chosen))
        dashes = (0, (4, 3))
        ax.axvline(percent, color=INK, linewidth=1, linestyle=dashes, zorder=2, label=f"P = {percent:g} %")
    ax.set_xlim(0, 100)
    ax.set_xticks(range(0, 101, 10))
    ax.set_xlabel("threshold P = wins / (wins + losses) of the side that moved, in %")
    legend(ax)
    return ax
