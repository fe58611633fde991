"""The clustered book in Python: what was selected is what is probed."""

from __future__ import annotations

from pathlib import Path

import chess
import numpy as np
import pytest

from bookbuilder.book import Book, Record
from bookbuilder.errors import BookError, FenError, OutputExistsError, SelectionError
from bookbuilder.selection import Selection, select
from bookbuilder.tally import Tally

GAMES = """[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 1-0

[Result "0-1"]

1. Nf3 e5 2. e4 d6 0-1

[Result "1/2-1/2"]

1. e4 c5 2. Nf3 1/2-1/2

"""


@pytest.fixture(scope="module")
def tally(tmp_path_factory) -> Tally:
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text(GAMES, encoding="utf-8")
    return Tally.from_archives(path)


@pytest.fixture(scope="module")
def selection(tally) -> Selection:
    return select(tally, min_win_rate=0)


@pytest.fixture(scope="module")
def book(selection, tmp_path_factory) -> Book:
    return Book.write(tmp_path_factory.mktemp("books") / "small.book", selection)


def test_book_holds_the_kept_positions(selection, book) -> None:
    kept = selection.kept().to_pandas()
    frame = book.to_pandas()
    assert len(book) == len(frame) == len(kept)
    assert (frame["key"] == kept["key"]).all()
    assert (frame["usage"] == kept["reached"]).all()
    assert (frame["wins"] == np.where(kept["side"] == 0, kept["wins"], kept["losses"])).all()
    assert (frame["losses"] == np.where(kept["side"] == 0, kept["losses"], kept["wins"])).all()
    assert (frame["quality"] == kept["quality"]).all()
    assert int(book.cluster_sizes().sum()) == len(book)
    book.verify()


def test_probe_knows_a_position_by_any_order_of_moves(book) -> None:
    board = chess.Board()
    for move in ("g1f3", "e7e5", "e2e4"):
        board.push_uci(move)
    record = book.probe(board)
    assert isinstance(record, Record)
    assert (record.usage, record.first_wins, record.draws, record.second_wins) == (2, 1, 0, 1)
    assert (record.seen_first_win, record.seen_draw, record.seen_second_win) == (True, False, True)
    assert book.probe("startpos") is None, "no move leads to it"
    with pytest.raises(FenError):
        book.probe("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1")


def test_moves_are_the_legal_ones_that_lead_to_a_record(book) -> None:
    frame = book.moves("startpos")
    assert frame["move"].tolist() == ["e2e4", "g1f3"]
    assert frame["reached"].tolist() == [2, 1]
    assert frame["p"].tolist() == [1.0, 0.0]
    assert frame["score"].tolist() == [0.75, 0.0]
    board = chess.Board()
    board.push_uci("e2e4")
    replies = book.moves(board)
    assert replies.set_index("san")["p"].isna().to_dict() == {"e5": False, "c5": True}
    # 1. e4 e5 was won by the second side once it stood after 2. Nf3, but not before.
    assert replies.set_index("san")["first_wins"].to_dict() == {"e5": 1, "c5": 0}
    assert book.moves("4k3/8/8/8/8/8/8/4K2R w - - 0 1").empty


def test_book_without_columns_knows_usage_and_quality(selection, tmp_path) -> None:
    book = Book.write(tmp_path / "bare.book", selection, columns=False)
    assert book.moves("startpos").columns.tolist() == ["move", "san", "code", "reached", "quality"]
    record = book.probe(chess.Board("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"))
    assert record is not None
    assert (record.usage, record.lock, record.first_wins) == (1, None, None)


def test_recipe_and_info_say_how_the_book_was_made(tally, selection, book) -> None:
    assert book.recipe["selection"] == selection.recipe["selection"]
    assert book.recipe["sources"][0]["sha256"] == tally.sources[0].sha256
    info = book.info
    assert (info["game"], info["records"], info["fold"], info["columns"]) == ("chess", len(book), False, True)
    assert info["bytes"] == book.path.stat().st_size
    assert info["recipe"] == book.recipe


def test_same_selection_gives_the_same_bytes(selection, book, tmp_path) -> None:
    again = Book.write(tmp_path / "again.book", selection)
    assert again.path.read_bytes() == book.path.read_bytes()


def test_file_that_exists_is_replaced_only_by_force(selection, tmp_path) -> None:
    path = tmp_path / "mine.book"
    path.write_text("mine")
    with pytest.raises(OutputExistsError, match=r"mine\.book"):
        Book.write(path, selection)
    assert path.read_text() == "mine"
    Book.write(path, selection, force=True).verify()


def test_only_positions_make_a_clustered_book(tally, tmp_path) -> None:
    with pytest.raises(SelectionError, match="selection of moves"):
        Book.write(tmp_path / "x.book", select(tally, shape="moves"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["missing", "foreign", "other game"])
def test_what_is_no_such_book_is_refused(book, tmp_path, wrong) -> None:
    path, game = tmp_path / "x.book", None
    if wrong == "foreign":
        path.write_bytes(bytes(4096))
    elif wrong == "other game":
        path, game = Path(book.path), "xiangqi"
    with pytest.raises(BookError, match=path.name):
        Book.open(path, game=game)
