"""Figures of `Coverage` (games that follow a book) and `Calibration` (later results against earlier P)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bookbuilder.analysis.plots.axes import BAR, INK, LINES, dressed, legend
from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bookbuilder.analysis.calibration import Calibration
    from bookbuilder.analysis.coverage import Coverage

__all__ = ["calibration", "coverage"]


def coverage(followed: Coverage, *, ax: Axes | None = None) -> Axes:
    """Draw the share of games that leave the book at each ply, and the share of games still in it.

    Raises:
        OptionError: the frame has no games.

    Example:
        >>> bb.plots.coverage(bb.coverage(bb.Book.open("games.book"), "games.pgn")).get_title(loc="left")
        '6 games follow the book for 4.7 plies on average'
    """
    frame = followed.by_ply()
    if frame["inside"].max() == 0:
        raise OptionError("coverage of no game: expected at least one")
    ax = dressed(ax, grid="y")
    games = frame["inside"].iloc[0]
    last = int(frame["ply"][frame["inside"] > games / 1000].max()) + 1
    shown = frame[frame["ply"] <= last]
    ax.bar(shown["ply"], 100 * shown["left"] / games, width=0.82, color=BAR, label="leave the book here")
    ax.plot(
        shown["ply"],
        100 * shown["inside_share"],
        color=LINES[0],
        marker="o",
        markersize=3.6,
        label="still in the book, of games of this length",
    )
    figures = followed.figures()
    ax.set_title(
        f"{figures['games']:,} games follow the book for {figures['mean_exit_ply']:.1f} plies on average",
        loc="left",
    )
    ax.set_xlim(-0.8, max(last, 4) + 0.8)
    ax.set_ylim(0, 102)
    ax.set_xlabel("plies played")
    ax.set_ylabel("share of games, in %")
    legend(ax)
    return ax


def calibration(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw the results of later games against the P of earlier ones.

    Raises:
        OptionError: no position has later results.

    Example:
        >>> train = bb.Tally.from_archives("games.pgn", until="2003")
        >>> later = bb.Tally.from_archives("games.pgn", since="2004")
        >>> bb.plots.calibration(bb.calibrate(train, later, min_games=1)).get_title(loc="left")
        'Earlier P, later results'
    """
    bins = found.bins.dropna(subset=["p"])
    if bins.empty:
        raise OptionError("calibration: no position of the earlier games was won or lost in later ones")
    ax = dressed(ax, height=5.6)
    _draw_bins(ax, bins, found.spread)
    _draw_thresholds(ax, found.thresholds.dropna(subset=["p"]))
    ax.set_title("Earlier P, later results", loc="left")
    ax.set_xlim(-2, 102)
    ax.set_ylim(-2, 102)
    ax.set_aspect("equal")
    ax.set_xlabel("P in the earlier games, in %")
    ax.set_ylabel("P in the later games, in %")
    legend(ax, below=True)
    return ax


def _draw_bins(ax: Axes, bins: pd.DataFrame, spread: float) -> None:
    ax.plot([0, 100], [0, 100], color=INK, linewidth=1, linestyle=(0, (4, 3)), label="later as earlier")
    ax.axhline(100 * spread, color=BAR, linewidth=1.6, label="all of these positions")
    ax.errorbar(
        100 * bins["p_train"],
        100 * bins["p"],
        yerr=[100 * (bins["p"] - bins["p_low"]), 100 * (bins["p_high"] - bins["p"])],
        fmt="o",
        color=LINES[0],
        markersize=5,
        capsize=2,
        clip_on=False,
        label="positions by their earlier P",
    )


def _draw_thresholds(ax: Axes, kept: pd.DataFrame) -> None:
    ax.plot(
        100 * kept["p_train"],
        100 * kept["p"],
        color=LINES[1],
        marker="s",
        markersize=4.5,
        label="what a threshold keeps",
    )
    # There is room for the number of every other threshold.
    for threshold, before, after in kept[["threshold", "p_train", "p"]].to_numpy()[::2]:
        ax.text(100 * before, 100 * after - 4.5, f"{threshold:.2f}", color=LINES[1], fontsize=8)
