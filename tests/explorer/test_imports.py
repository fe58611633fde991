"""Archives that the page sends: counted like `tally` does, judged like the commands do, then deleted."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.cli_runner import run
from support.explorer_server import Served, change, client_of

from bookbuilder.archives.filters import GameFilter
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"
OPENINGS = (
    "e4 e5 2. Nf3 Nc6 3. Bb5",
    "e4 c5 2. Nf3 d6 3. d4",
    "d4 d5 2. c4 e6 3. Nc3",
    "c4 e5 2. Nc3 Nf6 3. g3",
)


def dated_games(count: int) -> str:
    """Games of four openings, one each month from 1990 on, with results by chance."""
    chance = random.Random(7)
    return "\n".join(
        f'[Event "?"]\n[Date "{1990 + n // 12}.{n % 12 + 1:02}.01"]\n\n1. {chance.choice(OPENINGS)} '
        f"{chance.choice(('1-0', '0-1', '1/2-1/2'))}\n"
        for n in range(count)
    )


@pytest.fixture
def client(served: Served) -> Iterator[TestClient]:
    with client_of(served, is_writable=True) as opened:
        yield opened


def send(client: TestClient, name: str, content: bytes) -> Any:
    return change(client, "/imports", params={"name": name}, content=content)


def imported(client: TestClient, name: str, content: bytes) -> dict[str, Any]:
    answer = send(client, name, content)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_import_is_shown_like_a_store(client: TestClient, chess_pgn: Path, xiangqi_zip: Path) -> None:
    for path in (chess_pgn, xiangqi_zip):
        found = imported(client, path.name, path.read_bytes())
        tally = Tally.from_archives(path)
        assert found["source"].startswith(f"{path.stem}.store")
        assert found["games_used"] == tally.game_count
        shown = client.get(f"{V1}/position?src={found['source']}").json()
        counted = tally.moves("startpos").set_index("move")["played"].to_dict()
        assert {move["move"]: move["played"] for move in shown["moves"]} == counted
        entry = next(
            each for each in client.get(f"{V1}/sources").json()["sources"] if each["id"] == found["source"]
        )
        assert (entry["imported"], entry["facets"]) == (True, ["year", "rating"])
        assert client.get(f"{V1}/games?src={found['source']}").json()["games"]


def test_broken_games_are_listed(client: TestClient) -> None:
    text = "1. e4 e5 1-0\n\n1. e4 e5 2. Ke4 1-0\n\n1. d4 d4 0-1\n"
    found = imported(client, "mixed.pgn", text.encode())
    assert (found["games_read"], found["games_used"]) == (3, 1)
    assert [row["game"] for row in found["first_rejects"]] == [2, 3]
    assert "Ke4" in found["first_rejects"][0]["message"]
    empty = imported(client, "broken.pgn", b"1. e5 1-0\n")
    assert (empty["source"], empty["games_read"], len(empty["first_rejects"])) == (None, 1, 1)


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02" * 50, b"PK\x03\x04broken"])
def test_other_files_are_refused(client: TestClient, content: bytes) -> None:
    answer = send(client, "x.bin", content)
    assert answer.status_code in (201, 400)
    if answer.status_code == 400:
        assert answer.json()["error"]["code"] == "archive"
        assert "/tmp" not in answer.json()["error"]["message"]
    else:
        assert answer.json()["source"] is None


@pytest.mark.parametrize("name", ["../../etc/x.pgn", "..", "/", "a\\b:c?.pgn", "x" * 300 + ".pgn", ""])
def test_names_stay_in_the_folder(client: TestClient, name: str) -> None:
    found = imported(client, name, b"1. e4 e5 1-0\n")
    assert not set(found["name"]) & set("/\\:?")
    path = Path(client.get(f"{V1}/sources").json()["sources"][-1]["path"])
    assert path.parent.parent.name.startswith(".tmp-bookbuilder-")


def test_kept_import_is_a_store_that_is_never_overwritten(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chess_pgn: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    source = imported(client, "mine.pgn", chess_pgn.read_bytes())["source"]
    kept = change(client, f"/imports/{source}/keep")
    assert kept.json()["path"] == str(tmp_path / "mine.store")
    assert Tally.open(tmp_path / "mine.store").game_count == Tally.from_archives(chess_pgn).game_count
    again = change(client, f"/imports/{source}/keep")
    assert again.status_code >= 400
    assert "exists already" in again.json()["error"]["message"]
    assert change(client, "/imports/chess.store/keep").status_code == 404
    assert [path.name for path in tmp_path.iterdir()] == ["mine.store"]


def test_same_content_is_counted_once_and_removed(client: TestClient) -> None:
    source = imported(client, "one.pgn", b"1. e4 e5 1-0\n")["source"]
    assert imported(client, "two.pgn", b"1. e4 e5 1-0\n")["source"] == source
    assert change(client, f"/imports/{source}/remove").status_code == 200
    assert client.get(f"{V1}/position?src={source}").status_code == 404
    assert change(client, f"/imports/{source}/remove").status_code == 404
    assert change(client, "/imports/chess.store/remove").status_code == 404


def test_dropped_book_is_a_source(client: TestClient, served: Served, tmp_path: Path) -> None:
    for suffix in ("bin", "abk", "book"):
        path = tmp_path / f"own.{suffix}"
        assert run("build", served.chess, "--min-games", "1", "-o", path).code == 0
        found = imported(client, path.name, path.read_bytes())
        assert found["kind"] == "book"
        shown = client.get(f"{V1}/position?src={found['source']}").json()
        assert [move["kept"] for move in shown["moves"]] == [True] * len(shown["moves"]) != []


def test_number_and_size_of_imports_are_bounded(client: TestClient) -> None:
    for n in range(12):
        imported(client, f"{n}.pgn", b"1. e4 e5 1-0\n" * (n + 1))
    full = send(client, "more.pgn", b"1. d4 d5 1-0\n")
    assert (full.status_code, full.json()["error"]["code"]) == (409, "full")
    token = {"x-bookbuilder-write": client.get(f"{V1}/write-token").json()["token"]}
    large = {**token, "content-length": str(65 * 1024**2)}
    assert client.post(f"{V1}/imports", headers=large, content=b"x").status_code == 413
    # Without the token of changes nobody can fill the memory.
    for headers in ({}, {"x-bookbuilder-write": "wrong"}):
        assert client.post(f"{V1}/imports", headers=headers, content=b"x" * 5000).status_code == 413
    assert client.post(f"{V1}/builds", content=b"x" * 5000).status_code == 413


def test_following_is_that_of_coverage(client: TestClient, served: Served, chess_pgn: Path) -> None:
    source = imported(client, "games.pgn", chess_pgn.read_bytes())["source"]
    told = json.loads(run("coverage", served.chess_book, chess_pgn, "--json").out)
    found = client.get(f"{V1}/follow?src=chess.book&games={source}").json()
    for name in ("games", "games_followed", "asked", "followed", "known", "mean_exit_ply", "plies"):
        assert found[name] == told[name], name
    for query in ("src=chess.store&games=chess.store", "src=chess.book&games=xiangqi.store"):
        assert client.get(f"{V1}/follow?{query}").status_code == 409, query


def test_calibration_is_that_of_calibrate(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "dated.pgn").write_text(dated_games(240))
    source = imported(client, "dated.pgn", (tmp_path / "dated.pgn").read_bytes())["source"]
    words = ("--min-games", 5, "--max-ply", 40, "--axis", "min-win-rate", "--dedupe", "off")
    told = json.loads(run("calibrate", tmp_path / "dated.pgn", *words, "--json").out)
    found = client.get(f"{V1}/calibration?src={source}&min_games=5").json()
    assert (found["split"], found["games_before"]) == (int(told["split"]), told["games_before"])
    assert found["games_later"] == told["games_later"]
    chance = {"gain_low": 0, "gain_high": 0}
    for here, there in zip(found["points"], told["points"], strict=True):
        assert {**there, **chance} == pytest.approx({**here, **chance})
    other = client.get(f"{V1}/calibration?src={source}&min_games=5&split=2000").json()
    assert other["games_before"] == 120
    undated = client.get(f"{V1}/calibration?src=chess.store")
    assert undated.status_code == 409
    assert "--facet year" in undated.json()["error"]["message"]


def test_game_tells_where_it_leaves_the_book(client: TestClient) -> None:
    main = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0\n\n" * 5
    source = imported(client, "lines.pgn", f"{main}1. e4 e5 2. Nf3 d6 3. d4 1-0\n".encode())["source"]
    games = client.get(f"{V1}/games?src={source}&play=e2e4,e7e5,g1f3").json()["games"]
    left = {}
    for each in games:
        query = f"src={source}&min_games=3&margin=off"
        left[each["move"]] = client.get(f"{V1}/games/{each['id']}?{query}").json()["left_at"]
    assert left == {"b8c6": None, "d7d6": 3}


def test_games_are_filtered_by_player_and_opening(client: TestClient, tmp_path: Path) -> None:
    text = "".join(
        f'[White "{white}"]\n[Black "{black}"]\n[ECO "{eco}"]\n[Result "1-0"]\n\n{moves} 1-0\n\n'
        for white, black, eco, moves in (
            ("Ada", "Ben", "C60", "1. e4 e5 2. Nf3 Nc6 3. Bb5"),
            ("Cy", "ADA L.", "B90", "1. e4 c5"),
            ("Ben", "Cy", "B90", "1. e4 c5 2. Nf3"),
        )
    )
    archive = tmp_path / "some.pgn"
    archive.write_text(text)
    source = imported(client, archive.name, archive.read_bytes())["source"]

    def filtered(query: str) -> Any:
        return change(client, f"/imports/filter?src={source}&{query}")

    for query, filters in (
        ("player=ada", {"player": ["ada"]}),
        ("eco=B90", {"eco": ["B90"]}),
        ("player=ada&eco=B20-B99", {"player": ["ada"], "eco": ["B20-B99"]}),
    ):
        found = filtered(query).json()
        tally = Tally.from_archives(archive, filters=GameFilter(**filters))
        assert found["games_used"] == tally.game_count
        shown = client.get(f"{V1}/position?src={found['source']}").json()
        assert shown["reached"] == tally.reached("startpos")
    ada = filtered("player=ada").json()["source"]
    assert client.get(f"{V1}/position?src={ada}&player_side=first").json()["reached"] == 1
    assert filtered("player=nobody").json()["source"] is None
    for query, words in (("player=", "expected a player"), ("eco=C60-", "C60-")):
        refused = filtered(query)
        assert refused.status_code == 400
        assert words in refused.json()["error"]["message"]
