"""The export: the answers of the server as files, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import Served

from bookbuilder._core import Position

V1 = "/api/v1"


def exported(target: Path, *words: object) -> dict[str, Any]:
    """The sources of an export that was just written."""
    ran = run("serve", *words, "--export", target, "-q")
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads((target / "data/sources.json").read_text(encoding="utf-8"))
    return found


def test_files_have_the_answers_of_the_server(served: Served, client: TestClient, tmp_path: Path) -> None:
    target = tmp_path / "out"
    told = exported(target, served.chess, served.xiangqi, served.chess_book, "--plies", 4)
    names = [each["id"] for each in told["sources"]]
    assert names == ["chess.store", "xiangqi.store", "chess.book"]
    for each in told["sources"]:
        waiting, seen = [(each["start"], "")], set()
        while waiting:
            name, play = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            answer = json.loads((target / f"data/{each['id']}/{name}.json").read_text(encoding="utf-8"))
            query = {"src": each["id"], "play": play}
            shown = client.get(f"{V1}/position", params=query).json()
            assert answer["reached"] == shown["reached"]
            own = ("move", "played", "reached", "p", "kept", "reason", "names", "quality", "opening")
            assert [[move[field] for field in own] for move in answer["moves"]] == [
                [move[field] for field in own] for move in shown["moves"]
            ]
            if each["kind"] == "store" and not play:
                games = client.get(f"{V1}/games", params={**query, "limit": 8}).json()["games"]
                assert [game["players"] for game in answer["games"]] == [game["players"] for game in games]
            for move in answer["moves"]:
                after = f"{play},{move['move']}".strip(",")
                assert (move["after"] is None) == (after.count(",") == 4)
                if move["after"]:
                    waiting.append((move["after"], after))
        assert seen == {path.stem for path in (target / "data" / each["id"]).iterdir()}
        key, lock = Position(each["game"]).stored(False)
        assert each["start"] == f"{key:016x}{lock:08x}"


def test_the_folder_says_nothing_of_the_machine(served: Served, tmp_path: Path) -> None:
    target = tmp_path / "out"
    exported(target, served.chess, served.chess_book, "--plies", 2)
    text = "".join(path.read_text(encoding="utf-8") for path in target.rglob("*.json"))
    assert str(tmp_path) not in text
    assert str(served.chess.parent) not in text
    html = (target / "index.html").read_text(encoding="utf-8")
    assert '"/static' not in html
    assert 'content="data"' in html
    assert {path.name for path in (target / "static").rglob("*")} >= {"app.js", "base.css", "pieces.json"}


def test_the_most_reached_positions_come_first(served: Served, tmp_path: Path) -> None:
    start = exported(tmp_path / "few", served.chess, "--positions", 3)["sources"][0]["start"]
    exported(tmp_path / "many", served.chess, "--positions", 500)
    few, many = (tmp_path / name / "data/chess.store" for name in ("few", "many"))
    answers = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in many.iterdir()}
    chosen = {path.stem for path in few.iterdir()}
    assert len(chosen) == 3
    first = [move["after"] for move in answers[start]["moves"]]
    left = [answers[name]["reached"] for name in first if name not in chosen]
    assert min(answers[name]["reached"] for name in chosen) >= max(left)


def test_existing_folders_are_kept(served: Served, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    ran = run("serve", served.chess, "--export", tmp_path / "out")
    assert ran.code != 0
    assert "exists already" in ran.err
    assert list((tmp_path / "out").iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
