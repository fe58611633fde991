"""Common parts of BOOK.DAT and OBK books: squares of a 16 × 16 board, keys, mirrored positions.

The board of 9 × 10 points lies inside 16 × 16: square = (12 - rank) · 16 + 3 + file, where rank 0 is red's
back rank and file 0 the a-file. A position and its left-right mirror are stored once, as the one with the
smaller key. Readers look for the key of a position, then for the key of its mirror.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.book.formats.levels import Found, Indices, Level, Lookup, joined, mirror_moves
from bookbuilder.book.formats.walk import Walk

__all__ = [
    "SQUARE_OF",
    "Keys",
    "Search",
    "lookup_mirrored",
    "moves_of_squares",
    "squares_of_moves",
    "stored_forms",
    "xor_words",
]

Keys: TypeAlias = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.uint8]], npt.NDArray[np.uint64]]
"""Returns the keys of positions from their boards (rows of 90 piece codes) and sides (0 red, 1 black)."""
Search: TypeAlias = Callable[[npt.NDArray[np.uint64]], Iterable[tuple[Indices, Indices]]]
"""Returns numbers of keys and the rows of the book that have them."""

_POINTS: Final = np.arange(90)
SQUARE_OF: Final[npt.NDArray[np.uint16]] = ((12 - _POINTS // 9) * 16 + 3 + _POINTS % 9).astype(np.uint16)
"""The square of each point a0, b0 … i9."""

# Places of pawn, advisor, elephant, cannon, horse, rook, general in the order K A B N R C P.
_PIECE_ORDER: Final = (6, 1, 2, 5, 3, 4, 0)
_NO_POINT: Final = 127
_POINT_OF: Final = np.full(256, _NO_POINT, dtype=np.uint16)
_POINT_OF[SQUARE_OF] = _POINTS
# Boards hashed at once: 90 words of 8 bytes each.
_PORTION: Final = 50_000


def xor_words(boards: npt.NDArray[np.uint8], words: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return for each board the XOR of the words of its pieces.

    Args:
        boards: codes of pieces, a row of 90 for each board.
        words: 14 pieces in the order K A B N R C P of red, then black, by 90 points.
    """
    by_code = np.zeros((15, 90), dtype=words.dtype)
    for kind, place in enumerate(_PIECE_ORDER):
        by_code[1 + kind], by_code[8 + kind] = words[place], words[7 + place]
    parts = [
        np.bitwise_xor.reduce(by_code[boards[start : start + _PORTION], _POINTS], axis=1)
        for start in range(0, len(boards), _PORTION)
    ]
    return np.concatenate(parts) if parts else np.empty(0, words.dtype)


def moves_of_squares(origin: npt.NDArray[Any], target: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """Return our codes of moves between squares of 16 × 16; 0, an invalid move, if one is off the board."""
    source, aim = _POINT_OF[origin], _POINT_OF[target]
    code = (source << 7 | aim).astype(np.uint16)
    return np.where((source == _NO_POINT) | (aim == _NO_POINT), np.uint16(0), code)


def squares_of_moves(code: npt.NDArray[np.uint16]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """Return origin and target of our move codes as squares of 16 × 16."""
    return SQUARE_OF[code >> 7], SQUARE_OF[code & 127]


def lookup_mirrored(keys_of: Keys, search: Search, move: npt.NDArray[np.uint16]) -> Lookup:
    """Return the lookup of a book's rows by the keys of positions and of their mirrors.

    Args:
        keys_of: returns the keys by which `search` searches.
        search: finds the rows of keys.
        move: the move code of each row.
    """

    def lookup(level: Level) -> Found:
        straight, mirror = _both_keys(level.boards(), level.side, keys_of)
        found = [Found(of, at, move[at]) for of, at in search(straight)]
        for of, at in search(mirror):
            new = (mirror != straight)[of]
            found.append(Found(of[new], at[new], mirror_moves(move[at[new]])))
        return joined(*found)

    return lookup


def stored_forms(
    reached: Walk, keys_of: Keys
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16], npt.NDArray[np.bool_]]:
    """Return how a book stores its moves that a walk has reached.

    Args:
        reached: a walk with boards.
        keys_of: returns the keys of positions.

    Returns:
        For each move of `Walk.own` the key of the stored position, the move code there, and whether that
        position is its own mirror.
    """
    own = reached.own()
    straight, mirror = _both_keys(reached.boards, reached.side, keys_of)
    code = np.where((mirror < straight)[own.before], mirror_moves(own.move), own.move)
    return np.minimum(straight, mirror)[own.before], code, (mirror == straight)[own.before]


def _both_keys(
    boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8], keys_of: Keys
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the keys of positions and of their mirrors."""
    mirrored = boards.reshape(-1, 10, 9)[:, :, ::-1].reshape(-1, 90)
    return keys_of(boards, side), keys_of(mirrored, side)
