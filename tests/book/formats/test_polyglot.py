"""Polyglot books: python-chess reads what was written, and losses are reported."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.foreign_books import move_book, rows_of

from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.book.formats.polyglot import RECORD, read_polyglot, write_polyglot
from bookbuilder.errors import FormatError

START = 0x463B96181691FC9C
MOVES = st.integers(1, 0x4FFF)
ROWS = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), MOVES, st.integers(0, 65535), st.integers(0, 2**32 - 1)),
    min_size=1,
    max_size=30,
)


def book_of(rows: list[tuple[int, int, int, int]], statistic: str = "own") -> MoveBook:
    """A book of rows key, move, weight, learn."""
    keys, moves, weights, learns = zip(*rows, strict=True)
    table = move_table(
        len(rows),
        key=np.array(keys, np.uint64),
        move=np.array(moves, np.uint16),
        weight=np.array(weights, np.uint64),
        learn=np.array(learns, np.uint32),
    )
    return MoveBook(table=table, game="chess", fold=False, statistic=statistic)  # type: ignore[arg-type]


@settings(deadline=None)  # the first example opens the folder of the session
@given(ROWS)
def test_written_book_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, int, int]]
) -> None:
    path = tmp_path_factory.mktemp("polyglot") / "a.bin"
    book = book_of(sorted(rows, key=lambda row: row[0]))
    count, lost = write_polyglot(path, book)
    assert (count, sum(lost.values())) == (len(rows), 0)
    assert path.stat().st_size == 16 * len(rows)
    again = read_polyglot(path)
    assert again.table.equals(book.table)
    content = path.read_bytes()
    write_polyglot(path, again)
    assert path.read_bytes() == content


def test_python_chess_finds_every_move_with_its_weight(tmp_path: Path) -> None:
    book = move_book("chess")
    write_polyglot(tmp_path / "a.bin", book)
    with chess.polyglot.open_reader(tmp_path / "a.bin") as reader:
        found = sorted((entry.key, entry.raw_move, entry.weight) for entry in reader)
        assert found == sorted((key, move, weight) for key, _, move, weight in rows_of(book, "weight"))
        here = list(reader.find_all(chess.Board()))
        weights = [entry.weight for entry in here]
        assert weights == sorted(weights, reverse=True)
        assert weights
        assert all(entry.learn == 0 for entry in here)


def test_castling_is_written_as_the_king_taking_his_rook(tmp_path: Path) -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    key = chess.polyglot.zobrist_hash(board)
    codes = {"e1g1": 0o0407, "e1c1": 0o0400}
    write_polyglot(tmp_path / "a.bin", book_of([(key, code, 1, 0) for code in codes.values()]))
    with chess.polyglot.open_reader(tmp_path / "a.bin") as reader:
        assert {entry.move.uci() for entry in reader.find_all(board)} == set(codes)


def test_scaled_weights_and_losses_are_reported(tmp_path: Path) -> None:
    book = book_of([(1, 8, 400_000, 0), (1, 9, 200_000, 0), (2, 8, 2, 0), (2, 9, 0, 0)], "score")
    count, lost = write_polyglot(tmp_path / "a.bin", book)
    told = {what: n for what, n in lost.items() if n}
    assert told == {"rounded to weight 0": 1, "of weight 0 (score)": 1, "weights scaled to 16 bits": 2}
    assert read_polyglot(tmp_path / "a.bin").column("weight").tolist() == [65535, 32768]
    assert count == 2
    write_polyglot(tmp_path / "b.bin", book, "position")
    assert read_polyglot(tmp_path / "b.bin").column("weight").tolist() == [65535, 32768, 2]


def test_cut_record_is_refused_with_size_and_offset(tmp_path: Path) -> None:
    records = np.zeros(3, RECORD)
    records["key"], records["move"] = [1, 2, 3], [8, 8, 8]
    (tmp_path / "a.bin").write_bytes(records.tobytes() + b"123")
    with pytest.raises(FormatError, match="offset 48: .* multiple of 16 bytes, found 51; copy or build"):
        read_polyglot(tmp_path / "a.bin")


def test_records_without_move_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    records = np.zeros(3, RECORD)
    records["key"], records["move"] = [1, 2, 3], [8, 0, 0x7FFF]
    path.write_bytes(records.tobytes())
    book = read_polyglot(path)
    assert book.column("move").tolist() == [8]
    assert book.lost == {"records that hold no move": 2}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", r"0 bytes, expected a Polyglot book"),
        (b"123456789012345", r"15 bytes.*at least one record of 16 bytes"),
        (bytes(16), r"offset 8: none of its records holds a move"),
        (b"\2" * 16 + b"\1" * 16, r"offset 16: key 0x0101010101010101 below the record before it.*again"),
    ],
)
def test_invalid_polyglot_book_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=why) as refused:
        read_polyglot(path)
    assert str(path) in str(refused.value)


def test_the_start_position_has_the_published_key() -> None:
    assert START in move_book("chess").column("key").tolist()
