"""The clustered book (`.book`) as a list of moves, for both games. See `bookbuilder.book.book` for the file.

In comes a `.book`, out goes a `MoveBook`, and back. A record is about a position, so reading asks at every
position which legal moves lead to a record; the counts of a move are those of the position after it. Writing
adds up the moves that lead to a position; where counts are unknown, games are the weight, and where
qualities are, they are floor(31 · s + 1/2), with s = (wins + 5) / (wins + losses + 10), or the share of the
heaviest weight at the position where results are unknown too.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.book import Book
from bookbuilder.book.formats.moves import Lost, MoveBook, Scale, move_table
from bookbuilder.book.formats.walk import Found, Indices, Level, Walk, explore, follow, identity, successors
from bookbuilder.games.position import Game
from bookbuilder.ratios import score, wilson_bounds, win_ratio
from bookbuilder.schema import SELECTION_POSITIONS, check
from bookbuilder.selection.select import Selection

__all__ = ["as_selection", "read_clustered", "recode_clustered", "write_clustered"]

# What tells that a position has no record.
_NOWHERE = -2


def read_clustered(path: Path) -> MoveBook:
    """Return the moves of a clustered book that the start position leads to.

    Raises:
        BookError: it is no clustered book, or it is damaged.
        OSError: it cannot be read.
    """
    opened = Book.open(path)
    opened.verify()
    records = opened.to_arrow()
    goal = _records_at(records)

    def lookup(level: Level) -> Found:
        every = np.arange(len(level.positions))
        return successors(level.positions, every, goal, fold=opened.fold)

    reached = explore(opened.game, lookup, len(opened), fold=opened.fold)
    own = _book_moves(reached, fold=opened.fold)
    row, before = reached.row[own], reached.position[own]
    counts = _counts(records, row, reached.side[before]) if opened.has_columns else {}
    games = records.column("usage").to_numpy()[row].astype(np.uint64)
    weight = np.uint64(2) * counts["wins"] + counts["draws"] if counts else games
    table = move_table(
        row.size,
        key=reached.key[before],
        lock=reached.lock[before],
        move=(reached.stored_moves() if opened.fold else reached.move)[own],
        weight=weight,
        games=games,
        quality=records.column("quality").to_numpy()[row],
        **counts,
    )
    first_weights = np.lexsort((reached.move[own], weight.max(initial=0) - weight, before))
    book = MoveBook(
        table=check(table.take(pa.array(first_weights, pa.int64())), table.schema),
        game=opened.game,
        fold=opened.fold,
        statistic="score" if counts else "games",
        basis="reached",
    )
    unreached = len(opened) - np.unique(row).size
    return book.losing("records that the start position does not lead to", unreached)


def recode_clustered(source: Path, target: Path) -> tuple[Game, int, Lost]:
    """Write a clustered book again, byte for byte, if it is sound; return game, records and no losses.

    Raises:
        BookError: it is no clustered book, or it is damaged.
        OSError: a file cannot be read or written.
    """
    opened = Book.open(source)
    opened.verify()
    shutil.copyfile(source, target)
    return opened.game, len(opened), {}


def write_clustered(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write a clustered book; return how many records it has and what was lost.

    Args:
        path: the file.
        book: any book.
        scale: without meaning here: counts are written as they are.
    """
    del scale
    selection, lost = as_selection(book)
    written = Book.write(path, selection)
    return len(written), lost


def as_selection(book: MoveBook) -> tuple[Selection, Lost]:
    """Return the positions that the moves of a book lead to, as a selection that keeps them all."""
    reached = follow(book)
    own = np.flatnonzero(reached.row >= 0)
    row, after = reached.row[own], reached.child[own]
    chosen, place = np.unique(after, return_inverse=True)

    def total(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
        sums = np.zeros(chosen.size, np.uint64)
        if book.basis == "played":
            np.add.at(sums, place, values[row].astype(np.uint64))
        else:
            np.maximum.at(sums, place, values[row].astype(np.uint64))
        return sums

    wins, draws, losses = (total(book.column(name)) for name in ("wins", "draws", "losses"))
    low, high = wilson_bounds(wins, losses)
    quality = np.zeros(chosen.size, np.uint8)
    np.maximum.at(quality, place, _qualities(book)[row])
    columns: dict[str, npt.NDArray[Any]] = {
        "key": reached.key[chosen],
        "lock": reached.lock[chosen],
        "side": (1 - reached.side[chosen]).astype(np.uint8),
        "ply": reached.ply[chosen].astype(np.uint16),
        "reached": total(book.column("games" if book.has("games") else "weight")),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "p": win_ratio(wins, losses),
        "p_low": low,
        "p_high": high,
        "score": score(wins, draws, losses),
        "quality": quality,
        "kept": np.ones(chosen.size, np.bool_),
    }
    order = np.argsort(identity(columns["key"], columns["lock"]), kind="stable")
    arrays: list[Any] = [
        pa.array(columns[each.name][order], each.type, from_pandas=each.nullable)
        for each in SELECTION_POSITIONS
        if each.name in columns
    ]
    reasons = pa.DictionaryArray.from_arrays(np.zeros(order.size, np.int8), pa.array([""]))
    table = pa.Table.from_arrays([*arrays, reasons], names=SELECTION_POSITIONS.names)
    selection = Selection(
        table=check(table, SELECTION_POSITIONS),
        game=book.game,
        fold=book.fold,
        shape="positions",
        recipe={"sources": [], "converted": {"moves": len(book), "weights": book.statistic}},
    )
    return selection, {
        "moves that the start position does not lead to": len(book) - np.unique(row).size,
        "weights (games are counted instead)": len(book) if book.has("games") else 0,
        "games, wins, draws and losses, not known; weights are written as usage": (
            0 if book.has("games") else len(book)
        ),
        "which moves lead to a position (any legal one does)": 0,
    }


def _book_moves(reached: Walk, *, fold: bool) -> Indices:
    """Return which moves of a walk are the book's.

    Of a move and its mirror one is; none is that leads back from a position that only bridges lead to.
    """
    is_bridged = np.append(reached.row, 0)[reached.parent] < 0
    leads_back = reached.ply[reached.child] <= reached.ply[reached.position]
    own = np.flatnonzero((reached.row >= 0) & ~(is_bridged[reached.position] & leads_back))
    move = reached.stored_moves() if fold else reached.move
    pairs = reached.position[own] << 16 | move[own]
    return np.sort(own[np.unique(pairs, return_index=True)[1]])


def _records_at(records: pa.Table) -> Callable[[Level], Indices]:
    """Return what tells the record of each position of a level, or that there is none."""
    has_locks = "lock" in records.column_names
    key = records.column("key").to_numpy()
    lock = records.column("lock").to_numpy() if has_locks else np.zeros(key.size, np.uint32)
    known = identity(key, lock)

    def goal(level: Level) -> Indices:
        asked = identity(level.key, level.lock if has_locks else np.zeros_like(level.lock))
        place = np.minimum(np.searchsorted(known, asked), max(known.size - 1, 0))
        return (
            np.where(known[place] == asked, place, _NOWHERE) if known.size else np.full(asked.size, _NOWHERE)
        )

    return goal


def _counts(
    records: pa.Table, row: Indices, side: npt.NDArray[np.uint8]
) -> dict[str, npt.NDArray[np.uint64]]:
    """Return results as the side to move before the record sees them; records have the first side's."""
    first, draws, second = (
        records.column(name).to_numpy()[row].astype(np.uint64) for name in ("wins", "draws", "losses")
    )
    wins, losses = np.where(side == 0, first, second), np.where(side == 0, second, first)
    return {"wins": wins, "draws": draws, "losses": losses}


def _qualities(book: MoveBook) -> npt.NDArray[np.uint8]:
    """Return the quality of each move: its own, or by its counts, or by its weight among those beside it."""
    if book.has("quality"):
        return book.column("quality")
    if book.has("wins"):
        wins, losses = book.column("wins").astype(np.float64), book.column("losses").astype(np.float64)
        share = (wins + 5) / (wins + losses + 10)
    else:
        weight = book.column("weight").astype(np.float64)
        position = np.unique(book.column("key"), return_inverse=True)[1]
        heaviest = np.ones(len(book))
        np.maximum.at(heaviest, position, weight)
        share = weight / heaviest[position]
    return np.floor(_core.MAX_QUALITY * share + 0.5).astype(np.uint8)
