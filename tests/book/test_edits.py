"""Edits of a book: undo restores the bytes, and a recipe with edits builds the same book."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.selections import LITERATURE

from bookbuilder._core import Position
from bookbuilder.book.book import Book, stored_records
from bookbuilder.book.edits import edit_book, undo_edit, write_edited
from bookbuilder.book.recipe import Edit, edits_of
from bookbuilder.book.records import write_records
from bookbuilder.errors import BookError, MoveError, OptionError
from bookbuilder.games.position import as_position
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module")
def chosen(data) -> Selection:
    tally = Tally.from_archives(data / "xiangqi_selfplay.zip", max_ply=6, limit=200)
    return select(tally, LITERATURE, min_win_rate=0, min_games=2)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 10**6), st.none() | st.integers(0, 31)), min_size=1, max_size=6
    ),
    columns=st.booleans(),
)
def test_undo_restores_bytes(tmp_path, chosen, changes, columns) -> None:
    path = tmp_path / "a.book"
    before = [Book.write(path, chosen, columns=columns).path.read_bytes()]
    made = []
    for number, quality in changes:
        here = as_position("startpos", "xiangqi")
        # Down the book some plies, then one of its moves.
        for _ in range(number % 3):
            if (moves := Book.open(path).moves(here)["move"].tolist()) and len(moves) > 1:
                here = here.play(here.parse_move(moves[number % len(moves)]))
        moves = Book.open(path).moves(here)["move"].tolist()
        if not moves:
            continue
        move = moves[number % len(moves)]
        made.append(edit_book(path, here, move, quality=quality))
        book = Book.open(path)
        book.verify()
        record = book.probe(here.play(here.parse_move(move)))
        assert (record.quality if record else None) == quality
        before.append(path.read_bytes())
    assert list(edits_of(Book.open(path).recipe)) == made
    again = write_edited(tmp_path / "again.book", chosen, made, columns=columns)
    assert again.path.read_bytes() == before.pop()
    for edit, bytes_before in zip(reversed(made), reversed(before), strict=True):
        assert undo_edit(path) == edit
        assert path.read_bytes() == bytes_before


def test_undo_restores_recipe_with_other_spelling(tmp_path, chosen) -> None:
    book = Book.write(tmp_path / "a.book", chosen)
    spelled = json.dumps(book.recipe, indent=2, ensure_ascii=False)
    path = tmp_path / "b.book"
    write_records(path, stored_records(book), game=book.game, fold=book.fold, columns=True, recipe=spelled)
    before = path.read_bytes()
    move = Book.open(path).moves("startpos")["move"].iloc[0]
    edit_book(path, "startpos", move, quality=1)
    edit_book(path, "startpos", move, quality=2)
    undo_edit(path)
    undo_edit(path)
    assert path.read_bytes() == before


def test_a_mirrored_move_is_the_same_record(tmp_path, chosen) -> None:
    path = tmp_path / "a.book"
    Book.write(path, chosen)
    start, book = Position("xiangqi"), Book.open(path)
    code = int(book.moves("startpos")["code"].iloc[0])
    other = next(each for each in start.moves() if each != code and mirrors(start, each, code))
    edit_book(path, "startpos", start.coordinates(other), quality=3)
    assert Book.open(path).moves("startpos")["quality"].iloc[0] == 3


def mirrors(here: Position, one: int, other: int) -> bool:
    return here.stored_move(one, True) == here.stored_move(other, True)


def test_refused_edit_writes_nothing(tmp_path, chosen) -> None:
    path = tmp_path / "a.book"
    Book.write(path, chosen)
    before = path.read_bytes()
    with pytest.raises(BookError, match=r"a0a1 leads to no record of it in rnba"):
        edit_book(path, "startpos", "a0a1", quality=3)
    with pytest.raises(MoveError):
        edit_book(path, "startpos", "a0a9", quality=3)
    with pytest.raises(OptionError, match="quality is 32"):
        Edit(position="", move="", quality=32)
    with pytest.raises(BookError, match="no edits to undo"):
        undo_edit(path)
    assert path.read_bytes() == before
    assert list(Path(tmp_path).iterdir()) == [path]
