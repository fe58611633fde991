"""Books of the players of a match: the match plays their moves itself, so any engine can have one.

A book move takes no time, and the engine is not asked. Moves are drawn by random numbers that depend on the
seed, the pair of games, the side and the ply. So equal books lead both games of a pair into the same line.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookbuilder import _core
from bookbuilder._core import Position, Referee
from bookbuilder.book.open import open_book
from bookbuilder.book.play import MoveSource, PickPolicy, draw, fresh
from bookbuilder.games.position import Game

__all__ = ["BookHand", "MatchBooks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBooks:
    """The books of a match.

    Attributes:
        paths: the book of the first player and of the second, in any format; None: no book.
        pick: how book moves are chosen.
        plies: a book is used up to this ply of a game; None: as long as it has moves.
    """

    paths: tuple[Path | None, Path | None] = (None, None)
    pick: PickPolicy = "weighted"
    plies: int | None = None

    @property
    def are_used(self) -> bool:
        """Whether a player has a book."""
        return self.paths != (None, None)

    def identity(self) -> dict[str, Any]:
        """Return what must be equal before a journal can be resumed; files are compared by digest.

        Raises:
            OSError: a book cannot be read.
        """
        digests = [None if path is None else _core.file_digest(str(path))[1] for path in self.paths]
        return {"blake3": digests, "pick": self.pick, "plies": self.plies}

    def open(self, game: Game) -> tuple[MoveSource | None, MoveSource | None]:
        """Return the moves of both books.

        Raises:
            OptionError: a format is unknown or stores too little, or a book is of the other game.
            BookError: a clustered book is damaged or of the other game.
            FormatError: another book is damaged.
            OSError: a book cannot be read.
        """
        first, second = (None if path is None else open_book(path, game=game) for path in self.paths)
        return first, second


@dataclass(frozen=True, slots=True)
class BookHand:
    """Plays a book in one game.

    Attributes:
        source: the book.
        books: how it is used.
        seed: seed of the random choices in this game.
    """

    source: MoveSource
    books: MatchBooks
    seed: str

    def move(self, referee: Referee) -> int | None:
        """Return the code of the book's move in a game; None if the engine must be asked."""
        ply = len(referee)
        if self.books.plies is not None and ply >= self.books.plies:
            return None
        choices = self.source.choices(referee.position)
        if not choices:
            return None
        choices = fresh(choices, referee.position, _passed(referee))
        return draw(choices, self.books.pick, random.Random(f"{self.seed} {ply}").random())


def _passed(referee: Referee) -> list[Position]:
    """Return the positions of a game."""
    passed = [Position(referee.game, referee.fen)]
    for move in referee.moves():
        passed.append(passed[-1].play(passed[-1].parse_move(move)))
    return passed
