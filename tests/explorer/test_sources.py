"""The server follows changes of its sources and of their archives on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.foreign_books import usual_book
from support.selections import LITERATURE

from bookbuilder.book.book import Book
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.open import open_book
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources
from bookbuilder.games.position import Game
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"


def client_of(source: Path) -> TestClient:
    return TestClient(make_app(Sources([source])), base_url="http://localhost")


def test_game_of_missing_or_changed_archive_is_refused(tmp_path: Path, chess_pgn: Path) -> None:
    archive = tmp_path / "gone.pgn"
    archive.write_bytes(chess_pgn.read_bytes())
    Tally.from_archives(archive).save(tmp_path / "store")
    here = client_of(tmp_path / "store")
    name = here.get(f"{V1}/games").json()["games"][0]["id"]
    assert here.get(f"{V1}/games/{name}").status_code == 200
    archive.write_text(archive.read_text().replace('[White "A"]', '[White "Another"]'))
    changed = here.get(f"{V1}/games/{name}")
    assert (changed.status_code, changed.json()["error"]["code"]) == (409, "other-archive")
    archive.unlink()
    gone = here.get(f"{V1}/games/{name}.pgn")
    assert (gone.status_code, gone.json()["error"]["code"]) == (409, "no-archive")
    assert "gone.pgn" in gone.json()["error"]["message"]


def test_missing_source_is_listed_and_others_are_served(tmp_path: Path, chess_pgn: Path) -> None:
    book, store, tally = tmp_path / "a.book", tmp_path / "a.store", Tally.from_archives(chess_pgn)
    Book.write(book, select(tally, LITERATURE, min_win_rate=0))
    tally.save(store)
    content = book.read_bytes()
    here = TestClient(make_app(Sources([book, store])), base_url="http://localhost")
    book.unlink()
    gone, listed = here.get(f"{V1}/position").json()["error"], here.get(f"{V1}/sources").json()["sources"]
    assert gone["code"] == "file"
    assert gone["message"] == listed[0]["missing"] != ""
    assert gone["message"].startswith(f"{book}: No such file")
    assert listed[1]["missing"] is None
    assert here.get(f"{V1}/position?src=a.store").status_code == 200
    book.write_bytes(content)
    assert here.get(f"{V1}/position").status_code == 200


@pytest.mark.parametrize(("game", "suffix"), [("chess", "bin"), ("chess", "abk"), ("xiangqi", "obk")])
def test_books_of_other_formats_are_served(game: Game, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    write_moves(path, usual_book(game))
    here, book = client_of(path), open_book(path)
    (source,) = here.get(f"{V1}/sources").json()["sources"]
    assert (source["kind"], source["format"], source["records"]) == ("book", book.format, len(book))
    assert source["lacks"] == list(book.lacks)
    moves = here.get(f"{V1}/position").json()["moves"]
    expected = book.move_rows("startpos")
    assert [(row["move"], row["weight"]) for row in moves] == [
        (row["move"], row["weight"]) for row in expected
    ]
    assert here.get(f"{V1}/tree", params={"depth": 2}).json()["children"]
