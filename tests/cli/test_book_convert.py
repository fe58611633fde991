"""`book convert` and `build -o` with formats of other programs: files, answers and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

import bookbuilder as bb
from bookbuilder.book.formats import FormatName
from bookbuilder.book.formats.registry import FORMATS, read_moves


def test_options_list_all_formats() -> None:
    assert list(get_args(FormatName)) == list(FORMATS)


@pytest.mark.parametrize("name", [each.name for each in FORMATS.values() if "chess" in each.games])
def test_build_infers_format_from_suffix(tmp_path: Path, chess_pgn: Path, name: str) -> None:
    path = tmp_path / f"a{FORMATS[name].suffix}"
    ran = run("build", *ABSOLUTE, chess_pgn, "-o", path, "--min-win-rate", 0, "--json", "--quiet")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["bytes"] == path.stat().st_size
    if name == "book":
        assert "written" not in answer
        return
    assert answer["written"]["format"] == name
    assert answer["written"]["moves"] > 0
    if FORMATS[name].read is not None:
        assert len(read_moves(path)) > 0


def test_build_takes_format_option(tmp_path: Path, xiangqi_zip: Path) -> None:
    path = tmp_path / "BOOK.xyz"
    options = ("--min-win-rate", 0, "--quiet")
    assert run("build", *ABSOLUTE, xiangqi_zip, "-o", path, *options).code == 2
    assert run("build", *ABSOLUTE, xiangqi_zip, "-o", path, *options, "--format", "book-dat").code == 0
    assert read_moves(path, "book-dat").game == "xiangqi"
    assert run("build", *ABSOLUTE, xiangqi_zip, "-o", tmp_path / "book", *options).code == 0
    assert bb.Book.open(tmp_path / "book").game == "xiangqi"
    wrong = run("build", *ABSOLUTE, xiangqi_zip, "-o", tmp_path / "a.bin", *options)
    assert (wrong.code, "polyglot is a format for chess" in wrong.err) == (2, True)


def test_recipe_and_empty_selection_write_no_foreign_book(tmp_path: Path, chess_pgn: Path) -> None:
    assert (
        run("build", *ABSOLUTE, chess_pgn, "-o", tmp_path / "a.book", "--min-win-rate", 0, "--quiet").code
        == 0
    )
    ran = run("build", "--recipe", tmp_path / "a.book", "-o", tmp_path / "a.bin")
    assert (ran.code, "ends in .book" in ran.err) == (2, True)
    ran = run("build", *ABSOLUTE, chess_pgn, "-o", tmp_path / "a.bin", "--min-games", 10_000, "--quiet")
    assert (ran.code, "no move is kept" in ran.err) == (1, True)


def test_convert_reports_written_and_lost_moves(tmp_path: Path, chess_pgn: Path) -> None:
    book = tmp_path / "a.csv"
    assert run("build", *ABSOLUTE, chess_pgn, "-o", book, "--min-win-rate", 0, "--quiet").code == 0
    ran = run("book", "convert", book, tmp_path / "a.bin")
    assert ran.code == 0
    assert "written: polyglot, chess" in ran.out
    assert "without games and results, which the format lacks" in ran.out
    answer = json.loads(run("book", "convert", tmp_path / "a.bin", tmp_path / "a.abk", "--json").out)
    assert (answer["schema"], answer["format"], answer["game"]) == (1, "abk", "chess")
    assert answer["bytes"] == (tmp_path / "a.abk").stat().st_size
    assert answer["lost"]["weights (Arena has its own rule)"] > 0
    (tmp_path / "cut.bin").write_bytes((tmp_path / "a.bin").read_bytes()[:-3])
    ran = run("book", "convert", tmp_path / "cut.bin", tmp_path / "b.bin")
    assert (ran.code, "the last 13 bytes, a record cut off" in ran.err) == (3, True)


def test_convert_refuses_invalid_options(tmp_path: Path, chess_pgn: Path, foreign: Path) -> None:
    book = tmp_path / "a.csv"
    assert run("build", *ABSOLUTE, chess_pgn, "-o", book, "--min-win-rate", 0, "--quiet").code == 0
    assert run("book", "convert", book, tmp_path / "a.bin").code == 0
    for arguments, code, why in (
        ((book, tmp_path / "a.bin"), 4, "--force"),
        ((book, book, "--force"), 2, "is the book to read"),
        ((book, tmp_path / "a.xyz"), 2, "unknown suffix of a book"),
        ((book, tmp_path / "a.dat"), 2, "book-dat is a format for xiangqi"),
        ((foreign, tmp_path / "b.csv", "--from", "polyglot"), 3, "offset"),
        ((tmp_path / "none.bin", tmp_path / "b.csv"), 3, "no such file"),
    ):
        ran = run("book", "convert", *arguments)
        assert (ran.code, why in ran.err) == (code, True), ran.err
    assert run("book", "convert", book, tmp_path / "a.xyz", "--to", "polyglot").code == 0
    assert (tmp_path / "a.xyz").read_bytes() == (tmp_path / "a.bin").read_bytes()
