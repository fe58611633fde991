"""Arena books: a second reader, over bytes and python-chess, finds what was written."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest
from support.foreign_books import COUNTS, move_book, rows_of

import bookbuilder as bb
from bookbuilder.book.formats.abk import ENTRY, ROOT, read_abk, write_abk
from bookbuilder.book.formats.moves import MoveBook, move_table

PROMOTIONS = {0: None, 1: chess.ROOK, 2: chess.KNIGHT, 3: chess.BISHOP, 4: chess.QUEEN}

Entry = tuple[int, ...]
"""origin, target, promotion, priority, games, won, lost, flags, reply, next."""


def tree_of(content: bytes) -> Iterator[tuple[chess.Board, chess.Move, Entry]]:
    """Every entry that the tree leads to, with the position before it; each is legal there."""
    ahead = [(chess.Board(), ROOT)]
    while ahead:
        board, at = ahead.pop()
        while at >= ROOT:
            entry = struct.unpack_from("<BBbBIIIIii", content, at * 28)
            move = chess.Move(entry[0], entry[1], PROMOTIONS[abs(entry[2])])
            assert move in board.legal_moves
            yield board, move, entry
            if entry[8] >= ROOT:
                after = board.copy(stack=False)
                after.push(move)
                ahead.append((after, entry[8]))
            at = entry[9]


def test_tree_moves_are_legal_and_have_counts_of_book(tmp_path: Path) -> None:
    book = move_book("chess")
    count, lost = write_abk(tmp_path / "a.abk", book)
    content = (tmp_path / "a.abk").read_bytes()
    assert len(content) == 28 * (ROOT + count)
    known = {row[0:3:2]: row[3:] for row in rows_of(book, *COUNTS)}
    found = set()
    entries = list(tree_of(content))
    assert len(entries) == count
    for board, move, entry in entries:
        position = bb.Position("chess", board.fen())
        code = position.parse_move(move.uci())
        if (position.key, code) not in known:
            assert entry[3:7] == (0, 0, 0, 0)
            continue
        _, games, wins, _, losses, quality = known[position.key, code]
        won, lost_games = (wins, losses) if board.turn else (losses, wins)
        assert entry[3:8] == (1 + quality * 8 // 31, games, won, lost_games, 0)
        found.add((position.key, code))
    assert found == set(known)
    assert lost["moves that the start position does not lead to"] == 0
    assert lost["moves of priority 0, which only connect the book"] == count - len(found) > 0


def line_book(line: str) -> MoveBook:
    """A book of one line in UCI, its moves played 1, 2, 3 … times."""
    position, rows = bb.Position("chess"), []
    for text in line.split():
        code = position.parse_move(text)
        rows.append((position.key, position.lock, code))
        position = position.play(code)
    key, lock, move = (np.array(column, np.uint64) for column in zip(*rows, strict=True))
    games = np.arange(1, len(rows) + 1)
    table = move_table(
        len(rows), key=key, lock=lock, move=move, weight=games, games=games, wins=games * 0, draws=games,
        losses=games * 0,
    )  # fmt: skip
    return MoveBook(table=table, game="chess", fold=False, statistic="own")


@pytest.mark.parametrize(
    "line",
    [
        "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8",
        "d2d4 d7d5 b1c3 b8c6 c1f4 c8f5 d1d2 d8d7 e1c1 e8c8",
        "a2a4 b7b5 a4b5 a7a6 b5a6 h7h5 a6a7 h5h4 a7b8n h4h3 b8c6 h3g2 c6d8 g2h1b",
        "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7d8r e8d8",
    ],
)
def test_castling_promotion_and_en_passant_round_trip(tmp_path: Path, line: str) -> None:
    book = line_book(line)
    write_abk(tmp_path / "a.abk", book)
    moves = [move.uci() for _, move, _ in tree_of((tmp_path / "a.abk").read_bytes())]
    assert moves == line.split()
    assert rows_of(read_abk(tmp_path / "a.abk"), "games") == rows_of(book, "games")


def entries_of(path: Path) -> np.ndarray:
    """The entries of a file, to be changed."""
    return np.frombuffer(path.read_bytes(), ENTRY).copy()


def test_deleted_moves_lost_entries_and_loops_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.abk"
    write_abk(path, line_book("e2e4 e7e5 g1f3 b8c6"))
    whole = entries_of(path)
    for changes, lost, moves in (
        ({"flags": {1: 0x01000000}}, {"moves marked as deleted": 1, "entries that no move leads to": 2}, 1),
        ({"next": {0: ROOT}, "reply": {3: ROOT}}, {}, 4),
        (
            {"reply": {1: 5000}},
            {"links beyond the end of the file": 1, "entries that no move leads to": 2},
            2,
        ),
        ({"target": {2: 77}}, {"illegal moves": 1, "entries that no move leads to": 1}, 2),
        ({"promotion": {2: 9}}, {"illegal moves": 1, "entries that no move leads to": 1}, 2),
        ({"priority": {3: 0}}, {"moves of priority 0, which are never played": 1}, 3),
    ):
        spoilt = whole.copy()
        for field, values in changes.items():
            for at, value in values.items():
                spoilt[field][ROOT + at] = value
        path.write_bytes(spoilt.tobytes())
        book = read_abk(path)
        assert (book.lost, len(book)) == (lost, moves)


def test_entries_of_a_transposition_add_up(tmp_path: Path) -> None:
    path = tmp_path / "a.abk"
    write_abk(path, line_book("g1f3 g8f6 d2d4 d7d5"))
    first = entries_of(path)[ROOT:]
    write_abk(path, line_book("d2d4 g8f6 g1f3 d7d5"))
    both = np.concatenate((entries_of(path), first))
    both["next"][ROOT] = ROOT + 4
    for field in ("reply", "next"):
        moved = both[field][ROOT + 4 :]
        both[field][ROOT + 4 :] = np.where(moved >= ROOT, moved + 4, moved)
    path.write_bytes(both.tobytes())
    book = read_abk(path)
    assert book.lost == {"moves added up where several ways lead to a position": 1}
    assert sorted(book.column("games").tolist()) == [1, 1, 2, 2, 3, 3, 8]
