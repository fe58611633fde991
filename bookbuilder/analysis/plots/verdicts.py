"""Figures of a selection: its verdicts, and the quality of kept rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bookbuilder.analysis.plots.axes import BAR, INK, LINES, count_axis, dressed
from bookbuilder.selection.quality import MAX_QUALITY
from bookbuilder.selection.select import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["quality", "reasons"]


def reasons(selection: Selection, *, ax: Axes | None = None, log: bool = False) -> Axes:
    """Draw the number of kept rows, and of rows that each rule dropped.

    Example:
        >>> bb.plots.reasons(bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)).get_xlabel()
        'positions'
    """
    ax = dressed(ax, height=3.2, grid="x")
    counts = selection.reasons()
    names = [name or "kept" for name in counts]
    values = list(counts.values())
    colours = [LINES[2] if name == "kept" else BAR for name in names]
    bars = ax.barh(names, values, color=colours, height=0.66)
    ax.bar_label(bars, labels=[f"{value:,}" for value in values], padding=4, color=INK)
    ax.invert_yaxis()
    if log:
        ax.set_xscale("symlog", linthresh=1)
    ax.margins(x=0.14)
    count_axis(ax, "x", selection.shape)
    ax.tick_params(axis="y", length=0)
    ax.set_title(f"Verdicts on {sum(values):,} {selection.shape}", loc="left")
    return ax


def quality(selection: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw the number of kept rows of each quality, 0 … 31.

    Example:
        >>> bb.plots.quality(bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)).get_xlabel()
        'quality, 0 … 31'
    """
    ax = dressed(ax, height=3.6, grid="y")
    values = selection.kept().column("quality").to_numpy()
    counts = np.bincount(values, minlength=MAX_QUALITY + 1)
    ax.bar(np.arange(MAX_QUALITY + 1), counts, width=0.82, color=LINES[0])
    ax.set_xlim(-0.8, MAX_QUALITY + 0.8)
    ax.set_xticks([*range(0, MAX_QUALITY - 5, 5), MAX_QUALITY])
    count_axis(ax, "y", selection.shape)
    ax.set_title(f"Quality of {values.size:,} kept {selection.shape}", loc="left")
    ax.set_xlabel("quality, 0 … 31")
    return ax
