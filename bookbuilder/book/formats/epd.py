"""A book as positions in EPD (`.epd`), either game; write only.

Each position with a move is one line: the first four fields of its FEN, then `bm` with the heaviest move (or
several of equal weight) and `c0` with all moves and their weights. If a move of the book leads to the
position and an engine evaluated it, `ce` is its value in centipawns for the side to move.

Source: the operations of S. Edwards' PGN standard, section 16.2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from bookbuilder.book.formats.moves import (
    BACKED_UP,
    ENGINE_VALUES,
    Lost,
    MoveBook,
    engine_numbers,
    number_valued,
)
from bookbuilder.book.formats.walk import UNREACHED, follow

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
    # The engine's value of each position; that of a move is for the side that makes it.
    value = np.full(reached.ply.size, np.nan)
    score = engine_numbers(book.engine, len(book))[own.row]
    known = ~np.isnan(score)
    value[reached.child[own.edge[known]]] = -score[known]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
            moves = list(zip(text[begin:end], weights[begin:end], strict=True))
            best = " ".join(move for move, weight in moves if weight == moves[0][1])
            every = ", ".join(f"{move} {weight}" for move, weight in moves)
            fields = " ".join(reached.fens[int(position[begin])].split()[:4])
            here = value[int(position[begin])]
            evaluated = "" if np.isnan(here) else f" ce {here:.0f};"
            file.write(f'{fields} bm {best}; c0 "{every}";{evaluated}\n')
    return len(text), {
        UNREACHED: reached.unreached(len(book)),
        "games, wins, draws and losses": len(text) if book.has("games") else 0,
        "qualities": len(text) if book.has("quality") else 0,
        f"{ENGINE_VALUES} where the book ends": int((~np.isnan(np.delete(value, own.before))).sum()),
        BACKED_UP: number_valued(book.engine, "value", "expected"),
    }
