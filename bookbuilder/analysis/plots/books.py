"""Figure of a book file: the sizes of its clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bookbuilder.analysis.plots.axes import LINES, count_axis, dressed, legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bookbuilder.book.book import Book

__all__ = ["clusters"]

_MOST_BARS = 60
"""Maximum number of bars; if clusters are larger, several sizes share a bar."""


def clusters(book: Book, *, ax: Axes | None = None) -> Axes:
    """Draw the number of clusters of each size, next to the expected numbers for evenly spread keys.

    The axis of clusters is logarithmic, since nearly all clusters of a small book are empty.

    Example:
        >>> bb.plots.clusters(bb.Book.open("games.book")).get_title(loc="left")
        '21 records in 32,768 clusters, 0.00064 each on average'
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
    # Below 1 the axis is linear, so that it can show expected numbers below one cluster.
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(0, 2 * counts.max())
    count_axis(ax, "y", "clusters")
    count_axis(ax, "x", "records in a cluster")
    legend(ax)
    return ax
