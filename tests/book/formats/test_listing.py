"""Books as CSV and Parquet: others read them, and they come back without loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.foreign_books import move_book

import bookbuilder as bb
from bookbuilder.book.formats.listing import read_csv, write_csv
from bookbuilder.errors import FormatError


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_listing_round_trip(tmp_path: Path, game: bb.Game) -> None:
    path = tmp_path / "a.csv"
    book = move_book(game)
    count, lost = write_csv(path, book)
    assert (count, dict(lost)) == (len(book), {})
    again = read_csv(path)
    assert again.table.equals(book.table)
    assert (again.game, again.fold, again.statistic, again.basis) == (
        book.game,
        book.fold,
        book.statistic,
        book.basis,
    )


def test_invalid_listing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("key,code\n1,2\n")
    with pytest.raises(FormatError, match='column "weight" is missing'):
        read_csv(tmp_path / "a.csv")
