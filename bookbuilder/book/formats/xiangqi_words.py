"""What foreign xiangqi books share: squares of a 16 × 16 board, mirrored boards, keys from tables of words.

Boards come as rows of 90 codes as `_core.Positions.boards` tells them; keys go out as columns. The board lies
inside 16 × 16: square = (12 - rank) · 16 + 3 + file, rank 0 red's back rank, file 0 the a-file.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["PIECE_ORDER", "SQUARE_OF", "mirrored_boards", "moves_of_squares", "squares_of_moves", "xor_words"]

_POINTS: Final = np.arange(90)
SQUARE_OF: Final[npt.NDArray[np.uint16]] = ((12 - _POINTS // 9) * 16 + 3 + _POINTS % 9).astype(np.uint16)
"""The square of each point a0, b0 … i9."""
PIECE_ORDER: Final = (6, 1, 2, 5, 3, 4, 0)
"""Place of pawn, advisor, elephant, cannon, horse, rook, general in the order K A B N R C P."""

_NO_POINT: Final = 127
_POINT_OF: Final = np.full(256, _NO_POINT, dtype=np.uint16)
_POINT_OF[SQUARE_OF] = _POINTS
# Boards hashed at once: 90 words of 8 bytes each.
_PORTION: Final = 50_000


def mirrored_boards(boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return boards as a left-right mirror shows them."""
    return boards.reshape(-1, 10, 9)[:, :, ::-1].reshape(-1, 90)


def xor_words(boards: npt.NDArray[np.uint8], words: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return for each board the XOR of the words of its pieces.

    Args:
        boards: codes of pieces, a row of 90 for each board.
        words: 14 pieces in the order K A B N R C P of red, then black, by 90 points.
    """
    by_code = np.zeros((15, 90), dtype=words.dtype)
    for kind, place in enumerate(PIECE_ORDER):
        by_code[1 + kind], by_code[8 + kind] = words[place], words[7 + place]
    points = np.arange(90)
    parts = [
        np.bitwise_xor.reduce(by_code[boards[start : start + _PORTION], points], axis=1)
        for start in range(0, len(boards), _PORTION)
    ]
    return np.concatenate(parts) if parts else np.empty(0, words.dtype)


def moves_of_squares(origin: npt.NDArray[Any], target: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """Return our codes of moves between squares of 16 × 16; 0, no move, where one is off the board."""
    source, aim = _POINT_OF[origin], _POINT_OF[target]
    code = (source << 7 | aim).astype(np.uint16)
    return np.where((source == _NO_POINT) | (aim == _NO_POINT), np.uint16(0), code)


def squares_of_moves(code: npt.NDArray[np.uint16]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """Return origin and target of our move codes as squares of 16 × 16."""
    return SQUARE_OF[code >> 7], SQUARE_OF[code & 127]
