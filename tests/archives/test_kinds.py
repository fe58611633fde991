"""Files and folders are recognised by their content."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.foreign_books import usual_book

import bookbuilder as bb
from bookbuilder.archives.find import find_archives
from bookbuilder.archives.kinds import Kind, describe_mistake, recognise
from bookbuilder.book.formats.registry import FORMATS, write_moves
from bookbuilder.engine.endgames import build_tables
from bookbuilder.games.position import Game

GAME_OF_SUFFIX: dict[str, Game] = {".dat": "xiangqi", ".obk": "xiangqi"}


@pytest.mark.parametrize("suffix", [each.suffix for each in FORMATS.values() if each.read is not None])
def test_every_format_of_books_is_recognised_under_any_name(suffix: str, tmp_path: Path) -> None:
    game = GAME_OF_SUFFIX.get(suffix, "chess")
    path = tmp_path / f"book{suffix}"
    written = write_moves(path, usual_book(game))
    renamed = path.rename(tmp_path / "renamed")
    found = recognise(renamed)
    assert found is not None
    assert (found.kind, found.format) == ("book", written.format)
    assert found.game in (None, game)


def test_archives_stores_and_tables_are_recognised(chess_pgn: Path, data: Path, tmp_path: Path) -> None:
    store, tables = tmp_path / "chess.store", tmp_path / "tables"
    bb.Tally.from_archives(chess_pgn).save(store)
    build_tables(["KRvK"], tables)
    known: dict[Path, tuple[Kind, Game | None]] = {
        chess_pgn: ("archive", "chess"),
        data / "xiangqi_selfplay.zip": ("archive", "xiangqi"),
        store: ("store", "chess"),
        tables: ("endgames", None),
        next(tables.glob("*.bbtb")): ("endgames", None),
    }
    for path, (kind, game) in known.items():
        found = recognise(path)
        assert found is not None, path
        assert (found.kind, found.game) == (kind, game)


def test_json_files_are_recognised(tmp_path: Path) -> None:
    texts = {
        "recipe": {"game": "chess", "sources": [], "tally": {}, "selection": {}, "columns": True},
        "match": {"match": {"game": "chess"}},
        "rejects": {"source": "a.pgn", "token": "e5", "reason": "illegal-move"},
        "lines": {"book": "a.book", "moves": []},
        "json": {"kind": "bookbuilder tally store", "games": 3},
    }
    for kind, data in texts.items():
        path = tmp_path / "file"
        path.write_text(json.dumps(data) + "\n")
        found = recognise(path)
        assert found is not None, kind
        assert found.kind == kind


def test_unknown_content_is_not_recognised(tmp_path: Path) -> None:
    contents = (
        b"",
        b"prose\n",
        b"\0" * 64,
        bytes(range(255, 0, -1)),
        b"SQLite format 3\0",
        b"PAR1",
        b"{",
        b"[]",
    )
    for content in contents:
        path = tmp_path / "file"
        path.write_bytes(content)
        assert recognise(path) is None, content
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        assert recognise(path) is None


def test_mistake_names_what_is_there_and_how_to_go_on(chess_pgn: Path, tmp_path: Path) -> None:
    assert describe_mistake(chess_pgn, "archive") is None
    assert describe_mistake(chess_pgn, "book") == (
        f"{chess_pgn}: is an archive of chess games; expected a book. "
        f"Build one with: bookbuilder build {chess_pgn} -o NAME.book"
    )
    book = tmp_path / "my book.bin"
    write_moves(book, usual_book("chess"))
    assert describe_mistake(book, "book") is None
    assert describe_mistake(book, "book", is_clustered=True) == (
        f"{book}: is a Polyglot book; expected a clustered book. "
        f"Convert it with: bookbuilder book convert '{book}' 'my book.book'"
    )
    assert describe_mistake(book, "store") == (
        f"{book}: is a Polyglot book; expected a tally store. "
        "Count one with: bookbuilder tally GAMES -o NAME.store"
    )
    (tmp_path / "cut.xqf").write_bytes(b"XQ\x12\xfe\0\0\0\0\x0arest of it")
    assert describe_mistake(tmp_path / "cut.xqf", "archive") is None
    assert len(find_archives([book.rename(tmp_path / "my.pgn"), chess_pgn])) == 2
