"""The lines of the engine over HTTP. A search ends when its client disconnects."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served, client_of, live_server

from bookbuilder._core import Position
from bookbuilder.engine.drivers.player import Info
from bookbuilder.engine.drivers.spec import ThinkLimit
from bookbuilder.engine.drivers.workers import Question, Workers
from bookbuilder.evals.table import Evals
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.engine import Engines, KnownValues, line_of
from bookbuilder.explorer.sources import Sources
from bookbuilder.schema import EVALS


@pytest.fixture(scope="module")
def address(served: Served) -> Iterator[str]:
    with live_server(served.paths) as address:
        yield address


@contextmanager
def ask(address: str, query: str) -> Iterator[http.client.HTTPResponse]:
    """The answer to a search; the client leaves at the end of the block."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    try:
        connection.request("GET", f"/api/v1/{query if query.startswith('values') else f'search?{query}'}")
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def events(text: str) -> list[tuple[str, Any]]:
    """Names and data of server-sent events."""
    found = re.findall(r"^event: (\w+)\ndata: (.*)$", text, re.MULTILINE)
    return [(name, json.loads(data)) for name, data in found]


@pytest.mark.parametrize(
    ("query", "game", "notation"),
    [("play=e2e4&depth=5&multipv=2", "chess", "san"), ("game=xiangqi&depth=4", "xiangqi", "wxf")],
)
def test_lines_are_sent_depth_by_depth(address: str, query: str, game: str, notation: str) -> None:
    with ask(address, query) as response:
        assert response.getheader("content-type", "").startswith("text/event-stream")
        told = events(response.read().decode())
    lines = [data for name, data in told if name == "line"]
    assert [name for name, _ in told] == ["line"] * len(lines) + ["done"]
    assert [line["depth"] for line in lines] == sorted(line["depth"] for line in lines)
    assert told[-1][1]["move"] == next(each for each in reversed(lines) if each["multipv"] == 1)["pv"][0]
    for line in lines:
        position = Position(game)
        for move in query.partition("play=")[2].partition("&")[0].split(","):
            position = position.play(position.parse_move(move)) if move else position
        for move, names in zip(line["pv"], line["names"], strict=True):
            code = position.parse_move(move)
            assert names[notation] == position.format_move(code, notation)
            position = position.play(code)


def children(pid: int) -> list[int]:
    """Processes that a process has started and that are still there."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.parametrize("source", ["chess.store", "xiangqi.store", "chess.book"])
def test_values_are_those_of_the_positions_after_the_moves(served: Served, address: str, source: str) -> None:
    nodes = 300
    for _ in range(2):  # the second time from the cache
        with ask(address, f"values?src={source}&nodes={nodes}") as response:
            told = events(response.read().decode())
        assert told[-1][0] == "done"
        values = {data["move"]: data["score_cp"] for name, data in told if name == "value"}
        game = source.partition(".")[0]
        start = Position(game)  # type: ignore[arg-type]
        shown = client_of(served).get(f"/api/v1/position?src={source}").json()["moves"]
        assert set(values) == {None, *(move["move"] for move in shown)}
        spec = Engines("bundled", ()).spec(game, ThinkLimit(nodes=nodes))  # type: ignore[arg-type]
        first = shown[0]["move"]
        after = start.play(start.parse_move(first))
        with Workers(spec, game, jobs=1) as workers:  # type: ignore[arg-type]
            asked = [Question(number, each, nodes) for number, each in enumerate((start, after))]
            scores = {each.question.number: each.reply.score_cp for each in workers.ask(asked) if each.reply}
        assert (values[None], values[first]) == (scores[0], -scores[1])


def test_values_of_finished_games_follow_the_rules(served: Served) -> None:
    told = events(client_of(served).get("/api/v1/values?src=chess.store&play=f2f3,e7e5,g2g4,d8h4").text)
    mated = {"move": None, "score_cp": -30_000, "nodes": 20_000}
    assert told == [("value", mated), ("done", {"moves": 0})]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("/nowhere/engine", "No such file"),
        (f"{sys.executable} -c pass", "ended at once"),
        ("ucci:cat", "does not speak UCCI"),
    ],
)
def test_programs_that_are_no_engines_are_refused(served: Served, command: str, words: str) -> None:
    app = make_app(Sources(served.paths), engine=command)
    refused = TestClient(app, base_url="http://127.0.0.1:8000").get("/api/v1/search?src=xiangqi.store")
    assert refused.status_code == 409
    assert words in refused.json()["error"]["message"]


def test_position_has_the_values_of_files(served: Served, tmp_path: Path) -> None:
    start = Position("chess")
    after = start.play(start.parse_move("e2e4"))
    rows = [
        {
            **dict.fromkeys(EVALS.names), "key": key, "lock": lock, "engine": "x", "limit": "nodes",
            "depth": 1, "nodes": nodes, "score": score, "best": 0,
        }
        for (key, lock), score, nodes in ((start.stored(True), 20, 100), (after.stored(True), -35, 200))
    ]  # fmt: skip
    Evals.of(pa.Table.from_pylist(rows, EVALS), "chess").write(tmp_path / "x.evals")
    app = make_app(Sources(served.paths), values=KnownValues([tmp_path / "x.evals"]))
    shown = TestClient(app, base_url="http://127.0.0.1:8000").get("/api/v1/position?src=chess.store").json()
    assert shown["value"] == {"score_cp": 20, "nodes": 100}
    values = {move["move"]: move["value"] for move in shown["moves"]}
    assert values.pop("e2e4") == {"score_cp": 35, "nodes": 200}
    assert set(values.values()) == {None}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes through /proc")
def test_search_ends_with_its_client_and_with_its_server(served: Served) -> None:
    with ExitStack() as leaving:
        with live_server([served.chess]) as address:
            with ask(address, "movetime=120000") as response:
                assert response.readline().startswith(b": ")
                server = server_with_search()
                searching = children(server)
            wait_until(lambda: not set(searching) & set(children(server)))
            response = leaving.enter_context(ask(address, "movetime=120000"))
            assert response.readline().startswith(b": ")
            searching = children(server_with_search())
        # The server has ended without a word, or `live_server` would have told.
        assert not any(Path(f"/proc/{pid}").exists() for pid in searching)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Waits for what another process is about to do; 30 s are far more than it takes."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def server_with_search() -> int:
    """Return the child process that serves and has a child itself."""
    for pid in children(os.getpid()):
        if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes() and children(pid):
            return pid
    raise AssertionError("no server with a search")


def test_too_many_searches_are_refused(address: str) -> None:
    def status(query: str) -> int:
        with ask(address, query) as response:
            return response.status

    with ExitStack() as open_ones:
        for _ in range(2):
            open_ones.enter_context(ask(address, "movetime=60000"))
        with ask(address, "depth=1") as refused:
            assert (refused.status, json.loads(refused.read())["error"]["code"]) == (503, "busy")
    wait_until(lambda: status("depth=1") == 200)


def test_positions_without_a_search(served: Served) -> None:
    client = client_of(served)
    mated = client.get("/api/v1/search?play=f2f3,e7e5,g2g4,d8h4")
    assert events(mated.text) == [("done", {"move": None})]
    assert client.get("/api/v1/search?fen=x").status_code == 400
    assert client.get("/api/v1/search?movetime=999999999").status_code == 400
    client = TestClient(make_app(Sources(served.paths), engine=None), base_url="http://127.0.0.1:8000")
    for route in ("search", "values"):
        assert client.get(f"/api/v1/{route}").json()["error"]["code"] == "no-engine"


def test_scores_of_mates_are_plies() -> None:
    here = Position("chess", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")
    text = "info depth 5 score mate {} multipv 1 nodes 155 time 0 pv g1g7"
    found = []
    for mate in (1, 2, -1):
        info = Info.parse(text.format(mate))
        assert info is not None
        line = line_of(here, info, "uci")
        found.append(line and (line["mate_in"], line["score_cp"]))
    assert found == [(1, None), (3, None), (-2, None)]
    assert line_of(here, Info(depth=3, nodes=9), "uci") is None


ENGINES = {
    "toga2": "chess", "stockfish": "chess", "xboard:hoichess": "chess", "fairy-stockfish": "xiangqi",
    "ucci:fairy-stockfish": "xiangqi", "xboard:hoixiangqi": "xiangqi",
}  # fmt: skip


@pytest.mark.parametrize(("command", "game"), ENGINES.items())
def test_engines_of_others_say_lines_and_values(served: Served, command: str, game: str) -> None:
    protocol, _, program = command.rpartition(":")
    path = shutil.which(program) or shutil.which(f"/usr/games/{program}")
    if path is None:
        pytest.skip(f"{program} is not installed")
    choice = f"{protocol}:{path}" if protocol else path
    client = TestClient(make_app(Sources(served.paths), engine=choice), base_url="http://127.0.0.1:8000")
    told = events(client.get(f"/api/v1/search?src={game}.store&movetime=1000&depth=6&multipv=2").text)
    assert [name for name, _ in told[-1:]] == ["done"]
    assert told[-1][1]["move"] is not None
    assert protocol == "xboard" or {"line"} == {name for name, _ in told[:-1]}
    values = events(client.get(f"/api/v1/values?src={game}.store&nodes=2000").text)
    if protocol == "xboard":
        assert "does not support a limit in nodes" in values[-1][1]["message"]
    else:
        assert values[-1][0] == "done"
        assert len(values) == values[-1][1]["moves"] + 2
