"""Books of all formats are opened with one function and answer the same questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.foreign_books import usual_book

import bookbuilder as bb
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import ListedBook
from bookbuilder.games.position import Game

SUFFIXES: tuple[tuple[Game, str], ...] = (
    ("chess", "bin"),
    ("chess", "abk"),
    ("chess", "csv"),
    ("xiangqi", "dat"),
    ("xiangqi", "obk"),
    ("xiangqi", "csv"),
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
