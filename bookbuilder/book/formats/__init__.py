"""The formats of books: one module for each, with `registry` as the list of them.

Every format is read into a `moves.MoveBook` and written from one. The names of statistics and scales
are here, for the command line, which waits for no reader.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

Statistic: TypeAlias = Literal["score", "games", "own"]
"""What weights are: 2 · wins + draws of the side that moved, games, or what a format stores."""
STATISTICS: Final[tuple[Statistic, ...]] = get_args(Statistic)
"""All statistics."""
Scale: TypeAlias = Literal["book", "position"]
"""How weights above the maximum of a format are scaled: over the whole book, or at each position."""

CASTLING: Final = {
    4 << 6 | 6: 4 << 6 | 7,
    4 << 6 | 2: 4 << 6,
    60 << 6 | 62: 60 << 6 | 63,
    60 << 6 | 58: 60 << 6 | 56,
}
"""Castling as a move of the king (e1g1 …), which some Polyglot books have, and as king takes rook."""
CASTLING_TEXTS: Final = ("e1g1", "e1c1", "e8g8", "e8c8")
"""Castling in UCI."""
