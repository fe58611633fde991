"""Merge and compare books: counts add up in any order, priority hides moves, equal books do not differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.selections import LITERATURE

from bookbuilder.book.book import Book, stored_records
from bookbuilder.book.merge import diff_books, merge_books
from bookbuilder.book.records import write_records
from bookbuilder.errors import BookError
from bookbuilder.games.position import as_position
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

Row = tuple[int, int, int, int, int]
# Few keys, so that books share some; counts up to the largest that a field holds.
ROWS = st.dictionaries(
    st.integers(0, 12).map(lambda n: n * 0x1555_5555_5555_5555 % 2**64),
    st.tuples(*[st.sampled_from([0, 1, 7, 2**31, 2**32 - 1])] * 3, st.integers(0, 9), st.integers(0, 31)),
    max_size=8,
)


def write(path: Path, rows: dict[int, Row], *, columns: bool = True, name: str = "a") -> Book:
    """A book of rows: wins, draws, losses, further games, quality by key; the lock follows from the key."""
    keys = sorted(rows)
    table = {
        "key": np.array(keys, np.uint64),
        "lock": np.array([key % 977 for key in keys], np.uint32),
        "usage": np.array([sum(rows[key][:4]) for key in keys], np.uint64),
        **{
            field: np.array([rows[key][place] for key in keys], np.uint64)
            for place, field in enumerate(("wins", "draws", "losses"))
        },
        "quality": np.array([rows[key][4] for key in keys], np.uint8),
    }
    write_records(
        path, pa.table(table), game="chess", fold=False, columns=columns, recipe={"sources": [name]}
    )
    return Book.open(path)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(one=ROWS, two=ROWS, three=ROWS, kinds=st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_merging_is_associative_and_commutative_byte_for_byte(tmp_path, one, two, three, kinds) -> None:
    a, b, c = (
        write(tmp_path / f"{name}.book", rows, columns=columns, name=name)
        for name, rows, columns in zip("abc", (one, two, three), kinds, strict=True)
    )

    def merged(name: str, *books: Book) -> Book:
        return merge_books(tmp_path / name, books)

    left = merged("left.book", merged("ab.book", a, b), c).path.read_bytes()
    right = merged("right.book", a, merged("bc.book", b, c)).path.read_bytes()
    turned = merged("turned.book", merged("cb.book", c, b), a).path.read_bytes()
    assert left == right == turned == merged("once.book", b, c, a).path.read_bytes()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(one=ROWS, two=ROWS)
def test_merged_counts_saturate(tmp_path, one, two) -> None:
    a, b = write(tmp_path / "a.book", one), write(tmp_path / "b.book", two)
    merged = merge_books(tmp_path / "m.book", [a, b])
    merged.verify()
    frame = merged.to_pandas().set_index("key")
    assert sorted(frame.index) == sorted({*one, *two})
    for key, row in frame.iterrows():
        both = [rows[key] for rows in (one, two) if key in rows]
        for place, name in enumerate(("wins", "draws", "losses")):
            assert row[name] == min(sum(each[place] for each in both), 2**32 - 1)
        assert row["usage"] == min(sum(sum(each[:4]) for each in both), 2**24 - 1)
        assert row["quality"] == max(each[4] for each in both)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(one=ROWS, two=ROWS, columns=st.booleans())
def test_diff_lists_only_real_differences(tmp_path, one, two, columns) -> None:
    a, b = write(tmp_path / "a.book", one), write(tmp_path / "b.book", two, columns=columns)
    assert diff_books(a, a).empty
    assert diff_books(b, b).empty
    found = diff_books(a, b)
    told = {int(key): str(change) for key, change in zip(found["key"], found["change"], strict=True)}

    def seen(row: Row) -> object:
        results = row[:3] if columns else tuple(count > 0 for count in row[:3])
        return results, min(sum(row[:4]), 2**24 - 1), row[4]

    for key in {*one, *two}:
        if key not in one:
            assert told.pop(key) == "added"
        elif key not in two:
            assert told.pop(key) == "removed"
        elif seen(one[key]) != seen(two[key]):
            assert told.pop(key) == "changed"
    assert not told
    # Turned round, what was added is removed.
    turned = diff_books(b, a)["change"].value_counts()
    assert turned["removed"] == (found["change"] == "added").sum()


def test_records_written_again_are_the_same(tmp_path, data) -> None:
    chosen = select(
        Tally.from_archives(data / "chess_selfplay.pgn", max_ply=8, limit=50), LITERATURE, min_win_rate=0
    )
    for columns in (True, False):
        book = Book.write(tmp_path / "a.book", chosen, columns=columns)
        write_records(
            tmp_path / "b.book",
            stored_records(book),
            game=book.game,
            fold=book.fold,
            columns=columns,
            recipe=book.native.recipe,
        )
        assert (tmp_path / "b.book").read_bytes() == (tmp_path / "a.book").read_bytes()


@pytest.fixture(scope="module")
def two_books(data, tmp_path_factory) -> tuple[Book, Book]:
    """Books of different archives: one of few moves, one of many."""
    folder = tmp_path_factory.mktemp("books")
    few = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=8, limit=60)
    many = Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=600)
    rules = {"min_win_rate": "0.3"}
    return (
        Book.write(folder / "few.book", select(few, LITERATURE, **rules)),
        Book.write(folder / "many.book", select(many, LITERATURE, **rules)),
    )


def test_priority_hides_later_moves(tmp_path, two_books) -> None:
    first, later = two_books
    merged = merge_books(tmp_path / "m.book", [first, later], priority=True)
    merged.verify()
    steps = merged.lines()
    assert len(first) < len(merged) < len(later) + len(first)
    waiting, seen, mixed = [as_position("startpos", "chess")], set(), 0
    while waiting:
        here = waiting.pop()
        if here.key in seen:
            continue
        seen.add(here.key)
        ours, all_moves = set(first.moves(here)["move"]), set(merged.moves(here)["move"])
        if ours:
            assert all_moves == ours
        else:
            mixed += bool(all_moves)
        waiting += [here.play(here.parse_move(move)) for move in all_moves]
    assert mixed > 0
    assert len(seen) == steps["record"].nunique() + 1
    records = merged.to_pandas().set_index("key")
    assert records.loc[first.to_pandas()["key"]]["usage"].tolist() == first.to_pandas()["usage"].tolist()


def test_books_of_different_kinds_are_not_merged(tmp_path, two_books, xiangqi_zip) -> None:
    other = Book.write(
        tmp_path / "x.book", select(Tally.from_archives(xiangqi_zip, max_ply=4), LITERATURE, min_win_rate=0)
    )
    with pytest.raises(BookError, match=r"cannot be merged: .*x\.book \(xiangqi, mirrors folded\)"):
        merge_books(tmp_path / "m.book", [two_books[0], other])
    with pytest.raises(BookError, match="cannot be compared"):
        diff_books(two_books[0], other)
    with pytest.raises(BookError, match="at least one book"):
        merge_books(tmp_path / "m.book", [])
