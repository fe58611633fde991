"""Polyglot opening books (`.bin`), chess.

A book is an array of records of 16 bytes, big-endian, ascending by key:

| offset | bytes | field |
|---|---|---|
| 0 | 8 | key of the position before the move: the same as ours, 0x463b96181691fc9c at the start |
| 8 | 2 | move: bits 14–12 promotion (0 none, knight 1 … queen 4), 11–6 origin, 5–0 target; a1 = 0 … h8 = 63 |
| 10 | 2 | weight: readers draw a move in proportion to it, or take the largest |
| 12 | 4 | learn: free for the engine; kept if it was read, else 0 |

Castling is written as the king taking his own rook; books that write it as e1g1 are read. Records of key 0
may hold the head of XBoard's books, a text of eight bytes a record, which names the variants. The key
includes an en passant file only if a pawn can take there. We write the moves of a position by descending
weight.

Source: Michel Van den Bergh, "PolyGlot book format", hgm.nubati.net/book_format.html; Fabien Letouzey's
PolyGlot, whose `make-book` weighs moves by 2 · wins + draws and drops moves of weight 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position
from bookbuilder.book.formats import CASTLING, CASTLING_TEXTS, Scale
from bookbuilder.book.formats.moves import (
    Lost,
    MoveBook,
    group_numbers,
    merged,
    move_table,
    read_records,
    require_weight,
    scaled_weights,
)
from bookbuilder.errors import FormatError

RECORD: Final = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
"""One record of the file."""
MAX_WEIGHT: Final = 0xFFFF
"""The largest weight."""

_MAX_PROMOTION: Final = 4
# The head of a book of XBoard: this word, a version, the number of variants, their names, and a comment.
_HEAD: Final = "@PG@"
_FIRST_VARIANT: Final = 4
_PRINTABLE: Final = bytes([9, 10, 13, *range(32, 127)])
_LOOK: Final = 4096


def read_polyglot(path: Path) -> MoveBook:
    """Return the moves of a Polyglot book, in the order of the file.

    The moves are not checked against the rules of chess, and locks are unknown.

    Raises:
        FormatError: the file has no record, is cut, or its keys do not ascend.
        OSError: it cannot be read.
    """
    try:
        records, cut = read_records(path, RECORD, "a Polyglot book", ascending=("key",))
    except FormatError as error:
        raise FormatError(f"{error}, or mend it with: bookbuilder book repair {path}") from error
    if cut:
        # Programs that play the book would read it, but a part of it is missing.
        raise FormatError(
            f"{path}: offset {records.nbytes}: {cut}; expected a multiple of {RECORD.itemsize} bytes, found "
            f"{path.stat().st_size:,}; copy or build the book again, or mend it with: "
            f"bookbuilder book repair {path}"
        )
    if not records.tobytes()[:_LOOK].strip(_PRINTABLE):
        raise FormatError(f"{path}: is a text; expected a Polyglot book")
    head = b"".join(bytes(record)[8:] for record in records[records["key"] == 0])
    lines = head.split(b"\0", 1)[0].decode("ascii", "replace").split("\n")
    if lines[0] == _HEAD and len(lines) >= _FIRST_VARIANT:
        count = int(lines[2]) if lines[2].isdigit() else 0
        variants = lines[_FIRST_VARIANT - 1 : _FIRST_VARIANT - 1 + count]
        if variants and "normal" not in variants:
            raise FormatError(
                f"{path}: its head says that it is a book of {', '.join(variants)}; expected chess"
            )
    move, is_move = records["move"].astype(np.uint16), _is_move(records)
    if not is_move.any():
        raise FormatError(f"{path}: offset 8: none of its records holds a move; expected a Polyglot book")
    key, move = records["key"].astype(np.uint64)[is_move], move[is_move]
    table = move_table(
        key.size,
        key=key,
        move=move,
        weight=records["weight"].astype(np.uint64)[is_move],
        learn=records["learn"].astype(np.uint32)[is_move],
    )
    order = np.lexsort((move, key))
    twice = int(((key[order][1:] == key[order][:-1]) & (move[order][1:] == move[order][:-1])).sum())
    # `merged` would import pandas.
    book = MoveBook(table=merged(table) if twice else table, game="chess", fold=False, statistic="own")
    book = book.losing("records that hold no move", int((~is_move).sum()))
    return book.losing("records of moves that stand twice, added up", twice)


def repair_polyglot(source: Path, target: Path) -> dict[str, int]:
    """Copy a broken Polyglot book so that every reader takes it; return what was done, and how often.

    Records are sorted by key, the heaviest first; a move that stands twice at a position gets the sum of its
    weights; bytes that are not a whole record, and records that hold no move, are dropped.

    Raises:
        FormatError: no record holds a move.
        OSError: a file cannot be read or written.
    """
    content = source.read_bytes()
    size = len(content) // RECORD.itemsize * RECORD.itemsize
    records = np.frombuffer(content[:size], RECORD)
    records, strange = records[_is_move(records)], int((~_is_move(records)).sum())
    if not len(records):
        raise FormatError(f"{source}: none of its records holds a move; it is not a Polyglot book")
    weight = records["weight"].astype(np.int64)
    sorted_ = records[np.lexsort((-weight, records["key"]))]
    moved = int((sorted_ != records).sum())
    place = sorted_["key"].astype(np.uint64), sorted_["move"].astype(np.uint16)
    _, first, number = np.unique(
        np.stack([place[0], place[1].astype(np.uint64)], axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    total = np.bincount(number.ravel(), sorted_["weight"].astype(np.float64))
    joined = sorted_[first]
    joined["weight"] = np.minimum(total, MAX_WEIGHT).astype(np.uint16)
    joined = joined[np.lexsort((first, -joined["weight"].astype(np.int64), joined["key"]))]
    target.write_bytes(joined.tobytes())
    return {
        "records sorted": moved,
        "moves that stood twice joined": len(sorted_) - len(joined),
        "records without a move dropped": strange,
        "bytes at the end dropped": len(content) - size,
    }


def _is_move(records: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    move = records["move"].astype(np.uint16)
    # Records of key 0 at the begin are the head of XBoard's books: text.
    is_move: npt.NDArray[np.bool_] = (move >> 12 <= _MAX_PROMOTION) & (move != 0) & (records["key"] != 0)
    return is_move


def edit_polyglot(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy a Polyglot book with a change of one move, see `registry.Editor`. Heavier moves come first."""
    records, _ = read_records(source, RECORD, "a Polyglot book", ascending=("key",))
    codes = [code]
    if here.coordinates(code) in CASTLING_TEXTS:  # a king's move to his rook may be castling, or take it
        codes += [king for king, takes_rook in CASTLING.items() if takes_rook == code]
    is_move = (records["key"] == here.key) & np.isin(records["move"], codes)
    rest, old = records[~is_move], records[is_move]
    if weight is not None:
        require_weight(source, weight, MAX_WEIGHT)
        begin = int(np.searchsorted(rest["key"], here.key, "left"))
        end = int(np.searchsorted(rest["key"], here.key, "right"))
        place = begin + int((rest["weight"][begin:end] >= weight).sum())
        learn = int(old["learn"][0]) if old.size else 0
        rest = np.insert(rest, place, np.array([(here.key, code, weight, learn)], RECORD))
    target.write_bytes(rest.tobytes())
    return int(old["weight"].max()) if old.size else None, weight


def write_polyglot(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write a Polyglot book; return the number of its records, and the losses.

    Weights above 65,535 are scaled by `scaled_weights`. Rows of weight 0, which no reader plays, are skipped
    unless the weights come from another format.

    Weights are scaled over the whole `book`, or at each `position`.
    """
    order = np.argsort(book.column("key"), kind="stable")
    book = book.select(order)
    key, given = book.column("key"), book.column("weight")
    weight = scaled_weights(given, MAX_WEIGHT, None if scale == "book" else group_numbers(key))
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
