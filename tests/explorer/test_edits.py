"""Changes by hand on the page: seen at once, built by page and command alike, and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served, change, client_of, make_served

import bookbuilder as bb

V1 = "/api/v1"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture
def served(tmp_path: Path, chess_pgn: Path, xiangqi_zip: Path) -> Served:
    return make_served(tmp_path, chess_pgn, xiangqi_zip)


@pytest.fixture
def client(served: Served) -> Iterator[TestClient]:
    with client_of(served, is_writable=True) as opened:
        yield opened


def post(client: TestClient, path: str, body: object = None, src: str = "chess.store") -> Any:
    return change(client, f"{path}?src={src}", content=json.dumps(body).encode())


def moves(client: TestClient, query: str = "src=chess.store") -> dict[str, Any]:
    return {each["san"]: each for each in client.get(f"{V1}/position?{query}").json()["moves"]}


def test_change_is_seen_and_taken_back(client: TestClient, served: Served) -> None:
    before = moves(client)
    added = post(client, "/edits", {"fen": START, "move": "e4", "keep": False, "mark": "?!", "comment": "no"})
    assert added.status_code == 201, added.text
    dropped = moves(client)["e4"]
    facts = [dropped[name] for name in ("kept", "reason", "reason_text")]
    assert facts == [False, "by-hand", "dropped by hand"]
    assert dropped["edit"] == {"keep": False, "quality": None, "mark": "?!", "comment": "no"}
    assert served.chess.with_suffix(".edits").is_file()
    [only] = added.json()["edits"]
    assert post(client, "/edits/undo", {"number": 0, "edit": only["edit"]}).json()["edits"] == []
    assert moves(client) == before
    for keep in (False, "rules"):
        listed = post(client, "/edits", {"fen": START, "move": "e4", "keep": keep}).json()["edits"]
    assert {**moves(client)["e4"], "edit": None} == before["e4"]
    for number in (1, 0):
        post(client, "/edits/undo", {"number": number, "edit": listed[number]["edit"]})
    assert not served.chess.with_suffix(".edits").exists()
    assert post(client, "/edits/undo", {"number": 0, "edit": only["edit"]}).status_code == 409


def test_each_change_is_listed_and_undone(client: TestClient) -> None:
    for position, move in (("startpos", "h4"), ("startpos moves e2e4", "c5"), ("startpos", "a4")):
        post(client, "/edits", {"fen": position, "move": move, "keep": True, "quality": 4})
    listed = client.get(f"{V1}/edits").json()["edits"]
    lines = [[names["san"] for names in each["line_names"]] for each in listed]
    assert lines == [["h4"], ["c5"], ["a4"]]
    assert listed[1]["opening"]["name"] == "King's Pawn Game"
    # Another page has undone the first one meanwhile: what this page names is somewhere else.
    post(client, "/edits/undo", {"number": 0, "edit": listed[0]["edit"]})
    stale = post(client, "/edits/undo", {"number": 1, "edit": listed[1]["edit"]})
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "edits")
    left = post(client, "/edits/undo", {"number": 0, "edit": listed[1]["edit"]}).json()["edits"]
    assert [each["edit"]["move"] for each in left] == ["a2a4"]


def test_novelty_is_a_move_without_games(client: TestClient) -> None:
    assert "h4" not in moves(client)
    post(client, "/edits", {"fen": "startpos", "move": "h2h4", "keep": True, "quality": 5})
    novelty = moves(client)["h4"]
    assert (novelty["played"], novelty["kept"], novelty["quality"], novelty["p"]) == (0, True, 5, None)
    post(client, "/edits", {"fen": "startpos moves h2h4", "move": "e5", "keep": True})
    assert list(moves(client, "src=chess.store&play=h2h4")) == ["e5"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("e4", "edit"),
        ({"fen": START, "move": "e4"}, "edit"),
        ({"fen": START, "move": 3, "keep": True}, "edit"),
        ({"fen": START, "move": "e4", "weight": 3}, "edit"),
        ({"fen": START, "move": "e5", "keep": True}, "move"),
        ({"fen": "nothing", "move": "e4", "keep": True}, "fen"),
        ({"fen": START, "move": "e4", "keep": 3}, "selection"),
        ({"fen": START, "move": "e4", "keep": []}, "selection"),
        ({"fen": START, "move": "e4", "quality": 99}, "selection"),
        ({"fen": START, "move": "e4", "mark": {}}, "selection"),
        ({"fen": START, "move": "e4", "comment": "a\nb"}, "selection"),
    ],
)
def test_wrong_change_is_refused_and_changes_nothing(
    client: TestClient, served: Served, body: Any, code: str
) -> None:
    answer = post(client, "/edits", body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] == code
    assert not served.chess.with_suffix(".edits").exists()


def test_book_is_not_changed(client: TestClient) -> None:
    assert post(client, "/edits", {"fen": START, "move": "e4", "keep": True}, "chess.book").status_code == 409


def test_damaged_file_is_named(client: TestClient, served: Served) -> None:
    served.chess.with_suffix(".edits").write_text("e4\n")
    answer = client.get(f"{V1}/position?src=chess.store")
    assert answer.status_code == 400
    assert "chess.edits: is not a file of changes by hand" in answer.json()["error"]["message"]


def test_folder_that_takes_no_file_is_named(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bb.MoveEdits, "write", full)
    answer = post(client, "/edits", {"fen": START, "move": "e4", "keep": True})
    assert answer.status_code == 409
    assert "not written: No space left on device" in answer.json()["error"]["message"]
