"""Damaged, newer and foreign books, and positions of the other game, are refused with one clear line."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

import pytest
from support.refusals import Program, assert_refused
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.errors import BookError

pytestmark = pytest.mark.corpus

XIANGQI_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
CHESS_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture(scope="module")
def book(chess_tally: bb.Tally, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A valid book of a real tally."""
    path = tmp_path_factory.mktemp("book") / "valid.book"
    bb.Book.write(path, bb.select(chess_tally, LITERATURE, min_games=20))
    return path


def refused(path: Path, content: bytes) -> str:
    """Return why a book with this content is refused."""
    path.write_bytes(content)
    with pytest.raises(BookError) as error:
        bb.Book.open(path).verify()
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


def newer(book: bytes, path: Path) -> bytes:
    """Return the book with a later format version; the error message shows the matching checksum."""
    later = bytearray(book)
    struct.pack_into("<H", later, 8, 3)
    found = re.search(
        r"checksum of the header at offset 56 .* expected 0x([0-9a-f]{16})", refused(path, bytes(later))
    )
    assert found is not None
    struct.pack_into("<Q", later, 56, int(found[1], 16))
    return bytes(later)


def test_invalid_book_is_refused_by_every_command(program: Program, tmp_path: Path, book: Path) -> None:
    valid = book.read_bytes()
    contents = {
        "newer.book": (newer(valid, tmp_path / "newer.book"), "book format 3 at offset 8"),
        "cut.book": (valid[: len(valid) // 2], f"truncated: {len(valid) // 2} bytes, expected {len(valid)}"),
        "foreign.book": (b"PK\3\4" + valid[4:], "not a clustered book"),
    }
    for name, (content, message) in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert_refused(program("book", "verify", path), 3, path, message)
        assert_refused(program("show", path), 3, path, message)
        assert_refused(program("engine", "search", "--book", path, "--depth", 1), 3, path, message)


def test_every_damaged_byte_of_a_book_is_found(program: Program, tmp_path: Path, book: Path) -> None:
    valid = book.read_bytes()
    chance, path = random.Random(4), tmp_path / "damaged.book"
    for place in [*range(64), *chance.sample(range(64, len(valid)), 150), *range(len(valid) - 8, len(valid))]:
        damaged = bytearray(valid)
        damaged[place] ^= 1 << chance.randrange(8)
        refused(path, bytes(damaged))
    ran = program("book", "verify", path)
    assert_refused(ran, 1, path, "checksum")


def test_truncated_book_is_refused(tmp_path: Path, book: Path) -> None:
    valid = book.read_bytes()
    for length in [0, 1, 7, 8, 63, 64, 100, *random.Random(5).sample(range(len(valid)), 40), len(valid) - 1]:
        refused(tmp_path / "cut.book", valid[:length])
    assert "appended" in refused(tmp_path / "long.book", valid + b"\0")


def test_book_of_other_game_is_refused(program: Program, book: Path) -> None:
    ran = program("engine", "search", "--game", "xiangqi", "--book", book, "--depth", 1)
    assert_refused(ran, 3, book, "a book of chess, expected xiangqi")


def test_fen_of_other_game_is_refused(program: Program, book: Path, store: Path) -> None:
    for command in (("show", book), ("show", store), ("engine", "search", "--book", book, "--depth", 1)):
        assert_refused(program(*command, XIANGQI_FEN), 2, "bad chess FEN", "8 ranks")
    search = ("engine", "search", "--game", "xiangqi", "--depth", 1)
    assert_refused(program(*search, CHESS_FEN), 2, "bad xiangqi FEN", "10")
    assert_refused(program("show", book, "e2e4 e7e5 e1e3"), 2, "move 3", "e1e3")
