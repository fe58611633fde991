"""Books of other programs are read and written, and books of real archives are built in their formats."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.cli_runner import run
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import convert, read_moves, write_moves
from bookbuilder.book.formats.walk import follow
from bookbuilder.book.formats.xqwizard import RECORD, walk_book_dat

pytestmark = pytest.mark.corpus

POLYGLOT_BOOKS = {
    "Elo2400.bin": 155_878,
    "Performance.bin": 92_954,
    "gm2600.bin": 21_671,
    "lasker-trap.bin": 7,
    "performance.bin": 92_954,
    "pychess_book.bin": 136_947,
    "varied.bin": 92_229,
}
START_LOCK = 0x052656D5
START_KEY = 7101337512282506414


@pytest.fixture(params=POLYGLOT_BOOKS)
def polyglot_book(request: pytest.FixtureRequest, corpus: Path) -> Path:
    """A Polyglot book of another program."""
    path: Path = corpus / "oracles" / "polyglot" / request.param
    return path


def test_foreign_polyglot_books_round_trip(polyglot_book: Path, tmp_path: Path) -> None:
    written = convert(polyglot_book, tmp_path / "a.bin")
    assert (written.lost, written.not_read) == ({}, {})
    assert written.moves == POLYGLOT_BOOKS[polyglot_book.name]
    assert (tmp_path / "a.bin").read_bytes() == polyglot_book.read_bytes()
    convert(polyglot_book, tmp_path / "a.csv")
    convert(tmp_path / "a.csv", tmp_path / "b.bin")
    assert (tmp_path / "b.bin").read_bytes() == polyglot_book.read_bytes()


def test_foreign_polyglot_books_to_arena_book(polyglot_book: Path, tmp_path: Path) -> None:
    written = convert(polyglot_book, tmp_path / "a.abk")
    before, after = read_moves(polyglot_book), read_moves(tmp_path / "a.abk")
    reached = follow(before)
    rows = np.unique(reached.row[reached.row >= 0])
    assert reached.illegal.size == 0
    unreached = len(before) - rows.size
    assert written.lost.get("moves that the start position does not lead to", 0) == unreached
    assert unreached < len(before) / 20
    kept = before.select(rows)

    def weights(book: MoveBook, name: str) -> list[tuple[int, int, int]]:
        columns = (book.column(each).tolist() for each in ("key", "move", name))
        return sorted(zip(*columns, strict=True))

    assert weights(after, "games") == weights(kept, "weight")


@pytest.fixture(scope="module")
def book_dat(corpus: Path) -> Path:
    """ElephantEye's BOOK.DAT."""
    return corpus / "data" / "xiangqi" / "books" / "eleeye_BOOK.DAT"


def records_of(path: Path) -> npt.NDArray[np.void]:
    """The records of a BOOK.DAT."""
    return np.frombuffer(path.read_bytes(), RECORD)


def test_reference_book_round_trips(book_dat: Path, tmp_path: Path) -> None:
    answer = json.loads(run("book", "convert", book_dat, tmp_path / "a.dat", "--json").out)
    assert (answer["game"], answer["lost"], answer["not_read"]) == ("xiangqi", {}, {})
    assert (tmp_path / "a.dat").read_bytes() == book_dat.read_bytes()


def test_walk_of_reference_book_reaches_3932_legal_moves(book_dat: Path) -> None:
    records = records_of(book_dat)
    for fold in (True, False):
        reached = walk_book_dat(records, fold=fold)
        assert np.unique(reached.row).size == 3_932
        assert reached.illegal.size == 0


def test_moves_of_reference_book_are_written_unchanged(book_dat: Path, tmp_path: Path) -> None:
    book = read_moves(book_dat)
    assert set(book.lost) == {"records that the start position does not lead to"}
    write_moves(tmp_path / "a.dat", book)
    found, known = records_of(tmp_path / "a.dat").tolist(), records_of(book_dat).tolist()
    assert set(found) <= set(known)
    assert len(found) == len(known) - book.lost["records that the start position does not lead to"] > 9_900
    convert(tmp_path / "a.dat", tmp_path / "a.obk")
    convert(tmp_path / "a.obk", tmp_path / "b.dat")
    assert (tmp_path / "b.dat").read_bytes() == (tmp_path / "a.dat").read_bytes()


def rc4_words() -> list[int]:
    """Return the words of BOOK.DAT by a second implementation of the cipher, one byte at a time."""
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    while len(out) < 12 * (1 + 14 * 256):
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(state[(state[i] + state[j]) % 256])
    return [int.from_bytes(out[at : at + 4], "little") for at in range(0, len(out), 4)]


def locks(fen: str, words: list[int]) -> tuple[int, int]:
    """Return lock 1 and lock 0 of a position, computed piece by piece from its FEN."""
    board, side = fen.split()[:2]
    found = [words[2], words[1]] if side == "b" else [0, 0]
    for row, text in enumerate(board.split("/")):
        file = 0
        for sign in text:
            if sign.isdigit():
                file += int(sign)
                continue
            piece = "KABNRCPkabnrcp".index(sign)
            place = 3 * (1 + piece * 256 + (row + 3) * 16 + file + 3)
            found = [found[0] ^ words[place + 2], found[1] ^ words[place + 1]]
            file += 1
    return found[0], found[1]


@pytest.fixture(scope="module")
def xqf_tally(xqf_archive: Path) -> bb.Tally:
    """The tally of the first plies of the XQF archive, mirrors folded."""
    return bb.Tally.from_archives(xqf_archive, max_ply=30)


@pytest.fixture(scope="module")
def xqf_book(xqf_tally: bb.Tally) -> MoveBook:
    """The moves of the XQF archive with at least three games."""
    return MoveBook.from_selection(
        bb.select(xqf_tally, LITERATURE, shape="moves", min_win_rate=0, min_games=3)
    )


def test_book_dat_follows_published_layout(xqf_book: MoveBook, tmp_path: Path) -> None:
    written = write_moves(tmp_path / "a.dat", xqf_book)
    records = records_of(tmp_path / "a.dat")
    assert written.moves == len(records) > 10_000
    assert "moves that the start position does not lead to" not in written.lost
    place = records["lock"].astype(np.int64) << 16 | records["move"]
    assert (place[1:] > place[:-1]).all()
    stored: dict[int, dict[int, int]] = {}
    for lock, move, weight in records.tolist():
        stored.setdefault(lock, {})[move] = weight
    words = rc4_words()
    reached = follow(xqf_book, fens=True)
    own = np.flatnonzero(reached.row >= 0)
    weights = xqf_book.column("weight").tolist()
    most = max(weights)
    expected: dict[int, dict[int, int]] = {}
    for edge in own[::5]:
        fen = reached.fens[reached.position[edge]]
        board, rest = fen.split(" ", 1)
        mirror = f"{'/'.join(row[::-1] for row in board.split('/'))} {rest}"
        straight, mirrored = locks(fen, words), locks(mirror, words)
        origin, target = divmod(int(reached.move[edge]), 128)
        weight = weights[reached.row[edge]]
        weight = weight if most <= 65535 else (2 * weight * 65535 + most) // (2 * most)
        for turned, lock in ((False, straight), (True, mirrored)):
            if weight and lock == min(straight, mirrored):
                squares = [
                    (12 - point // 9) * 16 + 3 + (8 - point % 9 if turned else point % 9)
                    for point in (origin, target)
                ]
                expected.setdefault(lock[0], {})[squares[0] | squares[1] << 8] = weight
    assert len(expected) > 1_000
    for lock, moves in expected.items():
        assert moves.items() <= stored[lock].items()
    assert stored[START_LOCK][0xA7AA] == stored[START_LOCK][mirror_of(0xA7AA)]


def mirror_of(move: int) -> int:
    """Return a mirrored move between squares of a 16 × 16 board."""
    return (move & 0xF0F0) | (0x0E0E - (move & 0x0F0F))


def test_obk_is_read_by_sqlite(xqf_book: MoveBook, xqf_tally: bb.Tally, tmp_path: Path) -> None:
    written = write_moves(tmp_path / "a.obk", xqf_book)
    with closing(sqlite3.connect(tmp_path / "a.obk")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("SELECT count(*) FROM bhobk").fetchall() == [(written.moves,)]
        rows = database.execute(
            "SELECT vmove, vscore, vwin, vdraw, vlost FROM bhobk WHERE vkey = ? ORDER BY vindex", (START_KEY,)
        ).fetchall()
    moves = xqf_tally.moves("startpos").query("played >= 3")
    expected = {}
    for code, wins, draws, losses in moves[["code", "wins", "draws", "losses"]].itertuples(index=False):
        squares = [(12 - point // 9) * 16 + 3 + point % 9 for point in divmod(int(code), 128)]
        expected[squares[0] << 8 | squares[1]] = (2 * wins + draws, wins, draws, losses)
    assert {row[0]: row[1:] for row in rows} == expected
    scores = [row[1] for row in rows]
    assert scores == sorted(scores, reverse=True)
    again = read_moves(tmp_path / "a.obk")
    assert again.lost.get("rows that the start position does not lead to", 0) < written.moves / 10
    assert "illegal moves" not in again.lost
