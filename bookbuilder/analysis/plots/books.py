"""Book files as figures: how records lie in clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bookbuilder.analysis.plots.axes import LINES, count_axis, dressed, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bookbuilder.book.book import Book

__all__ = ["clusters"]

_MOST_BARS = 60
"""Of large clusters several sizes share a bar, so that there are at most so many."""


def clusters(book: Book, *, ax: Axes | None = None) -> Axes:
    """Draw how many clusters of a book hold how many records, beside what keys that spread evenly give.

    The clusters have a logarithmic axis: of a small book nearly all are empty.

    Args:
        book: the book.
        ax: where to draw; None = a new figure.

    Returns:
        The Axes.
    """
    ax = dressed(ax, height=3.8, grid="y")
    sizes = book.cluster_sizes()
    mean = sizes.mean()
    counts = np.bincount(sizes)
    width = -(-counts.size // _MOST_BARS)
    starts = np.arange(0, counts.size, width)
    middles = starts + (width - 1) / 2
    ax.bar(middles, np.add.reduceat(counts, starts), width=0.82 * width, color=LINES[0], label="this book")
    # Poisson: P(n + 1) = P(n) · mean / (n + 1); logarithms, since e^-mean may be 0 in floating point.
    numbers = np.arange(counts.size)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, counts.size)))])
    chance = np.exp(numbers * np.log(max(mean, 1e-12)) - mean - factorials)
    even = np.add.reduceat(sizes.size * chance, starts)
    ax.plot(middles, even, color=LINES[1], marker="o", markersize=4, label="keys spread evenly")
    ax.set_title(f"{len(book):,} records in {sizes.size:,} clusters, {mean:.2g} each on average", loc="left")
    # Below 1 the axis is linear, so that what chance expects of less than one cluster stays in the picture.
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(0, 2 * counts.max())
    count_axis(ax, "y", "clusters")
    count_axis(ax, "x", "records in a cluster")
    legend(ax)
    return ax
