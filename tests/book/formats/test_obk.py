"""OBK books: databases that SQLite reads, with keys in any of the forms in which programs store them."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.foreign_books import COUNTS, rows_of, usual_book

import bookbuilder as bb
from bookbuilder import _core
from bookbuilder.book.formats.obk import _FIRST_TO_MOVE, _PIECE_WORDS, obk_keys_of, read_obk, write_obk
from bookbuilder.schema import from_native

START = 7101337512282506414


def key_of(fen: str | None = None) -> int:
    """The key of a position."""
    positions = _core.Positions("xiangqi", None if fen is None else [fen])
    boards = from_native(positions.boards()).column("piece").to_numpy().reshape(-1, 90)
    side = from_native(positions.keys(False)).column("side").to_numpy()
    return int(obk_keys_of(boards, side)[0])


def as_float(key: int) -> float:
    """The float of the same bits."""
    (value,) = struct.unpack("<d", struct.pack("<Q", key))
    return float(value)


def rows_in(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """What SQLite answers."""
    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql, values).fetchall()


def test_keys_match_published_ones() -> None:
    assert _PIECE_WORDS.shape == (14, 90)
    assert np.unique(_PIECE_WORDS).size == 14 * 90
    assert _FIRST_TO_MOVE == 0xA0CE2AF90C452F58
    assert key_of() == START
    start = bb.Position("xiangqi")
    assert key_of(start.play(start.parse_move("h2e2")).fen) == 0xA1EAD1F6470E07EE


def test_large_keys_are_found_by_public_xiangqi_query(tmp_path: Path) -> None:
    path = tmp_path / "a.obk"
    write_obk(path, usual_book("xiangqi"))
    large = [key for (key,) in rows_in(path, "SELECT DISTINCT vkey FROM bhobk WHERE typeof(vkey) = 'real'")]
    assert len(large) > 10
    for value in large:
        sql = f"SELECT count(*) FROM bhobk WHERE cast(vkey as double) = {value!r} AND vvalid = 1"
        assert rows_in(path, sql)[0][0] > 0
        assert struct.unpack("<Q", struct.pack("<d", value))[0] >= 2**63


FORMS: dict[str, Callable[[int], object]] = {
    "signed": lambda key: key if key < 2**63 else key - 2**64,
    "unsigned text": str,
    "unsigned float": float,
    "signed float": lambda key: float(key if key < 2**63 else key - 2**64),
    "same bits": lambda key: key if key < 2**63 else as_float(key),
}


@pytest.mark.parametrize("table", ["bhobk", "pfBook"])
@pytest.mark.parametrize("form", FORMS)
def test_keys_are_read_in_every_form(tmp_path: Path, form: str, table: str) -> None:
    write_obk(tmp_path / "a.obk", usual_book("xiangqi"))
    columns = "vkey, vmove, vscore, vwin, vdraw, vlost"
    rows = rows_in(tmp_path / "a.obk", f"SELECT {columns} FROM bhobk")
    with closing(sqlite3.connect(tmp_path / "b.obk")) as database, database:
        database.execute(f"CREATE TABLE {table} ({columns}, vvalid DEFAULT 1)")
        for key, *rest in rows:
            bits = struct.unpack("<Q", struct.pack("<d", key))[0] if isinstance(key, float) else key % 2**64
            values = ", ".join("?" * 6)
            database.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})", (FORMS[form](bits), *rest))
    expected, found = read_obk(tmp_path / "a.obk"), read_obk(tmp_path / "b.obk")
    assert rows_of(found, *COUNTS) == rows_of(expected, *COUNTS)
    assert found.lost == expected.lost


def test_unused_and_invalid_rows_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.obk"
    write_obk(path, usual_book("xiangqi"))
    whole = read_obk(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE bhobk SET vvalid = 0 WHERE vkey = ? AND vindex = 1", (START,))
        database.execute("UPDATE bhobk SET vmove = 'x' WHERE vkey = ? AND vindex = 2", (START,))
        database.execute("UPDATE bhobk SET vscore = -3 WHERE vkey = ? AND vindex = 3", (START,))
    book = read_obk(path)
    assert book.lost["rows not in use (vvalid)"] == 1
    assert book.lost["rows that hold no numbers"] == 1
    assert book.lost["scores below 0, taken as 0"] == 1
    assert len(book) <= len(whole) - 2
