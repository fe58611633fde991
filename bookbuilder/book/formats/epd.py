"""A book as positions in EPD (`.epd`), either game; written only.

In comes a book, out goes one line for each position that has a move: the first four fields of its FEN, then
`bm` with the heaviest moves (several where they weigh alike) and `c0` with all moves and their weights.

Source: the operations of S. Edwards' PGN standard, section 16.2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from bookbuilder.book.formats.moves import Lost, MoveBook, Scale
from bookbuilder.book.formats.walk import follow

__all__ = ["write_epd"]

_NOTATION: Final = {"chess": "san", "xiangqi": "iccs"}


def write_epd(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write a book as EPD; return how many moves it has and what was lost.

    Args:
        path: the file.
        book: any book.
        scale: without meaning here: weights are written as they are.
    """
    del scale
    notation = _NOTATION[book.game]
    reached = follow(book, notations=[notation], fens=True)
    own = np.flatnonzero(reached.row >= 0)
    weight = book.column("weight")[reached.row[own]]
    order = np.lexsort((reached.move[own], weight.max(initial=0) - weight, reached.position[own]))
    edge, weights = own[order], weight[order].tolist()
    position = reached.position[edge]
    begins = np.flatnonzero(np.diff(position, prepend=-1)).tolist()
    text = [reached.texts[notation][each] for each in edge.tolist()]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
            moves = list(zip(text[begin:end], weights[begin:end], strict=True))
            best = " ".join(move for move, weight in moves if weight == moves[0][1])
            told = ", ".join(f"{move} {weight}" for move, weight in moves)
            fields = " ".join(reached.fens[int(position[begin])].split()[:4])
            file.write(f'{fields} bm {best}; c0 "{told}";\n')
    return len(text), {
        "moves that the start position does not lead to": len(book) - np.unique(reached.row[own]).size,
        "games, wins, draws and losses": len(text) if book.has("games") else 0,
        "qualities": len(text) if book.has("quality") else 0,
    }
