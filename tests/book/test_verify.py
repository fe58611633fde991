"""Verify a book, alone and against its tally."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from support.selections import LITERATURE

from bookbuilder.book.book import Book, stored_records, write_records
from bookbuilder.book.edits import edit_book
from bookbuilder.book.verify import compare_with_tally
from bookbuilder.selection.explain import explain
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module", params=["chess_selfplay.pgn", "xiangqi_selfplay.zip"])
def tally(request, data) -> Tally:
    return Tally.from_archives(data / request.param, max_ply=10, limit=300)


@pytest.mark.parametrize("columns", [True, False])
def test_a_book_agrees_with_its_tally(tmp_path, tally, columns) -> None:
    chosen = select(tally, LITERATURE, min_win_rate="0.4", min_games=2)
    book = Book.write(tmp_path / "a.book", chosen, columns=columns)
    found = compare_with_tally(book, tally)
    assert (found.same, found.different, found.unknown, found.missing) == (len(book), 0, 0, 0)
    assert found.fault == ""
    edit_book(book.path, "startpos", book.moves("startpos")["move"].iloc[-1])
    assert compare_with_tally(Book.open(book.path), tally).missing == 1


@pytest.mark.parametrize("column", ["usage", "quality", "wins"])
def test_verify_names_changed_record(tmp_path, tally, column) -> None:
    book = Book.write(tmp_path / "a.book", select(tally, LITERATURE, min_win_rate=0))
    records = stored_records(book)
    values = records.column(column).to_numpy().copy()
    row = int(np.flatnonzero(records.column("usage").to_numpy() > 1)[0])
    values[row] = values[row] + 1 if column != "wins" else 0
    if column == "wins":
        row = int(np.flatnonzero(records.column("wins").to_numpy() > 0)[0])
        values = records.column("wins").to_numpy().copy()
        values[row] = 0
    changed = records.set_column(records.column_names.index(column), column, pa.array(values))
    path = tmp_path / "b.book"
    write_records(path, changed, game=book.game, fold=book.fold, columns=True, recipe=book.native.recipe)
    found = compare_with_tally(Book.open(path), tally)
    assert (found.same, found.different) == (len(book) - 1, 1)
    assert f"record {row}," in found.fault


def test_every_dropped_move_is_explained(data) -> None:
    tally = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=6, limit=300)
    rules = {
        "min_win_rate": "0.5", "min_games": 3, "min_share": "10%", "top": 2,
        "min_score": "0.5", "connected": True,
    }  # fmt: skip
    chosen = select(tally, LITERATURE, **rules)
    found = explain(tally, chosen, "startpos")
    assert found["played"].is_monotonic_decreasing
    assert found["share"].sum() == pytest.approx(1)
    whys = dict(zip(found["reason"], found["why"], strict=True))
    assert (found["kept"] == (found["reason"] == "")).all()
    assert "share " in whys[""]
    assert "% ≥ 10.0 %" in whys[""]
    assert whys["below-games"].endswith("< 3 games")
    p = found[found["reason"] == "below-p"].iloc[0]
    assert p["why"].startswith(f"P = {p['wins']}/{p['wins'] + p['losses']} = ")
    assert p["why"].endswith("< 50.0 %")
    assert (
        explain(tally, select(tally, LITERATURE, max_ply=0), "startpos")["why"]
        .str.endswith("expected at most 0")
        .all()
    )
    moves = explain(tally, select(tally, LITERATURE, shape="moves", min_win_rate=0, top=1), "startpos")
    assert moves["kept"].sum() == 1
