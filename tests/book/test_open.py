"""Books of all formats are opened with one function and answer the same questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.foreign_books import usual_book, whole_book

import bookbuilder as bb
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import ListedBook
from bookbuilder.errors import BookError, FormatError
from bookbuilder.games.position import Game

SUFFIXES: tuple[tuple[Game, str], ...] = (
    ("chess", "bin"),
    ("chess", "abk"),
    ("chess", "csv"),
    ("xiangqi", "dat"),
    ("xiangqi", "obk"),
    ("xiangqi", "json"),
    ("xiangqi", "parquet"),
)


@pytest.mark.parametrize(("game", "suffix"), SUFFIXES)
def test_book_of_every_format_has_the_moves_at_the_start(game: Game, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"book.{suffix}"
    write_moves(path, usual_book(game))
    book = bb.open_book(path)
    assert isinstance(book, ListedBook)
    assert (book.game, book.path) == (game, path)
    assert len(book) > 10
    moves = book.moves("startpos")
    assert moves["weight"].is_monotonic_decreasing
    assert moves["share"].sum() == pytest.approx(1)
    assert book.pick("startpos", "best") == moves["move"][0]
    assert moves.attrs["game"] == game
    assert ("results" in book.lacks) == ("p" not in moves.columns)


def test_clustered_book_is_returned_as_book(tmp_path: Path) -> None:
    write_moves(tmp_path / "a.book", usual_book("chess"))
    book = bb.open_book(tmp_path / "a.book", game="chess")
    assert isinstance(book, bb.Book)
    assert (book.format, book.lacks) == ("book", ())


def test_pick_draws_by_weight(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    write_moves(path, usual_book("chess"))
    book = bb.open_book(path)
    picked = Counter(book.pick("startpos", seed=seed) for seed in range(400))
    moves = book.moves("startpos")
    assert set(picked) <= set(moves["move"])
    assert picked[moves["move"][0]] / 400 == pytest.approx(moves["share"][0], abs=0.1)
    assert book.pick("4k3/8/8/8/8/8/8/4K3 w - - 0 1") is None


def test_temporary_clustered_book_has_the_positions_after_the_moves(tmp_path: Path) -> None:
    write_moves(tmp_path / "a.obk", whole_book("xiangqi"))
    listed = bb.open_book(tmp_path / "a.obk")
    assert isinstance(listed, ListedBook)
    with listed.as_clustered() as book:
        assert set(listed.moves("startpos")["move"]) <= set(book.moves("startpos")["move"])
        path = book.path
    assert not path.exists()


def test_wrong_files_are_refused(chess_pgn: Path, tmp_path: Path) -> None:
    write_moves(tmp_path / "a.obk", usual_book("xiangqi"))
    with pytest.raises(BookError, match=r"a\.obk: is a book of xiangqi; expected a book of chess"):
        bb.open_book(tmp_path / "a.obk", game="chess")
    with pytest.raises(FormatError, match="is an archive of chess games; expected a book"):
        bb.open_book(chess_pgn)
    (tmp_path / "a.xyz").write_text("prose")
    with pytest.raises(FormatError, match="its content is not recognised"):
        bb.open_book(tmp_path / "a.xyz")
    with pytest.raises(OSError, match="missing"):
        bb.open_book(tmp_path / "missing.bin")
