"""The options --game, --fen, --moves and --book in, the game, position and book they mean out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bookbuilder.cli.options.arguments import GameName
from bookbuilder.errors import MoveError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder import _core
    from bookbuilder.book.book import Book

__all__ = ["game_of", "load_book", "position_at"]

_XIANGQI_RANKS = 10


def load_book(path: Path | None, game: GameName | None) -> Book | None:
    """Return the clustered book at the path.

    Raises:
        BookError: it is missing, damaged, foreign, newer, or of another game than the one named.
    """
    from bookbuilder.book.book import Book

    if path is None:
        return None
    return Book.open(path, game=game)


def game_of(named: GameName | None, fen: str | None, book: Book | None) -> Game:
    """Return the game that is meant: the one named, else the book's, else that of the FEN's board."""
    if named is not None:
        return named
    if book is not None:
        return book.game
    board = (fen or "").split(" ", 1)[0]
    return "xiangqi" if board.count("/") == _XIANGQI_RANKS - 1 else "chess"


def position_at(game: Game, fen: str | None, moves: str) -> _core.Position:
    """Return the position after the moves.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    from bookbuilder.games.position import START_WORD, as_position

    position = as_position(fen or START_WORD, game)
    for ply, text in enumerate(moves.split(), start=1):
        try:
            position = position.play(position.parse_move(text))
        except MoveError as error:
            raise MoveError(f"move {ply}: {error} (position {position.fen})") from error
    return position
