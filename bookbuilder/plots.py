"""Plots: the frames of this package as figures.

In comes a frame or a selection; out comes a matplotlib Axes, drawn on the one given or on a new figure.
matplotlib (extra `notebook`) is imported when a plot is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.errors import OptionError
from bookbuilder.quality import MAX_QUALITY
from bookbuilder.selection import Selection, Share, as_fraction

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["quality", "reasons", "threshold", "usage"]

_LINES: Final = ("#1b6ca8", "#d1762c", "#3f8f5b", "#8e5aa8", "#b5484b", "#6b7280")
"""Line colours, told apart also with the common kinds of colour blindness and in grey."""
_MARKERS: Final = ("o", "s", "^", "D", "v", "P")
_INK: Final = "#30343b"
_PALE: Final = "#d9dde3"


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
    ax.set_ylabel("positions kept")
    if log:
        # symlog shows the zero that a strict threshold may leave.
        ax.set_yscale("symlog", linthresh=1)
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.set_ylim(0, max(1e-9, ax.get_ylim()[1]))
    return ax


def usage(curve: pd.DataFrame, *, ax: Axes | None = None, chosen: Share | None = None) -> Axes:
    """Draw the share of visits that kept positions have against the threshold P, one line a minimum count.

    Args:
        curve: what `threshold_curve` returned.
        ax: where to draw; None = a new figure.
        chosen: a threshold to mark.

    Returns:
        The Axes.

    Raises:
        OptionError: the curve is empty.
    """
    ax = _curves(curve, "usage_share", ax, chosen)
    ax.set_title("Share of the games' positions that the book knows", loc="left")
    ax.set_ylabel("share of visits")
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    ax.set_ylim(0, max(1e-9, ax.get_ylim()[1]))
    return ax


def reasons(selection: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw how many rows were kept, and how many each rule dropped.

    Args:
        selection: any selection.
        ax: where to draw; None = a new figure.

    Returns:
        The Axes.
    """
    ax = _axes(ax, height=3.2)
    counts = selection.reasons()
    names = [name or "kept" for name in counts]
    values = list(counts.values())
    colours = [_LINES[2] if name == "kept" else "#a9b0ba" for name in names]
    bars = ax.barh(names, values, color=colours, height=0.66)
    ax.bar_label(bars, labels=[f"{value:,}" for value in values], padding=4, color=_INK)
    ax.invert_yaxis()
    ax.margins(x=0.14)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    ax.set_title(f"Verdicts on {len(selection):,} {selection.shape}", loc="left")
    ax.set_xlabel(selection.shape)
    return ax


def quality(selection: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw how many kept rows have each quality, 0 … 31.

    Args:
        selection: any selection.
        ax: where to draw; None = a new figure.

    Returns:
        The Axes.
    """
    ax = _axes(ax, height=3.6)
    values = selection.kept().column("quality").to_numpy()
    counts = np.bincount(values, minlength=MAX_QUALITY + 1)
    ax.bar(np.arange(MAX_QUALITY + 1), counts, width=0.82, color=_LINES[0])
    ax.set_xlim(-0.8, MAX_QUALITY + 0.8)
    ax.set_xticks([*range(0, MAX_QUALITY - 5, 5), MAX_QUALITY])
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.grid(visible=False, axis="x")
    ax.set_title(f"Quality of {values.size:,} kept {selection.shape}", loc="left")
    ax.set_xlabel("quality")
    ax.set_ylabel(selection.shape)
    return ax


def _axes(ax: Axes | None, *, height: float = 4.4) -> Axes:
    """Return the Axes to draw on, dressed alike for all plots."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.4, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(_PALE)
    ax.tick_params(colors=_INK, labelcolor=_INK)
    ax.grid(visible=True, color=_PALE, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def _curves(curve: pd.DataFrame, column: str, ax: Axes | None, chosen: Share | None) -> Axes:
    if curve.empty:
        raise OptionError("threshold curve is empty: expected at least one row")
    ax = _axes(ax)
    for index, (least, points) in enumerate(curve.groupby("min_games", sort=False)):
        ax.plot(
            100 * points["p"],
            points[column],
            color=_LINES[index % len(_LINES)],
            marker=_MARKERS[index % len(_MARKERS)],
            markersize=4.2,
            linewidth=1.8,
            label=f"at least {least} game{'' if least == 1 else 's'}",
            clip_on=False,
            zorder=3,
        )
    if chosen is not None:
        percent = 100 * float(as_fraction(chosen))
        dashes = (0, (4, 3))
        ax.axvline(percent, color=_INK, linewidth=1, linestyle=dashes, zorder=2, label=f"P = {percent:g} %")
    ax.set_xlim(0, 100)
    ax.set_xticks(range(0, 101, 10))
    ax.set_xlabel("threshold P = wins / (wins + losses) of the side that moved, in %")
    ax.legend(frameon=False, labelcolor=_INK)
    return ax
