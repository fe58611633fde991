"""Figures of threshold curves."""

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


_NAMES: Final = {"p": "threshold", "margin": "margin"}
_SHORT: Final = {"p": "P", "margin": "margin"}
_AXES: Final = {
    "p": "threshold P = wins / (wins + losses) of the side that moved, in %",
    "margin": "margin below the P of the position, in %",
}


def threshold(
    curve: pd.DataFrame, *, ax: Axes | None = None, log: bool = False, chosen: Share | None = None
) -> Axes:
    """Draw the positions kept against the threshold P or the margin, one line for each minimum count.

    `curve` is a result of `threshold_curve` or `margin_curve`; `chosen` is a threshold to mark.

    Raises:
        OptionError: the curve is empty.

    Example:
        >>> curve = bb.threshold_curve(bb.Tally.from_archives("games.pgn"))
        >>> bb.plots.threshold(curve, chosen="55%").get_ylabel()
        'positions kept'
    """
    ax = _curves(curve, "positions", ax, chosen, smallest=1 if log else None)
    ax.set_title(f"Positions kept as the {_NAMES[curve.columns[0]]} rises", loc="left")
    count_axis(ax, "y", f"positions kept{_LOGARITHMIC * log}")
    # Lines of margins end at their top, where the legend needs room.
    room = 1.3 if curve.columns[0] == "margin" and not log else 1.0
    ax.set_ylim(0, max(1e-9, room * ax.get_ylim()[1]))
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
    ax, axis = dressed(ax), curve.columns[0]
    # Beyond 30 %, a margin drops next to nothing.
    end = 100 if axis == "p" else 30
    curve = curve[curve[axis] <= end / 100]
    for index, (least, points) in enumerate(curve.groupby("min_games", sort=False)):
        ax.plot(
            100 * points[axis],
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
        ax.axvline(
            percent,
            color=INK,
            linewidth=1,
            linestyle=dashes,
            zorder=2,
            label=f"{_SHORT[axis]} = {percent:g} %",
        )
    ax.set_xlim(0, end)
    ax.set_xticks(range(0, end + 1, end // 10))
    ax.set_xlabel(_AXES[axis])
    if smallest is not None:
        ax.set_yscale("symlog", linthresh=smallest)
    legend(ax)
    return ax
