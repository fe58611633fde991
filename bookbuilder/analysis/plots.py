"""Plots of frames, selections, books and tallies.

Each function draws on the matplotlib Axes `ax`, or on a new figure, and returns the Axes. `log` makes the
axis of values logarithmic. matplotlib (extra `notebook`) is imported when a plot is drawn.

| plot | draws | on the command line |
|---|---|---|
| `threshold`, `usage` | positions kept, and share of visits known, against P | `threshold --plot` |
| `reasons` | verdicts of a selection | |
| `results` | results by ply | |
| `clusters` | records in the clusters of a book | |
| `coverage` | plies at which games leave a book | `coverage --plot` |
| `losses`, `exits` | what book moves lose, and what exits are worth, by an engine | `book check --plot` |
| `calibration` | earlier P against later results | `calibrate --plot` |
| `endgame` | positions of a table by distance | `endgame stats --plot` |

Lines also differ by marker and lightness, so that a figure can be read in grey. The title says what it
counts.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from bookbuilder.analysis.axes import (
    BAR,
    INK,
    LINES,
    MARKERS,
    PALE,
    RESULTS,
    count_axis,
    dressed,
    legend,
    share_axis,
)
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES
from bookbuilder.ratios import Share, as_fraction
from bookbuilder.selection.select import Selection
from bookbuilder.tally.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pandas as pd
    from matplotlib.axes import Axes

    from bookbuilder.analysis.calibration import Calibration
    from bookbuilder.analysis.coverage import Coverage
    from bookbuilder.book.book import Book

__all__ = [
    "calibration",
    "clusters",
    "coverage",
    "endgame",
    "exits",
    "losses",
    "reasons",
    "results",
    "threshold",
    "usage",
]


_LOGARITHMIC: Final = " (logarithmic)"
_DASHES: Final = (0, (4, 3))
"""Limits and means."""


def threshold(
    curve: pd.DataFrame, *, ax: Axes | None = None, log: bool = False, chosen: Share | None = None
) -> Axes:
    """Draw the positions kept against the threshold P, one line for each minimum count.

    `curve` is a result of `threshold_curve`; `chosen` is a threshold to mark.

    Raises:
        OptionError: the curve is empty.

    Example:
        >>> curve = bb.threshold_curve(bb.Tally.from_archives("games.pgn"))
        >>> bb.plots.threshold(curve, chosen="55%").get_ylabel()
        'positions kept'
    """
    ax = _curves(curve, "positions", ax, chosen, smallest=1 if log else None)
    ax.set_title("Positions kept as the threshold rises", loc="left")
    count_axis(ax, "y", f"positions kept{_LOGARITHMIC * log}")
    ax.set_ylim(0, max(1e-9, ax.get_ylim()[1]))
    return ax


def usage(
    curve: pd.DataFrame, *, ax: Axes | None = None, log: bool = False, chosen: Share | None = None
) -> Axes:
    """Draw the share of visits to kept positions against the threshold P, like `threshold`.

    Example:
        >>> bb.plots.usage(bb.threshold_curve(bb.Tally.from_archives("games.pgn"))).get_ylabel()
        'share of visits'
    """
    ax = _curves(curve, "usage_share", ax, chosen, smallest=0.001 if log else None)
    ax.set_title("Share of all visits of games to positions that the book knows", loc="left")
    share_axis(ax, f"share of visits{_LOGARITHMIC * log}")
    return ax


def _curves(
    curve: pd.DataFrame, column: str, ax: Axes | None, chosen: Share | None, *, smallest: float | None
) -> Axes:
    """Draw the lines; an axis with a smallest value is logarithmic from there on, but can show 0."""
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
        ax.axvline(percent, color=INK, linewidth=1, linestyle=_DASHES, zorder=2, label=f"P = {percent:g} %")
    ax.set(xlim=(0, 100), xticks=range(0, 101, 10))
    ax.set_xlabel("threshold P = wins / (wins + losses) of the side that moved, in %")
    if smallest is not None:
        ax.set_yscale("symlog", linthresh=smallest)
    legend(ax)
    return ax


def reasons(selection: Selection, *, ax: Axes | None = None, log: bool = False) -> Axes:
    """Draw the number of kept rows, and of rows that each rule dropped.

    Example:
        >>> bb.plots.reasons(bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)).get_xlabel()
        'positions'
    """
    ax = dressed(ax, height=3.2, grid="x")
    counts = selection.reasons()
    names, values = [name or "kept" for name in counts], list(counts.values())
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

    plies, result = (tally.games.column(name).to_numpy() for name in ("plies", "result"))
    length = plies.max(initial=0) + 1
    ended = np.array([np.bincount(plies[result == code], minlength=length) for code in (1, 2, 3)])
    # For each result, the games that last at least 0, 1 … plies.
    lasting = np.cumsum(ended[:, ::-1], axis=1)[:, ::-1]
    games = lasting.sum(axis=0)
    if not games[0]:
        raise OptionError("results by ply: expected at least one game with a result")
    last = int(np.flatnonzero(games >= min(_FEWEST, games[0]))[-1])
    lasting, games = lasting[:, : last + 1], games[: last + 1]
    ax = dressed(ax, grid="y")
    ax.stackplot(
        np.arange(last + 1),
        100 * lasting / games,
        labels=("first side wins", "draw", "second side wins"),
        colors=RESULTS,
        linewidth=0,
        step="mid",
    )
    ax.plot(
        np.arange(last + 1),
        100 * games / games[0],
        color=LINES[1],
        linewidth=2.2,
        label="share of all games",
        path_effects=[withStroke(linewidth=5, foreground="white")],
    )
    ax.set_title(f"Results of {games[0]:,} games, by the plies that they last", loc="left")
    ax.set(xlim=(0, max(last, 1)), ylim=(0, 100))
    ax.set(xlabel="minimum number of counted plies", ylabel="share of games, in %")
    legend(ax, loc="lower left")
    return ax


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
    ax.set(xlim=(-0.8, max(last, 4) + 0.8), ylim=(0, 102))
    ax.set(xlabel="plies played", ylabel="share of games, in %")
    legend(ax)
    return ax


def calibration(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Draw the gain in later games for each value of a rule; for a prior, its distance to the best.

    Raises:
        OptionError: no kept move was played in a later game.

    Example:
        >>> found = bb.calibrate(bb.observations("games.pgn"), "min_games", split=2004, grid=[1, 2])
        >>> bb.plots.calibration(found).get_title(loc="left")
        'What the values of min_games gain in later games'
    """
    name, sign = ("behind", -1) if found.axis == "prior" else ("gain", 1)
    points = found.points.dropna(subset=[name])
    if points.empty:
        raise OptionError("calibration: no position of the earlier games was won or lost in later ones")
    ax = dressed(ax)
    low, high = (100 * abs(points[f"{name}_{end}"] - points[name]) for end in ("low", "high"))
    words = ["off" if value != value else f"{value:,.10g}" for value in points["value"]]
    ax.errorbar(
        words, 100 * sign * points[name], yerr=[low, high], fmt="o-", color=LINES[0], markersize=5, capsize=3
    )
    ax.axhline(0, color=BAR, linewidth=1.2)
    ax.set_title(f"What the values of {found.axis} gain in later games", loc="left")
    what = "log-likelihood less the best, × 100" if sign < 0 else "gain of P in later games, in points"
    ax.set(xlabel=found.axis, ylabel=what)
    return ax


_STEP: Final = 20
"""Width of a bar of exits, in centipawns."""
_FARTHEST: Final = 200
"""Exits that are worth more, or less than minus this, share the last bar of their side."""


def losses(moves: pd.DataFrame, *, max_loss_cp: int = 100, ax: Axes | None = None) -> Axes:
    """Draw the share of book moves that lose more than a number of centipawns, for each owner.

    Moves count by their visits. The axis of shares is logarithmic, since blunders are rare. Each marker is a
    move, and the height of the line at the limit is the share of blunders.

    Args:
        moves: the frame of `BookCheck.moves`, or another with the columns owner, loss_cp (centipawns) and
            visits (any unit).
        max_loss_cp: the limit to mark, in centipawns.
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
    end = 1.2 * max(float(moves["loss_cp"].max()), max_loss_cp)
    smallest = 100.0
    for owner, rows in moves.groupby("owner", sort=False):
        loss, visits = rows["loss_cp"].to_numpy(float), rows["visits"].to_numpy(float)
        order = np.argsort(loss, kind="stable")
        loss, share = loss[order], 100 * visits[order] / visits.sum()
        # The share of the moves that lose at least as much as each move in order; after the last one it is 0.
        above = np.cumsum(share[::-1])[::-1]
        smallest = min(smallest, float(above.min()))
        colour, marker = LINES[owner == "black"], MARKERS[owner == "black"]
        ax.step(
            np.concatenate([[0.0], loss, [end]]),
            np.concatenate([[100.0], above[1:], [0.0, 0.0]]),
            where="post",
            color=colour,
            linewidth=1.8,
            label=f"{str(owner).capitalize()}, {loss @ share / 100:.1f} cp a move",
            zorder=3,
        )
        ax.plot(loss[loss > 0], above[loss > 0], marker, color=colour, markersize=4, zorder=3)
    label = f"blunders lose more than {max_loss_cp} cp"
    ax.axvspan(max_loss_cp, end, color=PALE, alpha=0.45, linewidth=0, zorder=0)
    ax.axvline(max_loss_cp, color=INK, linewidth=1, linestyle=_DASHES, zorder=2, label=label)
    # A tick at each power of ten down to the smallest share.
    lowest = min(int(np.floor(np.log10(max(smallest, 1e-6)))), 0)
    shares = [10.0**power for power in range(lowest, 3)]
    ax.set_yscale("log")
    ax.set_ylim(0.8 * shares[0], 130)
    ax.set_yticks(shares, [f"{share:g} %" for share in shares])
    ax.minorticks_off()
    ax.set_ylabel("share of moves that lose more")
    ax.set_xlim(0, end)
    count_axis(ax, "x", "loss, in centipawns")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    ax.set_title(f"What {len(moves):,} book moves lose, by their visits", loc="left")
    legend(ax)
    return ax


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
        mean, colour = float(value @ reach / reach.sum()), LINES[owner == "black"]
        middles = edges[:-1] + _STEP / 2 + (number - (len(owners) - 1) / 2) * width
        name = f"{owner.capitalize()}, mean {_signed(mean)}"
        ax.bar(middles, height, width, color=colour, label=name, zorder=3)
        outline = [withStroke(linewidth=3.5, foreground="white")]
        ax.axvline(mean, color=colour, linewidth=1.6, linestyle=_DASHES, path_effects=outline, zorder=4)
    ax.axvline(0, color=INK, linewidth=1, zorder=2)
    ax.set_xlim(edges[0], edges[-1])
    ticks = range(-end, end + 1, 50)
    # The last bars hold what is beyond them.
    beyond = {-_FARTHEST: "≤ ", _FARTHEST: "≥ "}
    ax.set_xticks(ticks, [beyond.get(tick, "") + _signed(tick) for tick in ticks])
    ax.set(xlabel="value for the owner of the book, in centipawns", ylabel="share of games, in %")
    ax.set_title(f"What {len(known):,} exits of the book are worth", loc="left")
    legend(ax)
    return ax


def _signed(value: float) -> str:
    """Return a whole number with its sign."""
    return "0" if abs(value) < 0.5 else f"{value:+.0f}".replace("-", "−")


_DISTANCES: Final = {
    "dtm": "plies to mate",
    "dtc": "plies to a capture, promotion or mate",
    "dtz": "plies to a capture, pawn move or mate",
}


def endgame(counted: Mapping[str, Any], *, ax: Axes | None = None) -> Axes:
    """Draw the number of won and lost positions of an endgame table by distance, for each side to move.

    Raises:
        OptionError: the metric of the table is wld.

    Example:
        >>> bb.plots.endgame(bb.table_stats("tables", "KRvK")).get_title(loc="left")
        'KRvK: legal positions by plies to mate'
    """
    if counted["metric"] == "wld":
        raise OptionError(f"{counted['material']}: a table of wld has no distances to draw")
    ax = dressed(ax)
    kinds = product(SIDES, ("wins", "losses"))
    for (side, what), marker, colour in zip(kinds, MARKERS, LINES, strict=False):
        if histogram := counted["sides"][side][what]:
            ax.plot(
                list(histogram),
                list(histogram.values()),
                f"{marker}-",
                color=colour,
                label=f"{side} to move, {what}",
                markersize=4,
            )
    ax.set_title(f"{counted['material']}: legal positions by {_DISTANCES[counted['metric']]}", loc="left")
    ax.set_ylim(bottom=0)
    count_axis(ax, "y", "positions")
    count_axis(ax, "x", _DISTANCES[counted["metric"]])
    legend(ax)
    return ax
