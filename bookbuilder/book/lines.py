"""Lines of moves as text: numbered moves, and the line that leads to a record of a book."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder.book.book import Book

__all__ = ["format_line", "line_words", "lines_of_records"]


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
    for place, move in enumerate(moves, start=0 if first_moves else 1):
        if place % 2 == 0:
            words.append(f"{number + place // 2}.")
        elif not words:
            words.append(f"{number}…")
        words.append(move)
    return " ".join(words)


def line_words(line: str) -> list[str]:
    """Return the moves of a text that `format_line` made.

    Example:
        >>> line_words("1. e4 e5 2. Nf3"), line_words("1… e5")
        (['e4', 'e5', 'Nf3'], ['e5'])
    """
    return [word for word in line.split() if word[-1] not in ".…"]


def lines_of_records(book: Book, records: Sequence[int], *, max_ply: int = 12) -> dict[int, str]:
    """Return for each record a line of book moves that leads to it from the start position.

    Args:
        book: the book.
        records: the numbers of the records; those without a line are missing in the answer.
        max_ply: the maximum length of a line in plies; without a limit, large books are slow.
    """
    steps = book.lines(max_ply=max_ply)
    found: dict[int, str] = {}
    san, parent = steps["san"].to_numpy(), steps["parent"].to_numpy()
    rows = _rows_of(steps)
    for record in records:
        if record not in rows:
            continue
        row, moves = rows[record], []
        while row >= 0:
            moves.append(str(san[row]))
            row = int(parent[row])
        found[record] = format_line(moves[::-1])
    return found


def _rows_of(steps: pd.DataFrame) -> dict[int, int]:
    rows = np.flatnonzero(~steps["is_again"].to_numpy())
    return dict(zip(steps["record"].to_numpy()[rows].tolist(), rows.tolist(), strict=True))
