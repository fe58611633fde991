"""Polyglot opening books (`.bin`), chess.

In comes a file, out goes a `MoveBook`, and back. A book is nothing but records of 16 bytes, big-endian,
ascending by key:

| offset | bytes | field |
|---|---|---|
| 0 | 8 | key of the position before the move: our own, 0x463b96181691fc9c at the start |
| 8 | 2 | move: bits 14–12 promotion (0 none, knight 1 … queen 4), 11–6 origin, 5–0 target; a1 = 0 … h8 = 63 |
| 10 | 2 | weight: readers draw a move in proportion to it, or take the largest |
| 12 | 4 | learn: free for the engine; 0 in books that are written here, kept where it was read |

Castling is written as the king taking his own rook; the key includes an en passant file only where a pawn
stands ready to take. Moves of a position that are written by us stand by descending weight.

Source: Michel Van den Bergh, "PolyGlot book format", hgm.nubati.net/book_format.html; Fabien Letouzey's
PolyGlot, whose `make-book` weighs moves by 2 · wins + draws and drops those of weight 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder.book.formats.moves import Lost, MoveBook, Scale, move_table, scaled_weights
from bookbuilder.book.formats.records import read_records
from bookbuilder.errors import FormatError

__all__ = ["MAX_WEIGHT", "RECORD", "read_polyglot", "write_polyglot"]

RECORD: Final = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
"""One record of the file."""
MAX_WEIGHT: Final = 0xFFFF
"""The largest weight."""

_MOST_PROMOTION: Final = 4


def read_polyglot(path: Path) -> MoveBook:
    """Return the moves of a Polyglot book, in the order of the file.

    Locks are not known; nothing is asked of the rules of chess here.

    Raises:
        FormatError: the file holds no record, or its keys do not ascend.
        OSError: it cannot be read.
    """
    records, cut = read_records(path, RECORD, "a Polyglot book")
    key = records["key"].astype(np.uint64)
    falls = np.flatnonzero(key[1:] < key[:-1])
    if falls.size:
        offset = (int(falls[0]) + 1) * RECORD.itemsize
        raise FormatError(
            f"{path}: offset {offset}: key 0x{int(key[falls[0] + 1]):016x} is below the one before it; a "
            "Polyglot book ascends by key: the file is damaged or no Polyglot book, make or fetch it again"
        )
    move = records["move"].astype(np.uint16)
    is_move = (move >> 12 <= _MOST_PROMOTION) & (move != 0)
    if not is_move.any():
        raise FormatError(
            f"{path}: offset 8: none of {len(records)} records holds a move; expected a Polyglot book"
        )
    table = move_table(
        int(is_move.sum()),
        key=key[is_move],
        move=move[is_move],
        weight=records["weight"].astype(np.uint64)[is_move],
        learn=records["learn"].astype(np.uint32)[is_move],
    )
    book = MoveBook(table=table, game="chess", fold=False, statistic="own")
    return book.losing(cut, 1 if cut else 0).losing("records that hold no move", int((~is_move).sum()))


def write_polyglot(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write a Polyglot book; return how many records it has and what was lost.

    Weights above 65,535 are scaled as `scaled_weights` says. Rows of weight 0 are left out, unless the
    weights are those of a format that stores some: no reader plays them.

    Args:
        path: the file.
        book: a chess book.
        scale: whether weights are scaled over the `book` or over each `position` by itself.
    """
    order = np.argsort(book.column("key"), kind="stable")
    book = book.select(order)
    key, given = book.column("key"), book.column("weight")
    weight = scaled_weights(given, MAX_WEIGHT, None if scale == "book" else positions_of(key))
    kept = (weight > 0) | ((given == 0) & (book.statistic == "own"))
    records = np.zeros(int(kept.sum()), dtype=RECORD)
    for name, column in (("key", key), ("move", book.column("move")), ("weight", weight)):
        records[name] = column[kept]
    records["learn"] = book.column("learn")[kept]
    path.write_bytes(records.tobytes())
    return len(records), {
        "rounded to weight 0": int((~kept & (given > 0)).sum()),
        f"of weight 0 ({book.statistic})": int((~kept & (given == 0)).sum()),
        "weights scaled to 16 bits": int((weight != given)[kept].sum()),
        "games, wins, draws and losses": 0 if not book.has("games") else len(records),
    }


def positions_of(key: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return for each row the number of its position; equal keys stand together."""
    begins = np.ones(key.size, dtype=np.bool_)
    begins[1:] = key[1:] != key[:-1]
    return np.cumsum(begins) - 1
