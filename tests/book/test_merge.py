"""Merge and compare books: counts add up in any order, priority hides moves, equal books do not differ."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.foreign_books import move_book, tally_of, usual_book
from support.selections import LITERATURE

from bookbuilder.book.book import Book, write_records
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.merge import merge_books
from bookbuilder.errors import BookError, OptionError
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
        merge_books(tmp_path / name, books)
        return Book.open(tmp_path / name)

    left = merged("left.book", merged("ab.book", a, b), c).path.read_bytes()
    right = merged("right.book", a, merged("bc.book", b, c)).path.read_bytes()
    turned = merged("turned.book", merged("cb.book", c, b), a).path.read_bytes()
    assert left == right == turned == merged("once.book", b, c, a).path.read_bytes()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(one=ROWS, two=ROWS)
def test_merged_counts_saturate(tmp_path, one, two) -> None:
    a, b = write(tmp_path / "a.book", one), write(tmp_path / "b.book", two)
    merge_books(tmp_path / "m.book", [a, b])
    merged = Book.open(tmp_path / "m.book")
    merged.verify()
    frame = merged.to_pandas().set_index("key")
    assert sorted(frame.index) == sorted({*one, *two})
    for key, row in frame.iterrows():
        both = [rows[key] for rows in (one, two) if key in rows]
        for place, name in enumerate(("wins", "draws", "losses")):
            assert row[name] == min(sum(each[place] for each in both), 2**32 - 1)
        assert row["usage"] == min(sum(sum(each[:4]) for each in both), 2**24 - 1)
        assert row["quality"] == max(each[4] for each in both)


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
    merge_books(tmp_path / "m.book", [first, later], priority=True)
    merged = Book.open(tmp_path / "m.book")
    merged.verify()
    assert len(first) < len(merged) < len(later) + len(first)
    assert set(first.moves("startpos")["move"]) == set(merged.moves("startpos")["move"])


def test_a_merge_needs_a_book(tmp_path) -> None:
    with pytest.raises(BookError, match="at least one book"):
        merge_books(tmp_path / "m.book", [])


def entries(path: Path) -> dict[tuple[int, int], int]:
    """Return the weight of each key and move, as python-chess reads them."""
    with chess.polyglot.open_reader(path) as reader:
        return {(entry.key, entry.raw_move): entry.weight for entry in reader}


def test_weights_of_polyglot_books_add_up(tmp_path: Path) -> None:
    small, large = tmp_path / "small.bin", tmp_path / "large.bin"
    write_moves(small, move_book("chess"))
    write_moves(large, usual_book("chess"))
    merge_books(tmp_path / "sum.bin", [small, large])
    expected = entries(small)
    for move, weight in entries(large).items():
        expected[move] = expected.get(move, 0) + weight
    assert entries(tmp_path / "sum.bin") == expected


def test_ratio_gives_each_book_its_part_at_every_position(tmp_path: Path) -> None:
    one, two = tmp_path / "one.bin", tmp_path / "two.bin"
    heavy = usual_book("chess")
    write_moves(one, heavy)
    write_moves(two, move_book("chess"))
    with pytest.raises(OptionError, match="ratio 1:2:3: expected a number above 0 for each of the 2 books"):
        merge_books(tmp_path / "m.bin", [one, two], ratio=[1, 2, 3])
    merge_books(tmp_path / "m.bin", [one, two], ratio=[3, 1])
    first, second, merged = entries(one), entries(two), entries(tmp_path / "m.bin")
    for key in {key for key, _ in first} & {key for key, _ in second}:
        parts = [
            {move: weight for move, weight in book.items() if move[0] == key} for book in (first, second)
        ]
        total = sum(weight for move, weight in merged.items() if move[0] == key)
        for move in {*parts[0], *parts[1]}:
            shares = [part.get(move, 0) / sum(part.values()) for part in parts]
            assert merged[move] / total == pytest.approx((3 * shares[0] + shares[1]) / 4, abs=1e-3)


def test_book_with_results_merges_with_one_of_weights(tmp_path: Path) -> None:
    one, two, both = (tmp_path / name for name in ("one.book", "two.bin", "both.book"))
    # Its positions include lost games alone, whose weight is 0.
    Book.write(one, select(tally_of("chess"), min_games=2, for_side="first"))
    write_moves(two, move_book("chess", 1))
    merge_books(both, [one, two])
    Book.open(both).verify()
