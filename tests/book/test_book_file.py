"""A reader of the clustered book that was written from docs/book-file.md alone, without the package."""

from __future__ import annotations

import json
import struct
from bisect import bisect_left
from pathlib import Path

import chess
import chess.polyglot
import pytest


class Reader:
    """The records of a book of chess."""

    def __init__(self, path: Path) -> None:
        self.data = data = path.read_bytes()
        magic, version, game, flags, recipe_bytes, _, self.records = struct.unpack_from("<8sHBBIQQ", data)
        assert (magic, version, game) == (b"BOOKBLDR", 1, 0)
        records, columns, recipe = struct.unpack_from("<3Q", data, 32)
        self.has_columns = bool(flags & 2)
        self.index = struct.unpack_from("<32769I", data, 64)
        end = 64 + 32_769 * 4
        self.first, end = self.section(end, 12 * self.records)
        self.columns = []
        for _ in range(4 if self.has_columns else 0):
            start, end = self.section(end, 4 * self.records)
            self.columns.append(struct.unpack_from(f"<{self.records}I", data, start))
        start, after = self.section(end, 5 * self.records)
        self.values = None
        if flags & 4:
            end, self.values = after, list(struct.iter_unpack("<hHB", data[start:after]))
        first_column = self.section(records + 12 * self.records, 0)[0]
        assert (records, columns) == (self.first, first_column if self.has_columns else 0)
        start, end = self.section(end, recipe_bytes)
        assert start == recipe
        self.recipe = json.loads(data[recipe:end])
        _, end = self.section(end, 4 * -(-end // 4096))
        assert len(data) == end + 8

    @staticmethod
    def section(end: int, size: int) -> tuple[int, int]:
        """Return where the next section starts and ends."""
        start = -(-end // 64) * 64
        return start, start + size

    def key(self, number: int) -> int:
        """Return the key of a record."""
        return struct.unpack_from("<Q", self.data, self.first + 12 * number)[0]

    def find(self, key: int) -> int | None:
        """Return the number of the record of a key."""
        begin, end = self.index[key >> 49], self.index[(key >> 49) + 1]
        place = bisect_left(range(end), key, begin, key=self.key)
        return place if place < end and self.key(place) == key else None

    def moves(self, board: chess.Board) -> dict[str, tuple[int, ...]]:
        """Return the weight of each book move, and wins, draws and losses if they are there."""
        found = {}
        for move in board.legal_moves:
            board.push(move)
            number = self.find(chess.polyglot.zobrist_hash(board))
            board.pop()
            if number is not None:
                (word,) = struct.unpack_from("<I", self.data, self.first + 12 * number + 8)
                results = [column[number] for column in self.columns[1:]]
                assert not results or [bool(count) for count in results] == [
                    bool(word >> bit & 1) for bit in (31, 30, 29)
                ]
                found[move.uci()] = ((word & 0xFFFFFF) * ((word >> 24 & 31) + 1) ** 3, *results)
        return found


@pytest.mark.parametrize("columns", [True, False])
def test_reader_written_from_the_page_finds_the_moves(data: Path, tmp_path: Path, columns: bool) -> None:
    import bookbuilder as bb

    tally = bb.Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12, limit=300)
    evals = bb.evaluate_tally(tally, nodes=200, positions=20, min_games=2) if columns else None
    chosen = bb.select(tally, min_games=2, evals=evals)
    book = bb.Book.write(tmp_path / "a.book", chosen, columns=columns)
    reader = Reader(book.path)
    assert (reader.records, reader.recipe) == (len(book), book.recipe)
    assert book.has_values == columns == (reader.values is not None)
    if reader.values is not None:
        # By key, for two positions never share one in a book as small as this.
        known = {row["key"]: row for row in evals.table.sort_by("nodes").to_pylist()}
        for number, (value, best, depth) in enumerate(reader.values):
            row = known.get(reader.key(number), {})
            assert (value, best or None, depth) == (row.get("score", 0), row.get("best"), row.get("depth", 0))
        assert sum(depth > 0 for *_, depth in reader.values) > 10
    boards, seen = [chess.Board()], 0
    while boards and seen < 200:
        board = boards.pop()
        here = bb.as_position(board, "chess")
        found = reader.moves(board)
        assert {move: weight for move, (weight, *_) in found.items()} == {
            here.coordinates(code): weight for code, weight in book.weighted_moves(here)
        }
        for row in book.move_rows(here) if columns else ():
            assert found[row["move"]][1:] == (row["first_wins"], row["draws"], row["second_wins"])
        seen += 1
        boards += [after for move in found if (after := board.copy(stack=False)).push_uci(move)]
    assert seen > 50
