"""The style of all plots: colours, markers, axes without clutter, numbers with separators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES: Final = ("#1b3a6b", "#c4520f", "#45b39d", "#8e5aa8", "#b98a17", "#8b94a1")
"""Line colours; the first three differ for readers with common colour blindness and in grey."""
MARKERS: Final = ("o", "s", "^", "D", "v", "P")
"""Line markers, one for each colour."""
INK: Final = "#30343b"
"""Text and reference lines."""
PALE: Final = "#d9dde3"
"""Grids and spines."""
BAR: Final = "#a9b0ba"
"""Bars in the background."""
RESULTS: Final = ("#f3ead7", "#aab1bb", "#3c4450")
"""First side wins, draws, second side wins: light, middle, dark, like the pieces."""


def dressed(ax: Axes | None, *, height: float = 4.4, grid: Literal["x", "y", "both"] = "both") -> Axes:
    """Return the Axes to draw on, with a grid; by default of a new figure of this height in inches."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.4, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(PALE)
    ax.tick_params(colors=INK, labelcolor=INK)
    ax.grid(visible=False)
    ax.grid(visible=True, axis=grid, color=PALE, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def count_axis(ax: Axes, which: Literal["x", "y"], label: str) -> None:
    """Format an axis for counts: whole numbers with separators."""
    from matplotlib.ticker import MaxNLocator

    axis = ax.xaxis if which == "x" else ax.yaxis
    if axis.get_scale() == "linear":
        axis.set_major_locator(MaxNLocator(integer=True))
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axis.set_label_text(label)


def share_axis(ax: Axes, label: str) -> None:
    """Format the y axis for shares 0 … 1 in per cent, from 0 on."""
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    ax.set_ylabel(label)
    ax.set_ylim(0, max(1e-9, ax.get_ylim()[1]))


def legend(ax: Axes, loc: Literal["best", "lower left"] = "best") -> None:
    """Add a legend, if anything has a label; no line of the grid crosses its words."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc=loc, facecolor="white", edgecolor="none", framealpha=0.9, labelcolor=INK)
