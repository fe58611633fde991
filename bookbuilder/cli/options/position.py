"""The argument POSITION of a command line, and the game that it implies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer

from bookbuilder.games.line import split_position, steps
from bookbuilder.games.position import Game, as_position

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.open import AnyBook

_HELP = "Moves ('1.e4 c5'), a FEN, 'FEN moves ...', or startpos."
_XIANGQI_RANKS = 10

PositionArgument: TypeAlias = Annotated[str, typer.Argument(metavar="POSITION", help=_HELP)]
"""A position in one word."""

PositionWords: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="POSITION", help=_HELP, show_default="startpos")
]
"""A position in one word or several, as the last argument."""


def joined(words: list[str] | None) -> str:
    """Return the position that the words of an argument name together."""
    return " ".join(words or ())


def game_of(named: Game | None, position: str, book: AnyBook | None = None) -> Game:
    """Return the game that was named, else that of the book, else that of the board or the signs."""
    if named is not None:
        return named
    if book is not None:
        return book.game
    board = split_position(position)[0].split(" ", 1)[0]
    is_chinese = any("\u4e00" <= sign <= "\u9fff" for sign in position)
    return "xiangqi" if is_chinese or board.count("/") == _XIANGQI_RANKS - 1 else "chess"


class Line(NamedTuple):
    """A position and the moves that lead to it."""

    start: str  # a FEN or `startpos`
    moves: list[str]  # played from there, as coordinates
    position: Position  # after them


def line_at(game: Game, text: str) -> Line:
    """Return the line of an argument POSITION, in any form that `split_position` reads."""
    start, words = split_position(text)
    position, played = as_position(start, game), list[str]()
    for move, after in steps(position, words):
        played.append(move)
        position = after
    return Line(start, played, position)


def position_at(game: Game, text: str) -> Position:
    """Return the position of an argument POSITION, like `line_at`."""
    return line_at(game, text).position


def plies_before(text: str) -> int:
    """Return the ply of a position: of its FEN, plus the moves after it."""
    start, words = split_position(text)
    fields = start.split()
    number = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1
    return max(2 * (number - 1), 0) + (len(fields) > 1 and fields[1] == "b") + len(words)
