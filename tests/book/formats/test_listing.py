"""Books as CSV and Parquet: others read them, and they come back without loss."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.foreign_books import move_book

import bookbuilder as bb
from bookbuilder.book.formats import listing
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.errors import FormatError

FORMS = ["csv", "parquet"]


def write(path: Path, book: MoveBook) -> None:
    """Write a book by the suffix."""
    count, lost = getattr(listing, f"write_{path.suffix[1:]}")(path, book)
    assert (count, dict(lost)) == (len(book), {})


def read(path: Path) -> MoveBook:
    """Read a book by the suffix."""
    reader: Callable[[Path], MoveBook] = getattr(listing, f"read_{path.suffix[1:]}")
    return reader(path)


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
@pytest.mark.parametrize("form", FORMS)
def test_listing_round_trip(tmp_path: Path, form: str, game: bb.Game) -> None:
    path = tmp_path / f"a.{form}"
    book = move_book(game)
    write(path, book)
    again = read(path)
    assert again.table.equals(book.table)
    assert (again.game, again.fold, again.statistic, again.basis) == (
        book.game,
        book.fold,
        book.statistic,
        book.basis,
    )


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", "key,code\n1,2\n", r'column "weight" is missing'),
        ("a.parquet", "PAR1", r"a\.parquet: .*expected a Parquet file"),
    ],
)
def test_invalid_listing_is_refused(tmp_path: Path, name: str, content: str, why: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=why):
        read(tmp_path / name)
