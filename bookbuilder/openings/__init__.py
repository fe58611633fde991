"""Names of openings: a position in, the opening that it belongs to out.

`eco.tsv` (chess, ECO codes) and `ecco.tsv` (xiangqi, ECCO codes) hold lines of moves from the start position,
each with a code and a name: facts of the field, written down for this program. A line names the position that
it ends on, however a game comes to it; in xiangqi its left-right mirror too.
"""

from __future__ import annotations

from bookbuilder.openings.table import Opening, Openings, openings_of

__all__ = ["Opening", "Openings", "openings_of"]
