"""Plots: the frames of this package as figures.

In comes a frame, a selection, a book or a tally; out comes a matplotlib Axes, drawn on the one given or on a
new figure. matplotlib (extra `notebook`) is imported when a plot is made.

| plot | draws | on the command line |
|---|---|---|
| `threshold`, `usage` | positions kept, and share of visits known, against P | `threshold --plot` |
| `reasons`, `quality` | verdicts of a selection; quality of what it keeps | `build --plot` |
| `results` | results by ply | `tally info --plot` |
| `clusters` | records in the clusters of a book | `book info --plot` |
| `coverage` | plies at which games leave a book | `coverage --plot` |
| `calibration` | earlier P against later results | `calibrate --plot` |
| `endgame` | positions of a table by distance | `endgame stats --plot` |

Lines differ by marker and lightness too, so that a figure can be read in grey; a title says what is counted.
"""

from __future__ import annotations

from bookbuilder.analysis.plots.books import clusters
from bookbuilder.analysis.plots.curves import threshold, usage
from bookbuilder.analysis.plots.followed import calibration, coverage
from bookbuilder.analysis.plots.games import results
from bookbuilder.analysis.plots.tables import endgame
from bookbuilder.analysis.plots.verdicts import quality, reasons

__all__ = [
    "calibration",
    "clusters",
    "coverage",
    "endgame",
    "quality",
    "reasons",
    "results",
    "threshold",
    "usage",
]
