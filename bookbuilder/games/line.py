"""Lines of moves as text: PGN movetext, or moves separated by blanks or commas, in any notation.

Examples are `1.e4 e5 2.Nf3`, `e4,e5,Nf3`, `e2e4 e7e5` and `炮二平五 马8进7`. Move numbers, marks such as
`!?`, comments in braces and the result at the end are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder.errors import MoveError

if TYPE_CHECKING:
    import chess

    from bookbuilder._core import Position

START_WORD: Final = "startpos"
"""The word that UCI and UCCI use for the start position; accepted in place of a FEN."""

MoveLike: TypeAlias = "str | chess.Move"
"""A move in any notation of its game, or (for chess) a move of python-chess."""

_COMMENT: Final = re.compile(r"\{[^}]*\}|;[^\n]*")
_SEPARATOR: Final = re.compile(r"[\s,，、]+")
_NUMBER: Final = re.compile(r"^\d+(?:\.+|…)|^(?:\.+|…)")
_MARKS: Final = re.compile(r"[!?]+$|^\$\d+$")
_RESULTS: Final = frozenset(("1-0", "0-1", "1/2-1/2", "*"))


def move_words(text: str) -> list[str]:
    """Return the moves of a line as they are written.

    Example:
        >>> move_words("1.e4 e5 2. Nf3! {a comment} Nc6 1-0"), move_words("e4,e5, Nf3")
        (['e4', 'e5', 'Nf3', 'Nc6'], ['e4', 'e5', 'Nf3'])
        >>> move_words("1... c5 2.Nf3 $1"), move_words("1.C2.5 H8+7")
        (['c5', 'Nf3'], ['C2.5', 'H8+7'])
    """
    words = _SEPARATOR.split(_COMMENT.sub(" ", text).strip())
    if words and words[-1] in _RESULTS:
        words.pop()
    moves = (_MARKS.sub("", _NUMBER.sub("", word)) for word in words)
    # A number may stand apart from its move and its dot: `1 e4`.
    return [move for move in moves if move and not move.isdigit()]


def split_position(text: str) -> tuple[str, list[str]]:
    """Return the start and the moves of a position as people write it.

    Args:
        text: a FEN or `startpos`, optionally followed by the word `moves` and moves; or only moves, which are
            played from the start position.

    Example:
        >>> split_position("1.e4 c5")
        ('startpos', ['e4', 'c5'])
        >>> split_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves O-O")
        ('4k3/8/8/8/8/8/8/4K2R w K - 0 1', ['O-O'])
    """
    start, _, moves = f" {text} ".partition(" moves ")
    start = start.strip()
    first = start.split(" ", 1)[0]
    # Slashes separate the ranks of a FEN. Of moves, only a drawn game has one.
    if "/" in first and first not in _RESULTS:
        return start, move_words(moves)
    return START_WORD, move_words(f"{start.removeprefix(START_WORD)} {moves}")


def play_moves(position: Position, moves: str | Iterable[MoveLike]) -> Position:
    """Return the position after a line of moves: a text as of `move_words`, or moves one by one.

    Raises:
        MoveError: a move is not legal; the message has its number and the position.
    """
    for _, after in steps(position, moves):
        position = after
    return position


def coordinate_moves(position: Position, moves: str | Iterable[MoveLike]) -> list[str]:
    """Return a line of moves of any notation in UCI or ICCS, as `steps`."""
    return [move for move, _ in steps(position, moves)]


def steps(position: Position, moves: str | Iterable[MoveLike]) -> Iterator[tuple[str, Position]]:
    """Yield each move of a line in coordinates, with the position after it.

    Raises:
        MoveError: a move is not legal; the message has its number and the position.
    """
    words = move_words(moves) if isinstance(moves, str) else [str(move) for move in moves]
    for ply, word in enumerate(words, start=1):
        try:
            code = position.parse_move(word)
        except MoveError as error:
            raise MoveError(f"move {ply}: {error} (position {position.fen})") from error
        move, position = position.coordinates(code), position.play(code)
        yield move, position


def format_line(moves: Sequence[str], *, first_moves: bool = True, number: int = 1) -> str:
    """Return moves as one text with move numbers.

    Args:
        moves: the moves, in any notation.
        first_moves: whether the first side makes the first of them.
        number: the move number of the first of them.

    Example:
        >>> format_line(["e4", "e5", "Nf3"]), format_line(["e5", "Nf3"], first_moves=False)
        ('1. e4 e5 2. Nf3', '1… e5 2. Nf3')
    """
    words = []
    for index, move in enumerate(moves, start=0 if first_moves else 1):
        if index % 2 == 0:
            words.append(f"{number + index // 2}.")
        elif not words:
            words.append(f"{number}…")
        words.append(move)
    return " ".join(words)
