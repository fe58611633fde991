"""A book as positions in EPD (`.epd`), either game; write only.

Each position with a move is one line: the first four fields of its FEN, then `bm` with the heaviest move (or
several of equal weight) and `c0` with all moves and their weights.

Source: the operations of S. Edwards' PGN standard, section 16.2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from bookbuilder.book.formats.moves import Lost, MoveBook
from bookbuilder.book.formats.walk import UNREACHED, follow

__all__ = ["write_epd"]

_NOTATION: Final = {"chess": "san", "xiangqi": "iccs"}


def write_epd(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write a book as EPD; return the number of its moves, and the losses."""
    notation = _NOTATION[book.game]
    reached = follow(book, notations=[notation], fens=True)
    own = reached.own()
    weight = book.column("weight")[own.row]
    order = np.lexsort((own.move, weight.max(initial=0) - weight, own.before))
    position, weights = own.before[order], weight[order].tolist()
    begins = np.flatnonzero(np.diff(position, prepend=-1)).tolist()
    text = [reached.texts[notation][each] for each in own.edge[order].tolist()]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
            moves = list(zip(text[begin:end], weights[begin:end], strict=True))
            best = " ".join(move for move, weight in moves if weight == moves[0][1])
            every = ", ".join(f"{move} {weight}" for move, weight in moves)
            fields = " ".join(reached.fens[int(position[begin])].split()[:4])
            file.write(f'{fields} bm {best}; c0 "{every}";\n')
    return len(text), {
        UNREACHED: reached.unreached(len(book)),
        "games, wins, draws and losses": len(text) if book.has("games") else 0,
        "qualities": len(text) if book.has("quality") else 0,
    }
