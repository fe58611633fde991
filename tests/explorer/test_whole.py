"""Whole books: `/reach` and `/diff` have the figures of `book info` and `book diff`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import Served, without_names

from bookbuilder.book.book import Book
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"


def shown(*arguments: object) -> dict[str, Any]:
    """What a command prints with --json."""
    ran = run(*arguments, "--json")
    assert ran.code in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_reach_and_difference_are_those_of_the_commands(
    client: TestClient, served: Served, tmp_path: Path
) -> None:
    for against in ([], ["--against", served.chess]):
        told = shown("info", served.chess_book, *against)
        query = "src=chess.book" + ("&games=chess.store" if against else "")
        assert without_names(client.get(f"{V1}/reach?{query}").json()["reach"]) == told["reach"]
    other = tmp_path / "other.book"
    Book.write(other, select(Tally.open(served.chess), min_games=1, margin=None))
    with_other = TestClient(make_app(Sources([served.chess_book, other])), base_url="http://127.0.0.1:8000")
    moves = [tmp_path / f"{name}.csv" for name in "ab"]
    for source, target in zip((served.chess_book, other), moves, strict=True):
        assert run("book", "convert", source, target).code == 0
    told = shown("book", "diff", *moves, "--rows", 5)
    found = with_other.get(f"{V1}/diff?a=chess.book&b=other.book&rows=5").json()
    for name in ("moves_a", "moves_b", "added", "removed", "changed"):
        assert found[name] == told[name], name
    for query in ("a=chess.store&b=chess.book", "a=chess.book&b=xiangqi.book"):
        assert client.get(f"{V1}/diff?{query}").status_code == 409
