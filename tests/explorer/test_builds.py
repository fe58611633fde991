"""Builds from the page give the books of the command, and only a page of this server may start one."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import Served, change, client_of, without_names

from bookbuilder.explorer.api import builds
from bookbuilder.selection.options import OPTIONS, PRESETS, preset
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"
PATIENCE = 120.0


@pytest.fixture(scope="module")
def client(served: Served) -> Iterator[TestClient]:
    with client_of(served, is_writable=True) as opened:  # at the end the server deletes its files
        yield opened


def built(client: TestClient, query: str) -> dict[str, Any]:
    answered = change(client, f"/builds?{query}")
    assert answered.status_code == 202, answered.text
    name = answered.json()["build"]["id"]
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        newest: dict[str, Any] = client.get(f"{V1}/builds").json()["builds"][0]
        assert newest["id"] == name
        if newest["state"] != "running":
            return newest
        time.sleep(0.02)
    raise TimeoutError(newest["phase"])


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("src=chess.store", []),
        ("src=chess.store&min_games=1&margin=off", ["--min-games=1", "--margin=off"]),
        ("src=chess.store&for=white&connected=1&opponent_min_share=0.01", ["--side=white"]),
        ("src=xiangqi.store&p=0.4&min_games=1&sharpen=1",
         ["--min-win-rate=0.4", "--min-games=1", "--sharpen=1"]),
    ],
)  # fmt: skip
def test_downloads_are_the_books_of_build(
    client: TestClient, served: Served, tmp_path: Path, query: str, words: list[str]
) -> None:
    build = built(client, query)
    assert build["state"] == "done", build["error"]
    store = served.chess if "chess.store" in query else served.xiangqi
    for each in build["formats"]:
        path = tmp_path / f"command{each['suffix']}"
        ran = run("build", store, *words, "-o", path, "--json")
        assert ran.code == 0, ran.err
        answer = client.get(f"{V1}/builds/{build['id']}/file?format={each['name']}")
        assert answer.status_code == 200, answer.text
        name = f"{store.stem}-{build['id']}{each['suffix']}"
        assert f'filename="{name}"' in answer.headers["content-disposition"]
        assert answer.content == path.read_bytes(), each
        facts = json.loads(ran.out)
        if each["name"] == "polyglot":
            assert without_names(build["reach"]) == facts["reach"]
            assert (build["games"], build["reasons"]) == (facts["games"], facts["verdicts"])
            assert build["moves"] == build["reach"]["records"]


def test_second_build_names_the_changes(client: TestClient) -> None:
    first = built(client, "src=chess.store&min_games=1&margin=off")
    second = built(client, "src=chess.store&min_games=1&margin=off&max_ply=2")
    change = second["change"]
    assert change["build"] == first["number"]
    kept = [each["moves"] + each["never_played"] for each in (first, second)]
    assert (change["added"], kept[0] - change["removed"]) == (0, kept[1])
    assert {each["change"] for each in change["differences"]} == {"removed"}
    assert all(each["line"] for each in change["differences"])


def test_builds_belong_to_a_source_and_to_rules(client: TestClient) -> None:
    chess = built(client, "src=chess.store&min_games=1&margin=off&year_from=")
    xiangqi = built(client, "src=xiangqi.store&min_games=1")
    listed = client.get(f"{V1}/builds?src=chess.store").json()["builds"]
    assert chess["id"] in [each["id"] for each in listed]
    assert xiangqi["id"] not in [each["id"] for each in listed]
    assert chess["query"] == {"min_games": "1", "margin": "off"}
    assert len({chess["id"], xiangqi["id"], "1", "2"}) == 4


def test_built_book_is_a_source(client: TestClient) -> None:
    build = built(client, "src=chess.store&min_games=1&margin=off")
    entry = next(each for each in client.get(f"{V1}/sources").json()["sources"] if each["id"] == build["id"])
    assert (entry["kind"], entry["imported"]) == ("book", False)
    moves = client.get(f"{V1}/position?src={build['id']}").json()["moves"]
    assert moves
    assert all(move["weight"] is not None and move["played"] for move in moves)
    for route in ("reach?src={id}", "tree?src={id}", "diff?a={id}&b={id}"):
        assert client.get(f"{V1}/{route.format(id=build['id'])}").status_code == 200, route


def test_store_that_is_replaced_during_a_build_is_named(
    served: Served, tmp_path: Path, chess_pgn: Path, other_pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "mine.store"
    Tally.from_archives(chess_pgn).save(store)
    client = client_of(replace(served, chess=store), is_writable=True)
    choose = builds.choose

    def choose_later(source: Any, options: Any) -> Any:
        Tally.from_archives(chess_pgn, other_pgn).save(store, force=True)
        return choose(source, options)

    monkeypatch.setattr(builds, "choose", choose_later)
    broken = built(client, "src=mine.store")
    assert (broken["state"], broken["error"]["code"]) == ("failed", "changed")
    assert "mine.store was replaced while the book was built" in broken["error"]["message"]
    monkeypatch.undo()
    done = built(client, "src=mine.store&min_games=1")
    assert (done["state"], done["games"], done["store_changed"]) == ("done", 8, False)
    Tally.from_archives(chess_pgn).save(store, force=True)
    assert client.get(f"{V1}/builds").json()["builds"][0]["store_changed"]


def test_size_is_that_of_the_build(client: TestClient) -> None:
    for query in ("", "&min_games=1", "&min_games=1&margin=off", "&min_games=2&p=0.4&for=white"):
        found = client.get(f"{V1}/size?src=chess.store{query}").json()
        build = built(client, f"src=chess.store{query}")
        if build["state"] == "failed":
            assert found["moves"] == 0
        else:
            for name in ("moves", "never_played", "reasons"):
                assert found[name] == build[name], (query, name)


def test_files_end_with_the_server(served: Served) -> None:
    with client_of(served, is_writable=True) as client:
        name = built(client, "src=chess.store")["id"]
        book = client.app.state.builds.file(name, "pgn")  # type: ignore[attr-defined]
        change(client, "/imports", params={"name": "a.pgn"}, content=b"1. e4 e5 1-0\n")
        store = Path(client.get(f"{V1}/sources").json()["sources"][-1]["path"])
        assert book.is_file()
        assert store.is_dir()
    assert not book.parent.exists()
    assert not store.exists()


def test_builds_that_keep_nothing_say_why(client: TestClient) -> None:
    build = built(client, "src=chess.store&p=1&min_games=1000000")
    assert build["state"] == "failed"
    assert re.fullmatch("no move is kept: .*; lower the limits", build["error"]["message"])
    refused = client.get(f"{V1}/builds/{build['id']}/file")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "not-built")


def test_only_the_last_builds_are_kept(client: TestClient) -> None:
    first = built(client, "src=chess.store")["id"]
    for _ in range(4):
        built(client, "src=chess.store")
    assert len(client.get(f"{V1}/builds").json()["builds"]) == 4
    assert client.get(f"{V1}/builds/{first}/file").status_code == 404
    assert client.get(f"{V1}/position?src={first}").status_code == 404


def test_unknown_format_is_refused(client: TestClient) -> None:
    build = built(client, "src=chess.store")
    for name in ("obk", "ctg", "../../etc/passwd"):
        refused = client.get(f"{V1}/builds/{build['id']}/file", params={"format": name})
        assert refused.status_code == 400
        assert "polyglot, abk, book, pgn, csv" in refused.json()["error"]["message"]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_of_the_page_are_those_of_build(client: TestClient, name: str) -> None:
    queries = {option.query: each for each, option in OPTIONS.items() if option.query}
    told = client.get(f"{V1}/sources").json()["presets"][name]
    values = {queries[query]: text for query, text in told.items()}
    if "connected" in values:
        values["connected"] = values["connected"] == "1"
    if "for_side" in values:
        values["for_side"] = {"first": "white", "second": "black"}[values["for_side"]]
    assert preset("engine", **values) == preset(name)
