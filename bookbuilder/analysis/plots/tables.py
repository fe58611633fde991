"""Figure of an endgame table: its positions by their distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bookbuilder.analysis.plots.axes import LINES, MARKERS, count_axis, dressed, legend
from bookbuilder.errors import OptionError
from bookbuilder.games.position import SIDES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from matplotlib.axes import Axes

__all__ = ["endgame"]

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
        >>> bb.build_tables(["KRvK"], "tables")
        >>> bb.plots.endgame(bb.table_stats("tables", "KRvK")).get_title(loc="left")
        'KRvK: legal positions by plies to mate'
    """
    if counted["metric"] == "wld":
        raise OptionError(f"{counted['material']}: a table of wld has no distances to draw")
    ax = dressed(ax)
    number = 0
    for side in SIDES:
        for what in ("wins", "losses"):
            histogram = counted["sides"][side][what]
            if histogram:
                plies, positions = list(histogram), list(histogram.values())
                ax.plot(
                    plies,
                    positions,
                    MARKERS[number] + "-",
                    color=LINES[number],
                    label=f"{side} to move, {what}",
                    markersize=4,
                )
            number += 1
    ax.set_title(f"{counted['material']}: legal positions by {_DISTANCES[counted['metric']]}", loc="left")
    ax.set_ylim(bottom=0)
    count_axis(ax, "y", "positions")
    count_axis(ax, "x", _DISTANCES[counted["metric"]])
    legend(ax)
    return ax
