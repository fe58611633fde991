"""Positions and games on a command line: `--game`, `--fen`, `--moves`, `--book`, or one argument."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bookbuilder.errors import MoveError
from bookbuilder.games.line import move_words, split_position
from bookbuilder.games.position import START_WORD, Game, as_position

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.open import AnyBook

__all__ = ["POSITION_HELP", "Line", "game_of", "line_at", "load_book", "position_at", "position_named"]

POSITION_HELP = "A position is moves ('1.e4 c5'), a FEN, startpos, or 'FEN moves ...'."
"""The help text of an argument that `position_named` reads."""

_XIANGQI_RANKS = 10


def load_book(path: Path | None, game: Game | None) -> AnyBook | None:
    """Return the book of any format at the path, or None without a path.

    Raises:
        BookError: the book is missing, damaged, of another version, or of another game.
        FormatError: the file is damaged or is not a book.
    """
    from bookbuilder.book.open import open_book

    return None if path is None else open_book(path, game=game)


def game_of(named: Game | None, fen: str | None, book: AnyBook | None) -> Game:
    """Return the game that was named, else the game of the book, else the game of the board in the FEN."""
    if named is not None:
        return named
    if book is not None:
        return book.game
    board = split_position(fen or START_WORD)[0].split(" ", 1)[0]
    return "xiangqi" if board.count("/") == _XIANGQI_RANKS - 1 else "chess"


class Line(NamedTuple):
    """A position and the moves that lead to it.

    Attributes:
        start: a FEN or `startpos`.
        moves: the moves played from there, as coordinates.
        position: the position after them.
    """

    start: str
    moves: list[str]
    position: Position


def line_at(game: Game, fen: str | None, moves: str) -> Line:
    """Return the line of the options --fen and --moves.

    Args:
        game: the game.
        fen: a position in any form that `split_position` reads; None for the start position.
        moves: moves played from there, as `move_words` reads them.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    start, words = split_position(fen or START_WORD)
    position, played = as_position(start, game), []
    for ply, text in enumerate([*words, *move_words(moves)], start=1):
        try:
            move = position.parse_move(text)
        except MoveError as error:
            raise MoveError(f"move {ply}: {error} (position {position.fen})") from error
        played.append(position.coordinates(move))
        position = position.play(move)
    return Line(start, played, position)


def position_at(game: Game, fen: str | None, moves: str) -> Position:
    """Return the position of the options --fen and --moves, like `line_at`."""
    return line_at(game, fen, moves).position


def position_named(game: Game, text: str) -> Position:
    """Return the position of a single argument, in any form that `split_position` reads.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    return position_at(game, text, "")
