"""`bookbuilder serve`: refused options, and a running server."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest
from support.cli_runner import run
from support.explorer_server import live_server

from bookbuilder.explorer.serving import listen
from bookbuilder.tally.tally import Tally


@pytest.fixture
def store(tmp_path: Path, chess_pgn: Path) -> Path:
    return Tally.from_archives(chess_pgn).save(tmp_path / "chess.store")


def test_unavailable_addresses_are_refused(store: Path) -> None:
    with listen("127.0.0.1", 0) as door:
        ran = run("serve", store, "-p", door.getsockname()[1])
    assert (ran.code, "another" in ran.err) == (2, True)
    assert run("serve", store, "--host", "192.0.2.1", "-p", 0).code == 2


def test_server_answers_until_ctrl_c(store: Path) -> None:
    with live_server([store], "--no-engine", "--token", "a b") as address:
        address, _, token = address.partition("/?token=")
        assert token == "a%20b"
        request = urllib.request.Request(f"{address}/api/v1/sources", headers={"Authorization": "Bearer a b"})
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
    assert [(source["id"], source["games"]) for source in answer["sources"]] == [("chess.store", 6)]
    assert not answer["engine"]


def test_folder_is_served_with_what_it_holds(store: Path) -> None:
    run("build", store, "-o", store.with_name("a.bin"), "--min-games", 1, "-q")
    store.with_name("notes.txt").write_text("no book")
    with (
        live_server([store.parent], "--no-engine") as address,
        urllib.request.urlopen(f"{address}/api/v1/sources") as response,
    ):
        answer = json.load(response)
    assert sorted(source["id"] for source in answer["sources"]) == ["a.bin", "chess.store"]
