"""Portable game notation: a played game in, its text out.

Chess follows the export format of the PGN standard (seven tags, SAN, lines of 79 signs at most). Xiangqi
follows the form of Chinese archives: `[Game "Chinese Chess"]`, Red and Black, `[Format "ICCS"]`, moves such
as `H2-E2`.

Source: PGN standard, S. J. Edwards 1994, section 8; for xiangqi, the tags that Chinese archives carry.
"""

from __future__ import annotations

import textwrap
from typing import Final

from bookbuilder.formats.played import PlayedGame

__all__ = ["LINE_WIDTH", "format_pgn"]

LINE_WIDTH: Final = 79
"""Longest line of movetext, in characters (PGN standard, 4.3)."""


def format_pgn(played: PlayedGame) -> str:
    """Return the game as PGN, with one empty line at its end.

    Example:
        >>> game = PlayedGame(game="chess", event="Test", date="2026.01.01", number=1, first="A", second="B",
        ...                   result="1-0", moves=("e2e4",), texts=("e4",))
        >>> print(format_pgn(game).splitlines()[-1])
        1. e4 1-0
    """
    tags = [f'[{name} "{_escape(value)}"]' for name, value in _tags(played)]
    return "\n".join(
        [*tags, "", textwrap.fill(_movetext(played), LINE_WIDTH, break_on_hyphens=False), "", ""]
    )


def _tags(played: PlayedGame) -> list[tuple[str, str]]:
    shared = [("Event", played.event), ("Site", "?"), ("Date", played.date), ("Round", str(played.number))]
    if played.game == "chess":
        return [*shared, ("White", played.first), ("Black", played.second), ("Result", played.result)]
    return [
        ("Game", "Chinese Chess"),
        *shared,
        ("Red", played.first),
        ("Black", played.second),
        ("Result", played.result),
        ("Format", "ICCS"),
    ]


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _movetext(played: PlayedGame) -> str:
    words = []
    for ply, text in enumerate(played.texts):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.")
        words.append(text)
    return " ".join([*words, played.result])
