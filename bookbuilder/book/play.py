"""Play from a book of any format, or from a tally: the moves at a position with their weights.

| source | moves | weight |
|---|---|---|
| clustered book | legal moves to a record that was used | usage · (quality + 1), as in the bundled engine |
| other formats | legal moves with a weight above 0 | as stored |
| tally | moves of its games | games |

The best move is the heaviest. Of equal ones it is the most used and then the smaller code in a clustered book
or tally, and the first of the file in other formats.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bookbuilder.book.book import Book
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.columns import values
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.moves_at import codes_by_stored

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.formats.moves import MoveBook
    from bookbuilder.games.position import Game
    from bookbuilder.tally.rows import RowSource

__all__ = [
    "Choice",
    "ClusteredMoves",
    "ListedMoves",
    "MoveSource",
    "TallyMoves",
    "draw",
    "fresh",
    "open_book_moves",
]


class Choice(NamedTuple):
    """A move that a source offers.

    Attributes:
        code: the code of the move, legal at the position.
        weight: its weight, above 0.
    """

    code: int
    weight: int


class MoveSource(Protocol):
    """A book or a tally to play from."""

    @property
    def game(self) -> Game:
        """The game."""

    def choices(self, position: Position) -> Sequence[Choice]:
        """Return the moves at a position, the best first."""


class ClusteredMoves:
    """The moves of a clustered book."""

    def __init__(self, book: Book) -> None:
        """Play from an open book."""
        self._book = book

    @property
    def game(self) -> Game:
        """The game."""
        return self._book.game

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the best first."""
        probe = self._book.native.probe_position
        codes = codes_by_stored(position, fold=self._book.fold).values()
        known = [(code, record) for code in codes if (record := probe(position.play(code))) is not None]
        known.sort(key=lambda row: (-row[1].usage * (row[1].quality + 1), -row[1].usage, row[0]))
        return [
            Choice(code, record.usage * (record.quality + 1)) for code, record in known if record.usage > 0
        ]


class ListedMoves:
    """The moves of a book of another program."""

    def __init__(self, book: MoveBook) -> None:
        """Play from a book that was read."""
        import numpy as np

        self._book = book
        key = book.column("key")
        order = np.argsort(key, kind="stable")
        self._order = order
        self._key, self._move, self._weight = (
            key[order],
            book.column("move")[order],
            book.column("weight")[order],
        )
        self._lock = book.column("lock")[order]
        self._has_lock = values(book.table.column("lock").is_valid())[order]

    @property
    def game(self) -> Game:
        """The game."""
        return self._book.game

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the best first; moves that are not legal there are skipped."""
        return [Choice(code, weight) for code, _, weight in self.rows_at(position) if weight > 0]

    def rows_at(self, position: Position) -> list[tuple[int, int, int]]:
        """Return code, row in the book and weight of each legal move at a position, the heaviest first."""
        key, lock = position.stored(self._book.fold)
        begin, end = (
            int(self._key.searchsorted(self._key.dtype.type(key), side)) for side in ("left", "right")
        )
        if begin == end:
            return []
        legal = codes_by_stored(position, fold=self._book.fold)
        found = [
            (legal[move], int(self._order[row]), int(self._weight[row]))
            for row in range(begin, end)
            if (not self._has_lock[row] or int(self._lock[row]) == lock)
            and (move := int(self._move[row])) in legal
        ]
        return sorted(found, key=lambda each: -each[2])


class TallyMoves:
    """The moves of the games of a tally."""

    def __init__(self, rows: RowSource, game: Game, *, fold: bool) -> None:
        """Play from the rows of a tally; `fold` is that of its options."""
        self._rows = rows
        self._game: Game = game
        self._fold = fold

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the most played first.

        Raises:
            StoreError: a move is not legal there, so the tally is damaged.
        """
        rows = [row for row in self._rows.rows_at(*position.stored(self._fold)) if row.move and row.games]
        legal = codes_by_stored(position, fold=self._fold) if rows else {}
        for row in rows:
            if row.move not in legal:
                raise StoreError(f"tally is damaged: move code {row.move} is not legal in {position.fen}")
        rows.sort(key=lambda row: (-row.games, row.move))
        return [Choice(legal[row.move], row.games) for row in rows]


def open_book_moves(path: str | os.PathLike[str], game: Game) -> MoveSource:
    """Return the moves of a book of any format that can be read.

    Args:
        path: the file; its suffix names the format.
        game: the expected game.

    Raises:
        OptionError: the format is unknown or stores too little, or the book is of the other game.
        BookError: the file is not a sound clustered book, or is of the other game.
        FormatError: the file is damaged or of another format, or has no moves.
        OSError: it cannot be read.
    """
    path = Path(path)
    from bookbuilder.book.formats.registry import read_moves, source_format

    if source_format(path).name == "book":
        return ClusteredMoves(Book.open(path, game=game))
    book = read_moves(path)
    if book.game != game:
        raise OptionError(f"{path}: a book of {book.game}, expected one of {game}")
    return ListedMoves(book)


def fresh(choices: Sequence[Choice], position: Position, passed: Iterable[Position]) -> list[Choice]:
    """Return the moves that lead to a new position of the game, as the bundled engine plays them only.

    Args:
        choices: the moves of a book at the position.
        position: the position.
        passed: the positions of the game so far.
    """
    known = {(each.key, each.lock) for each in passed}
    after = [(choice, position.play(choice.code)) for choice in choices]
    return [choice for choice, next_ in after if (next_.key, next_.lock) not in known]


def draw(choices: Sequence[Choice], how: PickPolicy, chance: float) -> int | None:
    """Return the code of one of the moves; None if there is none.

    Args:
        choices: the moves, the best first.
        how: `best` = the first; `weighted` = in proportion to the weights; `uniform` = each equally likely.
        chance: a random number, 0 ≤ chance < 1. The same number gives the same move.

    Example:
        >>> moves = [Choice(10, 3), Choice(20, 1)]
        >>> draw(moves, "weighted", 0.7), draw(moves, "uniform", 0.7), draw(moves, "best", 0.7)
        (10, 20, 10)
    """
    if not choices:
        return None
    if how == "best":
        return choices[0].code
    weights = [1 if how == "uniform" else choice.weight for choice in choices]
    left = chance * sum(weights)
    for choice, weight in zip(choices, weights, strict=True):
        if left < weight:
            return choice.code
        left -= weight
    return choices[-1].code
