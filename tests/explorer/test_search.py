"""The lines of the engine over HTTP. A search ends when its client disconnects."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.explorer_server import Served, client_of, live_server, make_served

from bookbuilder._core import Position
from bookbuilder.explorer.engine_line import parse_info


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, chess_pgn: Path, xiangqi_zip: Path) -> Served:
    return make_served(tmp_path_factory.mktemp("served"), chess_pgn, xiangqi_zip)


@pytest.fixture(scope="module")
def address(served: Served) -> Iterator[str]:
    with live_server(served.paths) as address:
        yield address


@contextmanager
def ask(address: str, query: str) -> Iterator[http.client.HTTPResponse]:
    """The answer to a search; the client leaves at the end of the block."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    try:
        connection.request("GET", f"/api/v1/search?{query}")
        with connection.getresponse() as response:
            yield response
    finally:
        connection.close()


def events(text: str) -> list[tuple[str, Any]]:
    """Names and data of server-sent events."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


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
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes through /proc")
def test_a_search_ends_when_its_client_leaves(served: Served) -> None:
    with live_server([served.chess]) as address:
        with ask(address, "movetime=120000") as response:
            assert response.readline().startswith(b": ")
            server = server_with_search()
            searching = set(children(server))
        wait_until(lambda: not searching & set(children(server)))


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes through /proc")
def test_a_search_ends_with_its_server(served: Served) -> None:
    with ExitStack() as leaving:
        with live_server([served.chess]) as address:
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
    client.app.state.engines = None  # type: ignore[attr-defined]
    assert client.get("/api/v1/search").json()["error"]["code"] == "no-engine"


def test_scores_of_mates_are_plies() -> None:
    here = Position("chess", "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")
    info = "info depth 5 seldepth 5 multipv 1 score mate {} nodes 155 nps 155000 hashfull 0 time 0 pv g1g7"
    found = [parse_info(here, info.format(mate)) for mate in (1, 2, -1)]
    assert [line and (line["mate_in"], line["score_cp"]) for line in found] == [
        (1, None),
        (3, None),
        (-2, None),
    ]
    assert parse_info(here, "info string hello") is None
    assert parse_info(here, "bestmove g1g7") is None
