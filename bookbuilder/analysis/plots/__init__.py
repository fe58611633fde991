"""Plots of frames, selections, books and tallies.

Each function draws on the matplotlib Axes `ax`, or on a new figure, and returns the Axes. `log` makes the
axis of values logarithmic. matplotlib (extra `notebook`) is imported when a plot is drawn.

| plot | draws | on the command line |
|---|---|---|
| `threshold`, `usage` | positions kept, and share of visits known, against P | `threshold --plot` |
| `reasons`, `quality` | verdicts of a selection; quality of what it keeps | |
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

from bookbuilder.analysis.plots.books import clusters
from bookbuilder.analysis.plots.checked import exits, losses
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
    "exits",
    "losses",
    "quality",
    "reasons",
    "results",
    "threshold",
    "usage",
]
