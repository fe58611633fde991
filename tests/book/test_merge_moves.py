"""Books that list moves are merged and compared move by move."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.polyglot
import pytest
from support.foreign_books import move_book, usual_book

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import read_moves, write_moves
from bookbuilder.book.merge_moves import diff_moves, lines_of_moves, merge_moves
from bookbuilder.errors import BookError


def read_as(suffix: str, book: MoveBook, directory: Path) -> MoveBook:
    """Return a book as a format stores it."""
    path = directory / f"book.{suffix}"
    write_moves(path, book)
    return read_moves(path)


def entries(path: Path) -> dict[tuple[int, int], int]:
    """Return the weight of each key and move, as python-chess reads them."""
    with chess.polyglot.open_reader(path) as reader:
        return {(entry.key, entry.raw_move): entry.weight for entry in reader}


def test_weights_of_polyglot_books_add_up(tmp_path: Path) -> None:
    small, large = tmp_path / "small.bin", tmp_path / "large.bin"
    write_moves(small, move_book("chess"))
    write_moves(large, usual_book("chess"))
    write_moves(tmp_path / "sum.bin", merge_moves([read_moves(small), read_moves(large)]))
    expected = entries(small)
    for move, weight in entries(large).items():
        expected[move] = expected.get(move, 0) + weight
    assert entries(tmp_path / "sum.bin") == expected


def test_priority_hides_positions_of_later_books(tmp_path: Path) -> None:
    small, large = tmp_path / "small.bin", tmp_path / "large.bin"
    write_moves(small, move_book("chess"))
    write_moves(large, usual_book("chess"))
    merged = merge_moves([read_moves(small), read_moves(large)], priority=True)
    write_moves(tmp_path / "first.bin", merged)
    known = {key for key, _ in entries(small)}
    later = {move: weight for move, weight in entries(large).items() if move[0] not in known}
    assert entries(tmp_path / "first.bin") == {**entries(small), **later}


def test_moves_with_and_without_locks_are_one_move(tmp_path: Path) -> None:
    polyglot = read_as("bin", usual_book("chess"), tmp_path)
    listing = read_as("csv", usual_book("chess"), tmp_path)
    # A Polyglot book skips moves of weight 0.
    assert len(polyglot) < len(listing)
    assert len(merge_moves([polyglot, listing])) == len(merge_moves([listing, polyglot])) == len(listing)


def test_differences_have_their_lines(tmp_path: Path) -> None:
    before, after = (read_as("bin", book, tmp_path) for book in (usual_book("chess"), move_book("chess")))
    found = diff_moves(before, after)
    changes = found["change"].value_counts()
    assert changes.get("added", 0) - changes["removed"] == len(after) - len(before)
    moves = list(zip(found["key"].tolist(), found["move"].tolist(), strict=True))
    lines = lines_of_moves(before, moves)
    assert lines
    for (key, _), line in list(lines.items())[:20]:
        board = chess.Board()
        for word in line.split()[:-1]:
            if not word.endswith("."):
                board.push_san(word)
        assert bb.Position("chess", board.fen()).key == key
        board.parse_san(line.split()[-1])
    assert diff_moves(before, before).empty


def test_books_of_two_kinds_are_refused() -> None:
    with pytest.raises(BookError, match="books of chess and of xiangqi: expected books of one game"):
        merge_moves([usual_book("chess"), usual_book("xiangqi")])
    with pytest.raises(BookError, match="expected at least one book"):
        merge_moves([])
