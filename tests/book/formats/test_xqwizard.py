"""BOOK.DAT: the published words, the order of the records, the rule of mirrors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from support.foreign_books import rows_of, usual_book
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder import _core
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.xqwizard import RECORD, locks_of, write_book_dat
from bookbuilder.games.columns import mirror_moves
from bookbuilder.schema import from_native

H2E2 = 0xA7AA


def words(fen: str | None = None) -> tuple[int, ...]:
    """Key, lock 0 and lock 1 of a position."""
    positions = _core.Positions("xiangqi", None if fen is None else [fen])
    boards = from_native(positions.boards()).column("piece").to_numpy().reshape(-1, 90)
    side = from_native(positions.keys(False)).column("side").to_numpy()
    return tuple(int(word[0]) for word in locks_of(boards, side))


def records_of(path: Path) -> np.ndarray:
    """The records of a file."""
    return np.frombuffer(path.read_bytes(), RECORD)


def test_words_match_published_ones() -> None:
    assert words() == (0xE6DB463E, 0x8F899C24, 0x052656D5)
    start = bb.Position("xiangqi")
    assert words(start.play(start.parse_move("h2e2")).fen) == (0xE2049E57, 0xEABC90F8, 0xEB505D7D)


def test_records_ascend_and_start_has_moves_and_mirrors(tmp_path: Path) -> None:
    count, lost = write_book_dat(tmp_path / "BOOK.DAT", usual_book("xiangqi"))
    records = records_of(tmp_path / "BOOK.DAT")
    assert len(records) == count
    places = records["lock"].astype(np.int64) << 16 | records["move"]
    assert (places[1:] > places[:-1]).all()
    start = records[records["lock"] == 0x052656D5]
    weights = dict(zip(start["move"].tolist(), start["weight"].tolist(), strict=True))
    assert weights[H2E2] > 0
    for move, weight in weights.items():
        origin, target = move & 255, move >> 8
        assert weights[
            ((origin & 0xF0) | (14 - (origin & 15))) | ((target & 0xF0) | (14 - (target & 15))) << 8
        ] == (weight)
    assert lost["moves that the start position does not lead to"] == 0


def test_unfolded_book_gives_same_file_as_folded(tmp_path: Path) -> None:
    tally = bb.Tally.from_archives(
        Path(__file__).parents[3] / "data" / "xiangqi_selfplay.zip", max_ply=6, limit=80, fold=False
    )
    chosen = bb.select(tally, LITERATURE, shape="moves", min_win_rate=0)
    book = MoveBook.from_selection(chosen)
    assert not book.fold
    straight = [row for row in rows_of(book, "weight") if row[0] == bb.Position("xiangqi").key]
    count, _ = write_book_dat(tmp_path / "a.dat", book)
    start = records_of(tmp_path / "a.dat")
    start = start[start["lock"] == 0x052656D5]
    heaviest = {}
    for _, _, move, weight in straight:
        pair = frozenset((move, int(mirror_moves(np.array([move], np.uint16))[0])))
        heaviest[pair] = max(heaviest.get(pair, 0), weight)
    assert sorted(weight for weight in start["weight"].tolist()) == sorted(
        weight for pair, weight in heaviest.items() for _ in pair if weight
    )
    assert count > len(start)
