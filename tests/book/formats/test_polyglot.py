"""Polyglot books: python-chess reads what was written, and losses are reported."""

from __future__ import annotations

import itertools
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pytest
from support.cli_runner import run
from support.foreign_books import move_book, rows_of

from bookbuilder.book.edits import backup_of, edit_book, repair_book, undo_edit
from bookbuilder.book.formats.polyglot import RECORD, read_polyglot, write_polyglot
from bookbuilder.book.formats.registry import convert, read_moves, write_moves
from bookbuilder.errors import FormatError, OptionError

START = 0x463B96181691FC9C


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


def records_of(*rows: tuple[int, int, int]) -> bytes:
    """Return records of key, move and weight."""
    return np.array([(*row, 0) for row in rows], RECORD).tobytes()


def castling_line() -> list[chess.Board]:
    """Return the boards of a line that ends with White's castling."""
    boards = [chess.Board()]
    for san in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5", "O-O"):
        boards.append(boards[-1].copy(stack=False))
        boards[-1].push_san(san)
    return boards


@pytest.mark.parametrize("target", [0o0406, 0o0407])
def test_castling_as_e1g1_is_read_as_castling(target: int, tmp_path: Path) -> None:
    boards = castling_line()
    rows = []
    for before, after in itertools.pairwise(boards[:-1]):
        move = next(move for move in before.legal_moves if after.board_fen() == pushed(before, move))
        rows.append((chess.polyglot.zobrist_hash(before), move.from_square << 6 | move.to_square, 3))
    rows.append((chess.polyglot.zobrist_hash(boards[-2]), target, 5))
    path = tmp_path / "a.bin"
    path.write_bytes(records_of(*sorted(rows)))
    book = read_moves(path)
    assert (len(book), dict(book.lost)) == (len(rows), {})
    assert 0o0407 in book.column("move").tolist()
    ran = run("show", path, boards[-2].fen())
    assert "O-O" in ran.out
    done = edit_book(path, boards[-2].fen(), "O-O", weight=7)
    assert (done.before, done.after) == (5, 7)
    assert len(path.read_bytes()) == 16 * len(rows)


def pushed(board: chess.Board, move: chess.Move) -> str:
    after = board.copy(stack=False)
    after.push(move)
    return after.board_fen()


def test_repair_sorts_joins_and_drops(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    broken = records_of(
        (START, 796, 3), (START, 796, 4), (START, 731, 65_000), (START, 731, 999), (2, 0, 5), (1, 8, 1)
    )
    path.write_bytes(broken + b"torn")
    with pytest.raises(FormatError, match="mend it with: bookbuilder book repair"):
        read_polyglot(path)
    ran = run("book", "repair", path)
    assert ran.code == 0
    for words in ("2 moves that stood twice joined", "1 records without a move", "4 bytes at the end"):
        assert words in ran.out
    assert path.read_bytes() == records_of((1, 8, 1), (START, 731, 65_535), (START, 796, 7))
    assert backup_of(path).read_bytes() == broken + b"torn"
    assert undo_edit(path).read_bytes() == broken + b"torn"
    repair_book(path)
    content = path.read_bytes()
    backup_of(path).unlink()
    assert not any(repair_book(path).values())
    assert path.read_bytes() == content
    assert not backup_of(path).exists()
    path.write_bytes(records_of((START, 796, 3), (START, 796, 4)))
    book = read_moves(path)
    assert (book.column("weight").tolist(), sum(book.lost.values())) == ([7], 1)
    path.write_bytes(bytes(40))
    with pytest.raises(FormatError, match="none of its records holds a move"):
        repair_book(path)


@pytest.mark.parametrize(
    ("variants", "is_chess"), [("2\ncrazyhouse\nnormal", True), ("1\ncrazyhouse", False)]
)
def test_head_of_xboard_is_read(variants: str, is_chess: bool, tmp_path: Path) -> None:
    text = f"@PG@\n1.0\n{variants}\nmade by hand".encode()
    text += bytes(-len(text) % 8)
    head = b"".join(bytes(8) + text[start : start + 8] for start in range(0, len(text), 8))
    path = tmp_path / "a.bin"
    path.write_bytes(head + records_of((START, 796, 3)))
    if is_chess:
        book = read_polyglot(path)
        assert book.column("move").tolist() == [796]
        assert sum(book.lost.values()) == len(head) // 16
    else:
        with pytest.raises(FormatError, match="a book of crazyhouse; expected chess"):
            read_polyglot(path)
        assert "a book of crazyhouse" in run("info", path).err


def test_book_comes_back_from_a_clustered_book_or_is_refused(tmp_path: Path) -> None:
    path, there, back = (tmp_path / name for name in ("a.bin", "a.book", "b.bin"))
    boards = castling_line()[:3]
    rows = [
        (chess.polyglot.zobrist_hash(boards[0]), 0o1434, 500),
        (chess.polyglot.zobrist_hash(boards[0]), 0o1333, 20),
    ]
    rows.append((chess.polyglot.zobrist_hash(boards[1]), 0o6444, 7))
    path.write_bytes(records_of(*sorted(rows, key=lambda row: row[0])))
    convert(path, there)
    convert(there, back)
    assert back.read_bytes() == path.read_bytes()
    write_moves(path, move_book("chess"))
    there.unlink()
    with pytest.raises(OptionError, match=r"a\.book: not written: .*a\.bin could not be made from it again"):
        convert(path, there)
    assert not there.exists()
