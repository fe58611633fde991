"""The clustered book (`.book`) as a list of moves, both games. `bookbuilder.book.book` describes the file.

A record describes a position, so the reader finds at every position the legal moves that lead to a record.
A move has the counts of the position after it. The writer adds up the moves that lead to a position.
If games are unknown, weights are written as games and qualities are 0, so that moves are drawn by their
weights; the recipe says so, and reading gives the weights back. If qualities are unknown, they are floor(31 ·
s + 1/2), where s = (wins + 5) / (wins + losses + 10).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder._core import Position
from bookbuilder.book.book import Book, stored_records, write_records
from bookbuilder.book.formats import Statistic
from bookbuilder.book.formats.moves import Lost, MoveBook, move_table, require_weight, taken
from bookbuilder.book.formats.walk import UNREACHED, Found, Level, Lookup, Walk, explore, follow
from bookbuilder.book.play import record_weight
from bookbuilder.book.recipe import converted_recipe
from bookbuilder.columns import column_of, values
from bookbuilder.games.columns import Indices, PositionIndex


def read_clustered(path: Path) -> MoveBook:
    """Return the moves of a clustered book that the start position leads to.

    Raises:
        BookError: the file is not a clustered book, or it is damaged.
        OSError: it cannot be read.
    """
    opened = Book.open(path)
    opened.verify()
    return moves_of_clustered(opened)


def moves_of_clustered(opened: Book, beside: Book | None = None) -> MoveBook:
    """Return the moves of an open clustered book that the start position leads to.

    The walk may pass through the records of `beside`, another book of this kind.
    """
    records = opened.to_arrow()
    passed = records
    if beside is not None:
        tables = (records, beside.to_arrow())
        names = ["key", "lock"] if all("lock" in table.column_names for table in tables) else ["key"]
        both = pa.concat_tables([table.select(names) for table in tables]).group_by(names).aggregate([])
        passed = both.sort_by([(name, "ascending") for name in names])
    reached = explore(opened.game, moves_to(passed, fold=opened.fold), passed.num_rows, fold=opened.fold)
    own = _book_moves(reached, fold=opened.fold)
    child = reached.child[own]
    row = index_of_records(records).find(reached.key[child], reached.lock[child])
    own, row = own[row >= 0], row[row >= 0]
    before = reached.position[own]
    games = values(records.column("usage"))[row].astype(np.uint64)
    counts = {"games": games}
    weight = games
    statistic: Statistic = "games"
    if opened.has_columns:
        first, draws, second = (
            values(records.column(name))[row].astype(np.uint64) for name in ("wins", "draws", "losses")
        )
        is_first = reached.side[before] == 0
        wins, losses = np.where(is_first, first, second), np.where(is_first, second, first)
        counts |= {"wins": wins, "draws": draws, "losses": losses}
        if (wins | draws | losses).any():  # games without results weigh 1 each
            weight, statistic = np.uint64(2) * wins + draws, "score"
    counts["quality"] = values(records.column("quality"))[row]
    if not opened.recipe.get("converted", {}).get("games", True):
        # A conversion wrote weights in place of games.
        weight, statistic, counts = games, "own", {}
    table = move_table(
        row.size,
        key=reached.key[before],
        lock=reached.lock[before],
        move=(reached.stored_moves() if opened.fold else reached.move)[own],
        weight=weight,
        **counts,
    )
    order = np.lexsort((reached.move[own], weight.max(initial=0) - weight, reached.position[own]))
    return MoveBook(
        table=taken(table, order), game=opened.game, fold=opened.fold, statistic=statistic, basis="reached"
    ).losing("records that the start position does not lead to", len(opened) - np.unique(row).size)


def edit_clustered(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy a clustered book with a change of the record that a move leads to, see `registry.Editor`.

    A weight is games · (quality + 1)³. The games stay, so the nearest quality is stored; a new record has the
    games and the quality that come nearest, of several the best quality.
    """
    book = Book.open(source)
    book.verify()
    key, lock = here.play(code).stored(book.fold)
    at = (key, lock if book.has_columns else 0)
    records = stored_records(book)
    keys, locks = values(records.column("key")), values(records.column("lock"))
    place = int(np.count_nonzero((keys < key) | ((keys == key) & (locks < at[1]))))
    found = records.slice(place, 1).to_pylist()
    old = found[0] if found and (found[0]["key"], found[0]["lock"]) == at else None
    before = after = new = None
    if old is not None:
        before = record_weight(old["usage"], old["quality"])
    if weight is not None:
        require_weight(source, weight, record_weight(_core.MAX_USAGE, _core.MAX_QUALITY))
        qualities = range(_core.MAX_QUALITY + 1)
        games = [max(1, min(_core.MAX_USAGE, round(weight / record_weight(1, each)))) for each in qualities]
        pairs = zip([old["usage"]] * len(games) if old else games, qualities, strict=True)
        usage, quality = min(pairs, key=lambda pair: (abs(record_weight(*pair) - weight), -pair[1]))
        zeros = dict.fromkeys(records.column_names, 0)
        new = (old or {**zeros, "key": key, "lock": at[1]}) | {"usage": usage, "quality": quality}
        after = record_weight(usage, quality)
    row = pa.Table.from_pylist([] if new is None else [new], schema=records.schema)
    rest = records.slice(place + (old is not None))
    write_records(
        target,
        pa.concat_tables([records.slice(0, place), row, rest]).combine_chunks(),
        game=book.game,
        fold=book.fold,
        columns=book.has_columns,
        recipe={**book.recipe, "edited": book.recipe.get("edited", 0) + 1},
    )
    return before, after


def write_clustered(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write the positions after the moves of a book; return the number of its records, and the losses."""
    reached = follow(book)
    own = reached.own()
    child, place = np.unique(reached.child[own.edge], return_inverse=True)
    games = book.column("games" if book.has("games") else "weight")
    # All games that reached a position count it: of several moves that lead there, that with the most games.
    most = np.zeros(child.size, np.intp)
    order = np.argsort(games[own.row], kind="stable")
    most[place[order]] = own.row[order]

    def total(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if book.basis == "reached":
            return column[most]
        totals = np.zeros(child.size, column.dtype)
        np.add.at(totals, place, column[own.row])
        return totals

    quality = np.zeros(child.size, np.uint8)
    np.maximum.at(quality, place, _qualities(book)[own.row])
    wins, draws, losses = (total(book.column(name)) for name in ("wins", "draws", "losses"))
    first_moved = reached.side[child] == 1
    columns: dict[str, npt.NDArray[Any]] = {
        "key": reached.key[child],
        "lock": reached.lock[child],
        # A record of usage 0 would never be played. Weights that stand for games may be below the results.
        "usage": np.maximum(total(games), np.maximum(wins + draws + losses, 1)),
        "wins": np.where(first_moved, wins, losses),
        "draws": draws,
        "losses": np.where(first_moved, losses, wins),
        "quality": quality,
    }
    order = np.lexsort((columns["lock"], columns["key"]))
    write_records(
        path,
        pa.table({name: column_of(column[order]) for name, column in columns.items()}),
        game=book.game,
        fold=book.fold,
        columns=True,
        recipe=converted_recipe(book.game, len(book), book.statistic, has_games=book.has("games")),
    )
    moves = len(book)
    return child.size, {
        UNREACHED: reached.unreached(moves),
        "weights (games are counted instead)": moves if book.has("games") else 0,
        "games and results, unknown: weights stand for usage": 0 if book.has("games") else moves,
        "which moves lead to a position (any legal one does)": 0,
    }


def _book_moves(reached: Walk, *, fold: bool) -> Indices:
    """Return which moves of a walk belong to the book.

    Only one of a move and its mirror does. Moves back from a position that only bridges lead to do not.
    """
    is_bridged = np.append(reached.row, 0)[reached.parent] < 0
    leads_back = reached.ply[reached.child] <= reached.ply[reached.position]
    own = np.flatnonzero((reached.row >= 0) & ~(is_bridged[reached.position] & leads_back))
    move = reached.stored_moves() if fold else reached.move
    pairs = reached.position[own] << 16 | move[own]
    return np.sort(own[np.unique(pairs, return_index=True)[1]])


def moves_to(records: pa.Table, *, fold: bool) -> Lookup:
    """Return the lookup of the legal moves that lead to a record; a row is its number."""
    index = index_of_records(records)

    def lookup(level: Level) -> Found:
        of, move, place = index.successors(level.positions, fold=fold)
        return Found(of, place, move)

    return lookup


def index_of_records(records: pa.Table) -> PositionIndex:
    """Return an index of records; locks count if the records have them."""
    lock = values(records.column("lock")) if "lock" in records.column_names else None
    return PositionIndex(values(records.column("key")), lock)


def _qualities(book: MoveBook) -> npt.NDArray[np.uint8]:
    """Return the quality of each move: known, or from its counts, or 0."""
    if book.has("quality"):
        return book.column("quality")
    if not book.has("wins"):
        return np.zeros(len(book), np.uint8)
    wins, losses = book.column("wins").astype(np.float64), book.column("losses").astype(np.float64)
    share = (wins + 5) / (wins + losses + 10)
    return np.floor(_core.MAX_QUALITY * share + 0.5).astype(np.uint8)
