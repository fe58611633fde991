"""Positions and games on a command line: `--game`, `--fen`, `--moves`, `--book`, or one argument."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bookbuilder.errors import MoveError
from bookbuilder.games.position import START_WORD, Game, as_position

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.book import Book

__all__ = ["POSITION_HELP", "game_of", "load_book", "position_at", "position_named"]

POSITION_HELP = "A FEN, startpos, or moves such as 'e2e4 c7c5'; 'FEN moves …' for both."
"""The help text of an argument that `position_named` reads."""

_XIANGQI_RANKS = 10


def load_book(path: Path | None, game: Game | None) -> Book | None:
    """Return the clustered book at the path, or None without a path.

    Raises:
        BookError: the book is missing, damaged, of another format or version, or of another game.
    """
    from bookbuilder.book.book import Book

    return None if path is None else Book.open(path, game=game)


def game_of(named: Game | None, fen: str | None, book: Book | None) -> Game:
    """Return the game that was named, else the game of the book, else the game of the board in the FEN."""
    if named is not None:
        return named
    if book is not None:
        return book.game
    board = (fen or "").split(" ", 1)[0]
    return "xiangqi" if board.count("/") == _XIANGQI_RANKS - 1 else "chess"


def position_at(game: Game, fen: str | None, moves: str) -> Position:
    """Return the position after the moves, played from the FEN or the start position.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    position = as_position(fen or START_WORD, game)
    for ply, text in enumerate(moves.split(), start=1):
        try:
            position = position.play(position.parse_move(text))
        except MoveError as error:
            raise MoveError(f"move {ply}: {error} (position {position.fen})") from error
    return position


def position_named(game: Game, text: str) -> Position:
    """Return the position of a single argument.

    Args:
        game: the game.
        text: a FEN or `startpos`, optionally followed by the word `moves` and moves; or only moves, played
            from the start position, as coordinates or SAN.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    place, _, moves = text.partition(" moves ")
    place = place.strip()
    if place in {"", START_WORD, "moves"}:
        return position_at(game, None, moves)
    # Slashes separate the ranks of a FEN. No notation of moves has any.
    if "/" in place.split()[0]:
        return position_at(game, place, moves)
    return position_at(game, None, text.removeprefix("moves "))
