"""OBK books (`.obk`) of 兵河五四 and BHGUI, and 鹏飞's of the same columns: SQLite databases, xiangqi.

In comes a file, out goes a `MoveBook`, and back. Table `bhobk` (鹏飞: `pfBook`), one row per move:

| column | meaning |
|---|---|
| id | number of the row |
| vkey | key of the position before the move, 64 bits; see below |
| vmove | origin · 256 + target, squares of 16 × 16 |
| vscore | score of the move: our weight |
| vwin, vdraw, vlost | games, as who makes the move sees them |
| vvalid | 1 = in use |
| vmemo | remark |
| vindex | place among the moves of the position |

The key is the XOR of `obk_keys`; the start position has 7101337512282506414. SQLite's integers end at
2⁶³, and programs differ in how they store larger keys. All these are read: the signed integer of the same
bits; the unsigned number as text; the unsigned or signed number as a float, of which the upper 53 bits are
left; and the float that has the same bits. The last is written to `bhobk`, in a column without affinity,
since that is what public-Xiangqi asks for; where SQLite keeps no such float (NaN, zero), the signed integer
is. A position and its mirror are stored once, as the one of the smaller key; readers ask for both.

Source: the readers of public-Xiangqi; keys by two independent copies and the published key of the start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bookbuilder.book.formats.moves import Lost, MoveBook, Scale, merged, move_table
from bookbuilder.book.formats.obk_keys import FIRST_TO_MOVE, PIECE_WORDS
from bookbuilder.book.formats.walk import Found, Level, Lookup, explore, follow, joined, mirror_moves, ranges
from bookbuilder.book.formats.xiangqi_words import (
    mirrored_boards,
    moves_of_squares,
    squares_of_moves,
    xor_words,
)
from bookbuilder.errors import FormatError

__all__ = ["obk_keys_of", "read_obk", "write_obk"]

_TABLES: Final = ("bhobk", "pfBook")
_COLUMNS: Final = ("vkey", "vmove", "vscore", "vwin", "vdraw", "vlost", "vvalid")
_MOST: Final = 2**63 - 1


def obk_keys_of(boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return the keys of positions.

    Args:
        boards: codes of pieces, a row of 90 for each position.
        side: side to move, 0 red, 1 black.
    """
    keys: npt.NDArray[np.uint64] = xor_words(boards, PIECE_WORDS)
    return keys ^ np.where(side == 0, np.uint64(FIRST_TO_MOVE), np.uint64(0)).astype(np.uint64)


def read_obk(path: Path) -> MoveBook:
    """Return the moves of an OBK book that can be reached from the start position, mirrors folded.

    Raises:
        FormatError: the file is no SQLite database, is damaged, has no table of moves, or none of its moves
            fits the start position.
        OSError: it cannot be read.
    """
    rows, strange, unused = _read(path)
    reached = explore("xiangqi", _lookup(rows), rows.move.size, fold=True)
    own = reached.row >= 0
    if not own.any():
        raise FormatError(
            f"{path}: none of {rows.move.size:,} moves is legal at a position that the start position leads "
            "to; expected an OBK of 兵河五四 or BHGUI, not one whose moves are scrambled"
        )
    before, row = reached.position[own], reached.row[own]
    counts = {name: getattr(rows, name)[row] for name in ("wins", "draws", "losses")}
    table = move_table(
        row.size,
        key=reached.key[before],
        lock=reached.lock[before],
        move=reached.stored_moves()[own],
        weight=np.maximum(rows.score[row], 0).astype(np.uint64),
        games=sum(counts.values(), np.zeros(row.size, np.uint64)),
        **counts,
    )
    once = merged(table)
    book = MoveBook(table=once, game="xiangqi", fold=True, statistic="own")
    illegal = np.setdiff1d(reached.illegal, row)
    return (
        book.losing("rows that hold no numbers", strange)
        .losing("rows not in use (vvalid)", unused)
        .losing(
            "rows that the start position does not lead to",
            rows.move.size - np.unique(row).size - illegal.size,
        )
        .losing("illegal moves", illegal.size)
        .losing("scores below 0, taken as 0", int((rows.score[row] < 0).sum()))
        .losing("mirrored moves added up", table.num_rows - once.num_rows)
    )


def write_obk(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write an OBK book; return how many rows it has and what was lost.

    Args:
        path: the file.
        book: a xiangqi book.
        scale: without meaning here: weights are written as they are.
    """
    del scale
    reached = follow(book, boards=True)
    own = reached.row >= 0
    before, row, code = reached.position[own], reached.row[own], reached.move[own]
    straight = obk_keys_of(reached.boards, reached.side)
    mirror = obk_keys_of(mirrored_boards(reached.boards), reached.side)
    key = np.minimum(straight, mirror)[before]
    mirrored = mirror_moves(code)
    code = np.where((mirror < straight)[before], mirrored, code)
    code = np.where((mirror == straight)[before], np.minimum(code, mirrored), code)
    origin, target = squares_of_moves(code)
    weight = book.column("weight")[row]
    order = np.lexsort((code, weight.max(initial=0) - weight, key))
    columns = [
        _stored_keys(key[order]),
        (origin.astype(np.int64) << 8 | target)[order].tolist(),
        np.minimum(weight, _MOST)[order].tolist(),
        *(book.column(name)[row][order].tolist() for name in ("wins", "draws", "losses")),
        (_places(key[order]) + 1).tolist(),
    ]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(
            "CREATE TABLE bhobk (id INTEGER PRIMARY KEY, vkey, vmove INTEGER, vscore INTEGER, vwin INTEGER, "
            "vdraw INTEGER, vlost INTEGER, vvalid INTEGER DEFAULT 1, vmemo TEXT DEFAULT '', vindex INTEGER)"
        )
        database.executemany(
            "INSERT INTO bhobk (vkey, vmove, vscore, vwin, vdraw, vlost, vindex) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            zip(*columns, strict=True),
        )
        database.execute("CREATE INDEX bhobk_vkey ON bhobk (vkey)")
        database.commit()
        # Written by SQLite, a full disk would be an error of its own, and a journal lie beside the file.
        path.write_bytes(database.serialize())
    unknown = ["games beyond wins, draws and losses"] if book.has("games") else []
    counted = sum(int(book.column(name)[row].sum()) for name in ("wins", "draws", "losses"))
    return row.size, {
        "moves that the start position does not lead to": len(book) - np.unique(row).size,
        **dict.fromkeys(unknown, int(book.column("games")[row].sum()) - counted),
        "wins, draws and losses, not known and written as 0": 0 if book.has("wins") else row.size,
    }


class _Rows(NamedTuple):
    """Rows in use. A row's key is `exact`, or the float `rough` where `is_rough`."""

    exact: npt.NDArray[np.uint64]
    rough: npt.NDArray[np.float64]
    is_rough: npt.NDArray[np.bool_]
    move: npt.NDArray[np.uint16]
    score: npt.NDArray[np.int64]
    wins: npt.NDArray[np.uint64]
    draws: npt.NDArray[np.uint64]
    losses: npt.NDArray[np.uint64]


def _lookup(rows: _Rows) -> Lookup:
    """Return the lookup of rows by their keys in any of the forms in which programs store them."""
    exactly, roughly = np.flatnonzero(~rows.is_rough), np.flatnonzero(rows.is_rough)
    exactly = exactly[np.argsort(rows.exact[exactly], kind="stable")]
    roughly = roughly[np.argsort(rows.rough[roughly], kind="stable")]
    exact, rough = rows.exact[exactly], rows.rough[roughly]

    def at_keys(key: npt.NDArray[np.uint64]) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        of, at = ranges(np.searchsorted(exact, key, "left"), np.searchsorted(exact, key, "right"))
        yield of, exactly[at]
        signed = key.view(np.int64)
        for form in (key.view(np.float64), key.astype(np.float64), signed.astype(np.float64)):
            # A NaN is stored by nobody and would be found beside every other.
            end = np.where(np.isnan(form), 0, np.searchsorted(rough, form, "right"))
            begin = np.minimum(np.searchsorted(rough, form, "left"), end)
            of, at = ranges(begin, end)
            yield of, roughly[at]

    def lookup(level: Level) -> Found:
        boards = level.boards()
        straight = obk_keys_of(boards, level.side)
        mirror = obk_keys_of(mirrored_boards(boards), level.side)
        found = [Found(of, at, rows.move[at]) for of, at in at_keys(straight)]
        for of, at in at_keys(mirror):
            new = (mirror != straight)[of]
            found.append(Found(of[new], at[new], mirror_moves(rows.move[at[new]])))
        of, row, code = joined(*found)
        # One form may equal another (a float of 2⁶³): a row counts once at a position.
        _, first = np.unique(of << 32 | row, return_index=True)
        return Found(of[first], row[first], code[first])

    return lookup


def _read(path: Path) -> tuple[_Rows, int, int]:
    """Return the rows in use, how many hold no numbers, and how many are not in use."""
    path.open("rb").close()  # what cannot be read is told as such, not as a bad database
    with _database(path) as database:
        damage = database.execute("PRAGMA quick_check(1)").fetchone()
        if damage is None or damage[0] != "ok":
            raise FormatError(f"{path}: the database is damaged: {damage and damage[0]}; fetch it again")
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        table = next((name for name in _TABLES if name in names), None)
        if table is None:
            tables = ", ".join(sorted(map(str, names))) or "none"
            raise FormatError(
                f"{path}: a database without table {' or '.join(_TABLES)} (found: {tables}); expected an OBK"
            )
        columns = {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")}
        missing = [name for name in ("vkey", "vmove") if name not in columns]
        if missing:
            raise FormatError(f"{path}: table {table} has no column {missing[0]}; expected an OBK")
        asked = ", ".join(name if name in columns else f"{int(name == 'vvalid')}" for name in _COLUMNS)
        return _as_rows(path, database.execute(f"SELECT {asked} FROM {table}").fetchall())


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield the database, opened for reading only; what SQLite finds wrong is told with the file's name."""
    try:
        # immutable: no journal is looked for and no lock taken, so that read-only media serve as well.
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            yield database
    except (sqlite3.Error, OverflowError) as error:
        raise FormatError(f"{path}: {error}; expected an OBK, a SQLite database: fetch it again") from error


def _as_rows(path: Path, fetched: list[tuple[Any, ...]]) -> tuple[_Rows, int, int]:
    if not fetched:
        raise FormatError(f"{path}: the table of moves is empty")
    kinds = [list(map(type, column)) for column in zip(*fetched, strict=True)]
    plain = np.array([kind in (int, float, str) for kind in kinds[0]])
    for column in kinds[1:]:
        plain &= np.array([kind is int for kind in column])
    raw = [value for value, is_plain in zip((row[0] for row in fetched), plain, strict=True) if is_plain]
    keys = [_key(value) for value in raw]
    known = np.array([key is not None for key in keys], dtype=np.bool_)
    numbers = np.array([row[1:] for row, is_plain in zip(fetched, plain, strict=True) if is_plain], np.int64)
    numbers = numbers.reshape(-1, len(_COLUMNS) - 1)
    fits = known & ((numbers[:, 0] >> 16) == 0) & (numbers[:, 2:5] >= 0).all(axis=1)
    used = fits & (numbers[:, 5] == 1)
    exact = np.array([key if isinstance(key, int) else 0 for key in keys], np.uint64)
    rough = np.array([key if isinstance(key, float) else 0.0 for key in keys], np.float64)
    move, score, wins, draws, losses, _ = numbers[used].T
    rows = _Rows(
        exact=exact[used],
        rough=rough[used],
        is_rough=np.array([isinstance(key, float) for key in keys], np.bool_)[used],
        move=moves_of_squares(move >> 8, move & 0xFF),
        score=score,
        **{
            name: count.astype(np.uint64)
            for name, count in (("wins", wins), ("draws", draws), ("losses", losses))
        },
    )
    return rows, len(fetched) - int(fits.sum()), int((fits & ~used).sum())


def _key(value: float | str) -> int | float | None:
    """A key as it is stored: a whole number of 64 bits, signed or not, in digits or not, or a float."""
    if isinstance(value, float):
        return value
    try:
        number = int(value)
    except ValueError:
        return None
    return number % 2**64 if -(2**63) <= number < 2**64 else None


def _stored_keys(key: npt.NDArray[np.uint64]) -> list[int | float]:
    """Keys as they are written: as they are below 2⁶³, else as the float of the same bits, or signed."""
    bits = key.view(np.float64)
    is_large = key >> 63 != 0
    keeps = is_large & np.isfinite(bits) & (bits != 0.0)
    return [
        as_float if is_float else as_int
        for as_float, is_float, as_int in zip(
            bits.tolist(), keeps.tolist(), key.view(np.int64).tolist(), strict=True
        )
    ]


def _places(key: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """The place, from 0, of each row among those of its key; equal keys stand together."""
    begins = np.ones(key.size, dtype=np.bool_)
    begins[1:] = key[1:] != key[:-1]
    place: npt.NDArray[np.int64] = np.arange(key.size) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return place
