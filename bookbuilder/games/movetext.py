"""Moves as people write them: with blanks or commas between them, with move numbers, comments and marks."""

from __future__ import annotations

import re
from typing import Final

from bookbuilder.games.position import START_WORD

__all__ = ["move_words", "split_position"]

_SKIPPED: Final = re.compile(r"\{[^}]*\}|\$\d+|;[^\n]*")
_NUMBER: Final = re.compile(r"^\d+[.。…]+")
_RESULTS: Final = frozenset({"1-0", "0-1", "1/2-1/2", "½-½", "*", ""})
_BEFORE_MOVES: Final = " moves "


def move_words(text: str) -> list[str]:
    """Return the moves of a text, each in the notation in which it is written.

    Args:
        text: moves with blanks or commas between them. Move numbers, comments, marks such as `!?` and a
            result are ignored.

    Example:
        >>> move_words("1.e4 e5 2. Nf3! {the usual move} Nc6 *"), move_words("e2e4,e7e5")
        (['e4', 'e5', 'Nf3', 'Nc6'], ['e2e4', 'e7e5'])
        >>> move_words("1. C2.5 H8+7")
        ['C2.5', 'H8+7']
    """
    words = re.split(r"[\s,]+", _SKIPPED.sub(" ", text))
    moves = (_NUMBER.sub("", word).rstrip("!?") for word in words)
    return [word for word in moves if word not in _RESULTS]


def split_position(text: str) -> tuple[str, list[str]]:
    """Return the start and the moves of a position in any form.

    Args:
        text: a FEN or `startpos`, optionally followed by the word `moves` and moves; or only moves, which are
            played from the start position.

    Returns:
        The FEN or `startpos`, and the moves.

    Example:
        >>> split_position("1.e4 c5")
        ('startpos', ['e4', 'c5'])
        >>> split_position("4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves O-O")
        ('4k3/8/8/8/8/8/8/4K2R w K - 0 1', ['O-O'])
    """
    start, _, moves = f" {text} ".partition(_BEFORE_MOVES)
    start = start.strip()
    first = start.split(" ", 1)[0]
    # Slashes separate the ranks of a FEN.
    is_fen = "/" in first and first not in _RESULTS
    if is_fen or start in ("", START_WORD):
        return start if is_fen else START_WORD, move_words(moves)
    if start.startswith(f"{START_WORD} "):
        start = start.removeprefix(START_WORD)
    return START_WORD, move_words(f"{start} {moves}")
