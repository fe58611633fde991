"""Books that are read like `chess.polyglot.MemoryMappedReader`, with boards and moves of python-chess.

A program that reads Polyglot books with python-chess can read books of chess by changing the call that opens
them.
"""

from __future__ import annotations

import random as randomness
from abc import abstractmethod
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Self

from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, PositionLike, as_position

if TYPE_CHECKING:
    import random as random_module

    import chess
    from chess.polyglot import Entry

    from bookbuilder._core import Position

__all__ = ["EntryReader"]


class EntryReader:
    """A book whose moves can be read as entries of python-chess. A base class of books.

    Each method does what the method of that name of `chess.polyglot.MemoryMappedReader` does. The heaviest
    entry comes first; `learn` is 0.

    Example:
        >>> import chess, random
        >>> with bb.Book.open("games.book") as book:
        ...     entry = book.find(chess.Board())
        ...     drawn = book.weighted_choice(chess.Board(), random=random.Random(1))
        >>> entry.move, entry.weight
        (Move.from_uci('e2e4'), 128)
    """

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game.

        Example:
            >>> bb.open_book("games.bin").game
            'chess'
        """

    @abstractmethod
    def weighted_moves(self, position: Position) -> Sequence[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first.

        Example:
            >>> book, start = bb.open_book("games.bin"), bb.as_position("startpos", "chess")
            >>> [(start.san(code), weight) for code, weight in book.weighted_moves(start)]
            [('e4', 5), ('Nf3', 2), ('d4', 1)]
        """

    def __enter__(self) -> Self:
        """Return the book."""
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: the file is closed with the last reference to the book."""

    def find_all(
        self,
        board: PositionLike,
        *,
        minimum_weight: int = 1,
        exclude_moves: Container[chess.Move] = (),
    ) -> Iterator[Entry]:
        """Yield the entries of a position, the heaviest first.

        Args:
            board: a `chess.Board`, or a position in any other form.
            minimum_weight: minimum weight of an entry.
            exclude_moves: moves to skip.

        Raises:
            FenError: the text is not a position of chess.
            OptionError: the book is one of xiangqi, which python-chess does not have.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> [str(entry.move) for entry in book.find_all(bb.as_board("1.e4"))]
            ['e7e5', 'e7e6', 'c7c5']
        """
        if self.game != "chess":
            raise OptionError(f"a book of {self.game} has no entries of python-chess: use moves or move_rows")
        from chess import Move
        from chess.polyglot import Entry

        here = as_position(board, "chess")
        for code, weight in self.weighted_moves(here):
            move = Move.from_uci(here.coordinates(code))
            if weight >= minimum_weight and move not in exclude_moves:
                yield Entry(here.key, code, weight, 0, move)

    def find(
        self,
        board: PositionLike,
        *,
        minimum_weight: int = 1,
        exclude_moves: Container[chess.Move] = (),
    ) -> Entry:
        """Return the heaviest entry of a position. The arguments are as in `find_all`.

        Raises:
            IndexError: there is none.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.find(bb.as_board("1.e4")).move
            Move.from_uci('e7e5')
        """
        for entry in self.find_all(board, minimum_weight=minimum_weight, exclude_moves=exclude_moves):
            return entry
        raise IndexError("the book has no such move at the position")

    def get(
        self,
        board: PositionLike,
        default: Entry | None = None,
        *,
        minimum_weight: int = 1,
        exclude_moves: Container[chess.Move] = (),
    ) -> Entry | None:
        """Return the heaviest entry of a position, or `default`. Other arguments are as in `find_all`.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.get(bb.as_board("1.a4")) is None
            True
        """
        found = self.find_all(board, minimum_weight=minimum_weight, exclude_moves=exclude_moves)
        return next(found, default)

    def choice(
        self,
        board: PositionLike,
        *,
        minimum_weight: int = 1,
        exclude_moves: Container[chess.Move] = (),
        random: random_module.Random | None = None,
    ) -> Entry:
        """Return an entry at random, each equally likely.

        Args:
            board: as of `find_all`.
            minimum_weight: likewise.
            exclude_moves: likewise.
            random: the source of random numbers; None = that of the module `random`.

        Raises:
            IndexError: there is none.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> str(book.choice(bb.as_board("1.d4")).move)
            'd7d5'
        """
        found = list(self.find_all(board, minimum_weight=minimum_weight, exclude_moves=exclude_moves))
        if not found:
            raise IndexError("the book has no such move at the position")
        return found[(random or randomness).randrange(len(found))]

    def weighted_choice(
        self,
        board: PositionLike,
        *,
        exclude_moves: Container[chess.Move] = (),
        random: random_module.Random | None = None,
    ) -> Entry:
        """Return an entry at random, in proportion to the weights. The arguments are as in `choice`.

        Raises:
            IndexError: there is none.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> import random
            >>> str(book.weighted_choice(bb.as_board("1.d4"), random=random.Random(1)).move)
            'd7d5'
        """
        found = list(self.find_all(board, exclude_moves=exclude_moves))
        if not found:
            raise IndexError("the book has no such move at the position")
        # The same random number gives the same entry as in python-chess.
        left = (random or randomness).randint(0, sum(entry.weight for entry in found) - 1)
        for entry in found:
            left -= entry.weight
            if left < 0:
                return entry
        raise AssertionError("the number is below the sum of the weights")
