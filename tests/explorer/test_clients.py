"""Programs made for other explorers get what they expect: berserk as it is, others by their requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import berserk
import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served, live_server

from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Sources
from bookbuilder.tally.tally import Tally

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.fixture(scope="module")
def explorer(served: Served) -> Iterator[berserk.clients.OpeningExplorer]:
    with live_server(served.paths) as address:
        yield berserk.Client(explorer_url=address).opening_explorer


def test_berserk_reads_masters(explorer: Any) -> None:
    found = explorer.get_masters_games(
        position=START, play=["e2e4"], since=1952, until=2030, moves=2, top_games=1
    )
    assert (found["white"], found["draws"], found["black"]) == (2, 1, 1)
    assert [move["uci"] for move in found["moves"]] == ["e7e5", "c7c5"]
    assert found["moves"][0]["averageRating"] == 2400
    assert [game["winner"] for game in found["topGames"]] == ["white"]
    assert found["topGames"][0]["white"] == {"name": "A", "rating": 2500}
    assert found["opening"] == {"eco": "B00", "name": "King's Pawn Game"}


def test_berserk_reads_lichess_and_its_errors(explorer: Any) -> None:
    found = explorer.get_lichess_games(
        variant="standard",
        position=START,
        speeds=["blitz"],
        ratings=["2000"],
        since="2020-1",
        until="2030-12",
        top_games=4,
        recent_games=2,
        history=True,
    )
    assert found["white"] + found["draws"] + found["black"] == 6
    assert len(found["recentGames"]) == 2
    assert found["recentGames"][0]["month"] == "2006-01"
    assert found["history"] == []
    with pytest.raises(berserk.exceptions.ResponseError, match="400"):
        explorer.get_lichess_games(position="nonsense")


def test_berserk_reads_a_player(explorer: Any) -> None:
    found = explorer.get_player_games(player="somebody", color="white", recent_games=1)
    assert found["white"] + found["draws"] + found["black"] == 6
    assert len(found["recentGames"]) == 1
    assert [each["queuePosition"] for each in explorer.stream_player_games("x", "black")] == [0]


def test_berserk_reads_a_game(explorer: Any) -> None:
    top = explorer.get_masters_games(play=["g1f3"])["topGames"][0]
    text = explorer.get_otb_master_game(top["id"])
    assert "1. Nf3 e5 2. e4 Nc6 1-0" in text
    with pytest.raises(berserk.exceptions.ResponseError, match="404"):
        explorer.get_otb_master_game("aaaaaaaa")


# Requests as other programs send them: paths and queries of their sources, the position aside.
RECORDED = {
    "nibbler": f"/lichess?variant=standard&topGames=0&recentGames=0&fen={START.replace(' ', '%20')}",
    "openingtree": f"/masters?fen={START}&play=&variant=standard&ratings[]=1600&ratings[]=2500"
    "&speeds[]=blitz",
    "en croissant": f"/lichess?fen={START}&variant=standard&speeds=bullet,blitz&ratings=1000,2500"
    "&since=2020-1&until=2026-3&moves=12&topGames=4&recentGames=4",
    "mobile": f"/player?source=mobile&variant=standard&fen={START}&player=abc&color=white"
    "&modes=casual,rated&since=2021-9",
    "lichess-bot": f"/masters?fen={START.replace(' ', '_')}&moves=100",
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_requests_are_answered_in_shape(client: TestClient, name: str) -> None:
    found = client.get(
        RECORDED[name], headers={"authorization": "Bearer somebody's", "user-agent": "Nibbler"}
    )
    assert found.status_code == 200
    data = json.loads(found.text)
    assert {"white", "draws", "black", "moves", "opening"} <= data.keys()
    rows = [(row["uci"], row["white"], row["draws"], row["black"]) for row in data["moves"]]
    assert rows == [("e2e4", 2, 1, 1), ("g1f3", 1, 0, 0), ("d2d4", 0, 1, 0)]
    assert all(row["game"] is None or row["game"]["id"] for row in data["moves"])
    # As Nibbler and lichess-bot do: every row is divided by its games.
    assert all(0 <= (white + draws / 2) / (white + draws + black) <= 1 for _, white, draws, black in rows)


def client_of(archive: Path, store: Path) -> TestClient:
    """A client of a server of the store of an archive."""
    Tally.from_archives(archive).save(store)
    return TestClient(make_app(Sources([store])), base_url="http://localhost")


def test_castling_is_king_takes_rook(tmp_path: Path) -> None:
    archive = tmp_path / "castling.pgn"
    archive.write_text('[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. d3 O-O 1-0\n')
    client = client_of(archive, tmp_path / "store")
    way = "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5"
    assert client.get(f"/masters?play={way}").json()["moves"][0]["uci"] == "e1h1"
    one, other = (client.get(f"/masters?play={way},{castled}").json() for castled in ("e1h1", "e1g1"))
    assert one == other
    assert one["moves"][0]["uci"] == "g8f6"
    assert client.get(f"/masters?play={way},e1h1,g8f6,d2d3").json()["moves"][0]["uci"] == "e8h8"


def test_row_without_result_is_skipped(tmp_path: Path, other_pgn: Path) -> None:
    client = client_of(other_pgn, tmp_path / "store")
    assert {row["uci"] for row in client.get("/masters").json()["moves"]} == {"e2e4"}  # 1. c4 e5 *
    assert client.get("/masters?play=c2c4").json()["moves"] == []


def test_errors_are_plain_text(client: TestClient) -> None:
    for query, status in {
        "/masters?fen=nonsense": 400, "/player?topGames=x": 400, "/masters?play=e2e5": 400,
        "/lichess?variant=atomic": 400, "/masters?src=chess.book": 409, "/masters?src=none": 404,
        "/masters/pgn/none": 404,
    }.items():  # fmt: skip
        found = client.get(query)
        assert (found.status_code, found.headers["content-type"].split(";")[0]) == (status, "text/plain")
        assert found.text


def test_xiangqi_is_a_variant(client: TestClient) -> None:
    found = client.get("/lichess?variant=xiangqi&play=h3e3").json()  # ranks 1 to 10
    assert [row["uci"] for row in found["moves"]] == ["h10g8"]
    assert [row["san"] for row in found["moves"]] == ["h9g7"]
    assert client.get("/lichess/history?variant=xiangqi").json() == {"history": []}
