"""Books as CSV, JSON and Parquet: others read them, and they come back without loss."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from support.foreign_books import COUNTS, move_book, rows_of

import bookbuilder as bb
from bookbuilder.book.formats import listing
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.polyglot import read_polyglot, write_polyglot
from bookbuilder.errors import FormatError

FORMS = ["csv", "json", "parquet"]


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


@pytest.mark.parametrize("form", FORMS)
def test_learn_and_what_is_unknown_come_back(tmp_path: Path, form: str) -> None:
    write_polyglot(tmp_path / "a.bin", move_book("chess"))
    book = read_polyglot(tmp_path / "a.bin")
    write(tmp_path / f"a.{form}", book)
    again = read(tmp_path / f"a.{form}")
    assert again.table.equals(book.table)
    write_polyglot(tmp_path / "b.bin", again)
    assert (tmp_path / "b.bin").read_bytes() == (tmp_path / "a.bin").read_bytes()


def test_others_read_positions_moves_and_counts(tmp_path: Path) -> None:
    book = move_book("chess")
    for form in FORMS:
        write(tmp_path / f"a.{form}", book)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    objects = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["moves"]
    frame = pd.read_parquet(tmp_path / "a.parquet")
    assert len(rows) == len(objects) == len(frame) == len(book)
    for place, expected in enumerate(zip(*(book.column(name).tolist() for name in COUNTS), strict=True)):
        row, each, line = rows[place], objects[place], frame.iloc[place]
        assert tuple(int(row[name]) for name in COUNTS) == expected
        assert tuple(each[name] for name in COUNTS) == expected
        assert tuple(line[name] for name in COUNTS) == expected
        position = bb.Position("chess", row["fen"])
        assert (int(row["key"], 16), int(row["lock"], 16)) == (position.key, position.lock)
        assert position.parse_move(row["move"]) == position.parse_move(row["san"]) == int(row["code"])
        assert (each["fen"], each["move"], each["san"]) == (row["fen"], row["move"], row["san"])
        assert (line["fen"], line["move"], line["san"]) == (row["fen"], row["move"], row["san"])


def test_rows_of_a_csv_may_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write(path, move_book("chess"))
    names, first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    weight = names.replace('"', "").split(",").index("weight")
    cells = second.split(",")
    cells[weight] = "12345"
    path.write_text("\n".join([names, first, ",".join(cells)]), encoding="utf-8")
    book = read(path)
    assert len(book) == 2
    assert book.column("weight")[1] == 12345
    assert rows_of(book, "games")[0] in rows_of(move_book("chess"), "games")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", "key,code\n1,2\n", r'column "weight" is missing'),
        ("a.json", "{", r"a\.json: Expecting property name"),
        ("a.json", '{"schema": 1, "moves": 3}', r'"moves" is not a list of objects'),
        ("a.json", '{"schema": 1, "moves": [{"key": "x"}]}', r'column "key".*invalid literal'),
        ("a.parquet", "PAR1", r"a\.parquet: .*expected a Parquet file"),
    ],
)
def test_invalid_listing_is_refused(tmp_path: Path, name: str, content: str, why: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=why):
        read(tmp_path / name)


def test_a_parquet_file_of_something_else_is_refused(tmp_path: Path) -> None:
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match=r"metadata .bookbuilder\.moves. is missing"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('"game": "chess"', '"game": "go"', 'game "go" is unknown'),
        ('"statistic": "score"', '"statistic": "luck"', "statistic or basis is unknown"),
        ('"weight": ', '"weight": -', 'column "weight"'),
        ('"code": ', '"code": 99', 'column "code"'),
    ],
)
def test_invalid_facts_and_numbers_are_refused(tmp_path: Path, before: str, after: str, why: str) -> None:
    path = tmp_path / "a.json"
    write(path, move_book("chess"))
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    with pytest.raises(FormatError, match=why):
        read(path)
