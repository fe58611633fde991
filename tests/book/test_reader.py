"""Books read with boards and moves of python-chess, compared with its reader of Polyglot books."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.polyglot
import pytest

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.play import record_weight

CASTLING = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 1"


@pytest.fixture(scope="module")
def book(data: Path, tmp_path_factory: pytest.TempPathFactory) -> bb.Book:
    folder = tmp_path_factory.mktemp("books")
    bb.build([data / "chess_selfplay.pgn", data / "historic.pgn"], folder / "a.book", preset="own-games")
    return bb.Book.open(folder / "a.book")


@pytest.fixture(scope="module")
def exported(
    book: bb.Book, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[chess.polyglot.MemoryMappedReader]:
    """The same book as Polyglot has it: with the weights of the book, scaled to its 16 bits."""
    path = tmp_path_factory.mktemp("books") / "a.bin"
    bb.convert(book.path, path.with_suffix(".csv"))
    weighed = weighted_by_usage(path.with_suffix(".csv"), book)
    bb.write_moves(path, weighed)
    with chess.polyglot.open_reader(path) as reader:
        yield reader


def weighted_by_usage(path: Path, book: bb.Book) -> MoveBook:
    """Return the moves of a listing with the weights that the clustered book draws by."""
    import numpy as np
    import pyarrow as pa

    from bookbuilder.book.formats.registry import read_moves
    from bookbuilder.schema import BOOK_MOVES

    moves = read_moves(path)
    weight = record_weight(moves.column("games"), moves.column("quality").astype(np.uint64))
    place = moves.table.schema.get_field_index("weight")
    table = moves.table.set_column(place, BOOK_MOVES.field("weight"), pa.array(weight))
    weighed = MoveBook(table=table, game="chess", fold=book.fold, statistic="own")
    # The heaviest move of each position is first, as Polyglot books have it.
    order = np.lexsort((weighed.column("move"), weight.max() - weight, weighed.column("key")))
    return weighed.select(order)


def walk(reader: chess.polyglot.MemoryMappedReader, positions: int) -> Iterator[chess.Board]:
    """Yield boards along lines of the exported book."""
    boards = [chess.Board()]
    for board in boards:
        yield board
        for entry in reader.find_all(board):
            if len(boards) < positions:
                boards.append(board.copy())
                boards[-1].push(entry.move)


def test_entries_are_those_of_python_chess(book: bb.Book, exported) -> None:
    count = 0
    for board in walk(exported, 300):
        mine, theirs = list(book.find_all(board)), list(exported.find_all(board))
        # What Polyglot's 16 bits round to 0 is not in its book.
        scale = theirs[0].weight / mine[0].weight if theirs else 0
        weights = {each.move: each.weight for each in theirs}
        assert all(abs(each.weight * scale - weights.get(each.move, 0)) <= 1 for each in mine)
        kept = [each._replace(weight=weights[each.move]) for each in mine if each.move in weights]
        assert Counter(kept) == Counter(theirs)
        assert [each.weight for each in kept] == [each.weight for each in theirs]
        count += len(mine)
    assert count > 300


def test_castling_is_the_move_of_the_king(tmp_path: Path) -> None:
    board = chess.Board(CASTLING)
    archive = tmp_path / "a.pgn"
    archive.write_text(
        f'[SetUp "1"]\n[FEN "{CASTLING}"]\n[Result "1-0"]\n\n1. O-O d6 1-0\n\n', encoding="utf-8"
    )
    tally = bb.Tally.from_archives(archive, custom_starts=True)
    free = {"min_games": 1, "margin": None, "sharpen": 0}
    with bb.Book.write(tmp_path / "a.book", bb.select(tally, **free)) as book:
        assert book.find(board).move == chess.Move.from_uci("e1g1")
    moves = MoveBook.from_selection(bb.select(tally, **free, shape="moves"))
    bb.write_moves(tmp_path / "a.bin", moves)
    with chess.polyglot.open_reader(tmp_path / "a.bin") as reader:
        assert reader.find(board).raw_move == book.find(board).raw_move
        assert reader.find(board).move == book.find(board).move


def test_polyglot_book_is_read_as_by_python_chess(
    exported: chess.polyglot.MemoryMappedReader, tmp_path: Path
) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(exported.mmap))
    opened = bb.open_book(path)
    for board in walk(exported, 300):
        expected = [(entry.move, entry.weight) for entry in exported.find_all(board)]
        assert [(entry.move, entry.weight) for entry in opened.find_all(board)] == expected
        if expected:
            drawn = exported.weighted_choice(board, random=random.Random(3))
            assert opened.weighted_choice(board, random=random.Random(3)).move == drawn.move
