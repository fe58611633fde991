"""`book convert` and `build -o` with formats of other programs: files, answers and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

from bookbuilder.book.formats.registry import FORMATS, read_moves


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


def test_recipe_and_empty_selection_write_no_foreign_book(tmp_path: Path, chess_pgn: Path) -> None:
    assert (
        run("build", *ABSOLUTE, chess_pgn, "-o", tmp_path / "a.book", "--min-win-rate", 0, "--quiet").code
        == 0
    )
    ran = run("build", "--recipe", tmp_path / "a.book", "-o", tmp_path / "a.bin")
    assert (ran.code, "ends in .book" in ran.err) == (2, True)
    ran = run("build", *ABSOLUTE, chess_pgn, "-o", tmp_path / "a.bin", "--min-games", 10_000, "--quiet")
    assert (ran.code, "no move is kept" in ran.err) == (1, True)


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
