"""OBK books (`.obk`) of 兵河五四, BHGUI and 鹏飞: SQLite databases, xiangqi.

Table `bhobk` (鹏飞: `pfBook`) has one row per move:

| column | meaning |
|---|---|
| id | number of the row |
| vkey | key of the position before the move, 64 bits; see below |
| vmove | origin · 256 + target, squares of 16 × 16 |
| vscore | score of the move: our weight |
| vwin, vdraw, vlost | games, from the view of the side that makes the move |
| vvalid | 1 = in use |
| vmemo | remark |
| vindex | place among the moves of the position |

The key of a position is the XOR of the words of its pieces, and of one word if red is to move; the start
position has 7101337512282506414. `obk_keys.txt` has one word for each piece on each point: pieces in the
order K A B N R C P of red, then of black, points a0, b0 … i9. (The programs use boards of 16 × 16 points;
points off the board are omitted.) SQLite's integers end at 2⁶³, and programs store larger keys in different
forms. All of these are read: the signed integer of the same bits; the unsigned number as text; the unsigned
or signed number as a float, which keeps the upper 53 bits; and the float of the same bits. We write the last
one, in a column without affinity, because public-Xiangqi expects it. Where SQLite cannot store that float
(NaN, zero), the signed integer is written.

Source: the readers of public-Xiangqi; keys by two independent copies and the published key of the start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position
from bookbuilder.book.formats.moves import Lost, MoveBook, group_numbers, merged, move_table, require_weight
from bookbuilder.book.formats.walk import UNREACHED, Found, Level, Lookup, explore, follow
from bookbuilder.book.formats.xqwizard import (
    lookup_mirrored,
    moves_of_squares,
    squares_of_moves,
    stored_forms,
    stored_places,
    xor_words,
)
from bookbuilder.errors import FormatError
from bookbuilder.games.columns import Indices, mirror_moves, ranges

_FIRST_TO_MOVE: Final = 0xA0CE2AF90C452F58
_PIECE_WORDS: Final[npt.NDArray[np.uint64]] = np.array(
    [int(word, 16) for word in Path(__file__).with_name("obk_keys.txt").read_text(encoding="ascii").split()],
    dtype=np.uint64,
).reshape(14, 90)

_TABLES: Final = ("bhobk", "pfBook")
_COLUMNS: Final = ("vkey", "vmove", "vscore", "vwin", "vdraw", "vlost", "vvalid")
_RESULTS: Final = ("wins", "draws", "losses")
_MAX_SCORE: Final = 2**63 - 1


def obk_keys_of(boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return the keys of positions.

    A board is a row of 90 codes of pieces. The side to move is 0 red, 1 black.
    """
    keys: npt.NDArray[np.uint64] = xor_words(boards, _PIECE_WORDS)
    return keys ^ np.where(side == 0, np.uint64(_FIRST_TO_MOVE), np.uint64(0)).astype(np.uint64)


def read_obk(path: Path) -> MoveBook:
    """Return the moves of an OBK book that can be reached from the start position, mirrors folded.

    Raises:
        FormatError: the file is not a SQLite database, is damaged, has no table of moves, or none of its
            moves fits the start position.
        OSError: it cannot be read.
    """
    rows, strange, unused = _read(path)
    reached = explore("xiangqi", _lookup(rows), rows.move.size, fold=True)
    own, stored = reached.own(), reached.stored_moves()
    if not own.row.size:
        raise FormatError(
            f"{path}: none of its moves is legal at a position that the start position leads "
            "to; expected an OBK of 兵河五四 or BHGUI, not one whose moves are scrambled"
        )
    counts = {name: getattr(rows, name)[own.row] for name in _RESULTS}
    table = move_table(
        own.row.size,
        key=reached.key[own.before],
        lock=reached.lock[own.before],
        move=stored[own.edge],
        weight=np.maximum(rows.score[own.row], 0).astype(np.uint64),
        games=sum(counts.values(), np.zeros(own.row.size, np.uint64)),
        **counts,
    )
    once = merged(table)
    illegal, unreached = reached.illegal_rows().size, reached.unreached(rows.move.size)
    return (
        MoveBook(table=once, game="xiangqi", fold=True, statistic="own")
        .losing("rows that hold no numbers", strange)
        .losing("rows not in use (vvalid)", unused)
        .losing("rows that the start position does not lead to", unreached - illegal)
        .losing("illegal moves", illegal)
        .losing("scores below 0, taken as 0", int((rows.score[own.row] < 0).sum()))
        .losing("mirrored moves added up", table.num_rows - once.num_rows)
    )


def write_obk(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write an OBK book; return the number of its rows, and the losses."""
    reached = follow(book, boards=True)
    row = reached.own().row
    key, code, is_self = stored_forms(reached, obk_keys_of)
    code = np.where(is_self, np.minimum(code, mirror_moves(code)), code)
    origin, target = squares_of_moves(code)
    weight = book.column("weight")[row]
    order = np.lexsort((code, weight.max(initial=0) - weight, key))
    results = [book.column(name)[row] for name in _RESULTS]
    number = group_numbers(key[order])
    _write(
        path,
        _stored_keys(key[order]),
        (origin.astype(np.int64) << 8 | target)[order].tolist(),
        np.minimum(weight, _MAX_SCORE)[order].tolist(),
        *(result[order].tolist() for result in results),
        (np.arange(number.size) - np.searchsorted(number, number) + 1).tolist(),
    )
    lost = {UNREACHED: reached.unreached(len(book))}
    if book.has("games"):
        counted = sum(int(result.sum()) for result in results)
        lost["games beyond wins, draws and losses"] = int(book.column("games")[row].sum()) - counted
    lost["wins, draws and losses, not known and written as 0"] = 0 if book.has("wins") else row.size
    return row.size, lost


def edit_obk(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy an OBK book with a change of one move, see `registry.Editor`. Other rows stay as they are."""
    _read(source)  # refuses what is damaged
    places = stored_places(here, code, obk_keys_of)
    forms: set[tuple[int | float, int]] = set(places)
    for key, word in places:  # in the forms in which programs store a key, as `_key` reads them
        bits = np.array([key], np.uint64)
        floats = (bits.view(np.float64), bits.astype(np.float64), bits.view(np.int64).astype(np.float64))
        forms |= {(float(form[0]), word) for form in floats}
    if weight is not None:
        require_weight(source, weight, _MAX_SCORE)
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(source.read_bytes())
        table, columns = _table(database, source)
        rows = database.execute(f"SELECT rowid, vkey, vmove, vscore FROM {table}").fetchall()
        old = {
            row: score
            for row, vkey, vmove, score in rows
            if isinstance(vkey, int | float | str) and (_key(vkey), vmove) in forms
        }
        if weight is None:
            database.executemany(f"DELETE FROM {table} WHERE rowid = ?", [(row,) for row in old])
        elif old:
            changes = [(weight, row) for row in old]
            database.executemany(f"UPDATE {table} SET vscore = ? WHERE rowid = ?", changes)
        else:
            key, word = places[0]
            row = {"vkey": _stored_keys(np.array([key], np.uint64))[0], "vmove": word, "vscore": weight}
            row |= {"vwin": 0, "vdraw": 0, "vlost": 0, "vvalid": 1}
            names = [name for name in row if name in columns]
            marks = ", ".join("?" * len(names))
            database.execute(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", [row[name] for name in names]
            )
        database.commit()
        target.write_bytes(database.serialize())
    return max(old.values(), default=None), weight


def _write(path: Path, *columns: Sequence[object]) -> None:
    """Write the database of rows in use: key, move, score, wins, draws, losses, place."""
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
        # If SQLite wrote the file, it would report a full disk as an error of SQLite, and leave a journal.
        path.write_bytes(database.serialize())


class _Rows(NamedTuple):
    """Rows in use. The key of a row is the float `rough` if `is_rough`, else `exact`."""

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

    def search(key: npt.NDArray[np.uint64]) -> Iterator[tuple[Indices, Indices]]:
        of, at = ranges(np.searchsorted(exact, key, "left"), np.searchsorted(exact, key, "right"))
        yield of, exactly[at]
        signed = key.view(np.int64)
        for form in (key.view(np.float64), key.astype(np.float64), signed.astype(np.float64)):
            # No program stores a NaN, but searchsorted would treat all NaNs as equal.
            end = np.where(np.isnan(form), 0, np.searchsorted(rough, form, "right"))
            begin = np.minimum(np.searchsorted(rough, form, "left"), end)
            of, at = ranges(begin, end)
            yield of, roughly[at]

    found_by_keys = lookup_mirrored(obk_keys_of, search, rows.move)

    def lookup(level: Level) -> Found:
        of, row, code = found_by_keys(level)
        # Two forms of a key may be equal (a float of 2⁶³): a row counts once at a position.
        _, first = np.unique(of << 32 | row, return_index=True)
        return Found(of[first], row[first], code[first])

    return lookup


def _read(path: Path) -> tuple[_Rows, int, int]:
    """Return the rows in use, the number of rows with invalid values, and the number of rows not in use."""
    path.open("rb").close()  # an unreadable file is an OSError, not a damaged database
    with _database(path) as database:
        damage = database.execute("PRAGMA quick_check(1)").fetchone()
        if damage is None or damage[0] != "ok":
            raise FormatError(f"{path}: the database is damaged: {damage and damage[0]}; fetch it again")
        table, columns = _table(database, path)
        asked = ", ".join(name if name in columns else f"{int(name == 'vvalid')}" for name in _COLUMNS)
        fetched = database.execute(f"SELECT {asked} FROM {table}").fetchall()
        if not fetched:
            raise FormatError(f"{path}: the table of moves is empty")
    plain = [
        row for row in fetched if type(row[0]) in (int, float, str) and all(type(n) is int for n in row[1:])
    ]
    keys = [_key(row[0]) for row in plain]
    known = np.array([key is not None for key in keys], dtype=np.bool_)
    numbers = np.array([row[1:] for row in plain], np.int64).reshape(-1, len(_COLUMNS) - 1)
    fits = known & ((numbers[:, 0] >> 16) == 0) & (numbers[:, 2:5] >= 0).all(axis=1)
    used = fits & (numbers[:, 5] == 1)
    move, score, *results, _ = numbers[used].T
    rows = _Rows(
        exact=np.array([key if isinstance(key, int) else 0 for key in keys], np.uint64)[used],
        rough=np.array([key if isinstance(key, float) else 0.0 for key in keys], np.float64)[used],
        is_rough=np.array([isinstance(key, float) for key in keys], np.bool_)[used],
        move=moves_of_squares(move >> 8, move & 0xFF),
        score=score,
        **{name: count.astype(np.uint64) for name, count in zip(_RESULTS, results, strict=True)},
    )
    return rows, len(fetched) - int(fits.sum()), int((fits & ~used).sum())


def _table(database: sqlite3.Connection, path: Path) -> tuple[str, set[str]]:
    """Return the table of moves, and its columns."""
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
    return table, columns


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield the database, opened read-only; errors of SQLite name the file."""
    try:
        # immutable: SQLite looks for no journal and takes no lock, so read-only media work too.
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            yield database
    except (sqlite3.Error, OverflowError) as error:
        raise FormatError(f"{path}: {error}; expected an OBK, a SQLite database: fetch it again") from error
    except UnicodeDecodeError as error:  # of a message of SQLite that quotes bytes of the file
        raise FormatError(
            f"{path}: the database has a damaged schema; expected an OBK, a SQLite database: fetch it again"
        ) from error


def _key(value: float | str) -> int | float | None:
    """Return a stored key as a number of 64 bits or as a float; None if it is neither."""
    if isinstance(value, float):
        return value
    try:
        number = int(value)
    except ValueError:
        return None
    return number % 2**64 if -(2**63) <= number < 2**64 else None


def _stored_keys(key: npt.NDArray[np.uint64]) -> list[int | float]:
    """Return keys as they are written: from 2⁶³ on as the float of the same bits, else as an integer."""
    bits = key.view(np.float64)
    is_float = (key >> 63 != 0) & np.isfinite(bits) & (bits != 0.0)
    forms = zip(is_float.tolist(), bits.tolist(), key.view(np.int64).tolist(), strict=True)
    return [as_float if keeps else as_int for keeps, as_float, as_int in forms]
