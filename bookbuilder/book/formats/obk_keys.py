"""The key words of OBK books (兵河五四, BHGUI, 鹏飞), which are constants of the format.

`obk_keys.txt` has one word for each piece on each point: pieces in the order K A B N R C P of red, then of
black, points a0, b0 … i9. The key of a position is the XOR of the words of its pieces, and of one word if red
is to move. The programs use boards of 16 × 16 points; the words of points off the board are omitted here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["FIRST_TO_MOVE", "PIECE_WORDS"]

FIRST_TO_MOVE: Final = 0xA0CE2AF90C452F58
"""The word for red to move."""

PIECE_WORDS: Final[npt.NDArray[np.uint64]] = np.array(
    [int(word, 16) for word in Path(__file__).with_suffix(".txt").read_text(encoding="ascii").split()],
    dtype=np.uint64,
).reshape(14, 90)
"""The words of the pieces on points: uint64, 14 pieces by 90 points."""
