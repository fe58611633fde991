"""A book of another format as a source of the explorer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuilder.book.open import ListedBook
from bookbuilder.games.position import Game

__all__ = ["ListedSource"]


@dataclass(slots=True)
class ListedSource:
    """A book of another format that is open: Polyglot, Arena, BOOK.DAT, OBK or a listing.

    Attributes:
        id: its name in requests.
        path: the file.
        book: the book.
    """

    id: str
    path: Path
    book: ListedBook
    stamp: tuple[int, ...]

    @property
    def game(self) -> Game:
        """The game."""
        return self.book.game

    @property
    def fold(self) -> bool:
        """Whether left-right mirrors are one position."""
        return self.book.fold

    @property
    def max_ply(self) -> int | None:
        """None: these formats store no limit of plies."""
        return None

    def facts(self) -> dict[str, Any]:
        """Return its entry in `/sources`."""
        return {
            "kind": "book",
            "format": self.book.format,
            "lacks": list(self.book.lacks),
            "rows": None,
            "records": len(self.book),
            "games": None,
            "max_ply": None,
            "newest_year": None,
            "archives": [],
            "recipe": None,
        }
