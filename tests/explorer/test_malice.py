"""The explorer under malice: requests that nobody would send, slow clients, and all that is served."""

from __future__ import annotations

import re
import socket
import string
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from support.explorer_server import Served, client_of

from bookbuilder.explorer.api import tuning
from bookbuilder.explorer.app import PAGES, make_app
from bookbuilder.explorer.endpoints import ENDPOINTS
from bookbuilder.explorer.serving import listen, server_of
from bookbuilder.explorer.sources import Sources

READ = {each.path: each.parameters for each in ENDPOINTS if each.method == "GET"}
PATHS = sorted(READ)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
# What a parameter is likely to be, or what it must never be.
WORDS = st.one_of(
    st.sampled_from(
        [
            "", "0", "-1", "1", "31", "1e9", "99999999999999999999", "nan", "inf", "0x10", "true", START,
            "e2e4", "e2e4,e7e5", "h2e2", "chess.book", "chess.store", "../../etc/passwd", "\0",
            "a\r\nset-cookie: x", "<script>", "%00", "٣", "8/8/8/8/8/8/8/8 w - - 0 1", "chess", "xiangqi",
        ]
    ),
    st.text(max_size=40),
    st.integers(-(2**70), 2**70).map(str),
    st.floats().map(str),
)  # fmt: skip


def ask(client: TestClient, path: str, data: st.DataObject) -> None:
    """Send a request with any words for what it takes; its answer is none that a server is ashamed of."""
    names = [*READ[path], "unknown"]
    query = data.draw(st.dictionaries(st.sampled_from(names), WORDS, max_size=4))
    filled = re.sub(r"{\w+}", lambda _: quote(data.draw(WORDS), safe=""), path)
    answer = client.get(filled, params=query)
    assert answer.status_code in (200, 400, 403, 404, 409, 414), (answer.status_code, filled, query)
    assert "set-cookie" not in answer.headers
    assert answer.headers["content-security-policy"].startswith("default-src 'self'")
    assert "Traceback" not in answer.text
    assert "root:" not in answer.text
    if answer.status_code >= 400 and path.startswith("/api/"):
        assert set(answer.json()["error"]) >= {"code", "message"}


@pytest.mark.parametrize("path", [path for path in PATHS if not path.endswith("/search")])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_any_words_get_an_answer(client: TestClient, path: str, data: st.DataObject) -> None:
    ask(client, path, data)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.text(string.printable, max_size=40))
def test_no_body_changes_a_store(served: Served, body: bytes, token: str) -> None:
    client = client_of(served, is_writable=True)
    headers = {"x-bookbuilder-write": quote(token)}
    answer = client.post("/api/v1/edits?src=chess.store", content=body, headers=headers)
    assert answer.status_code == 403
    headers = {"x-bookbuilder-write": client.get("/api/v1/write-token").json()["token"]}
    answer = client.post("/api/v1/edits?src=chess.store", content=body, headers=headers)
    assert answer.status_code == 400
    assert not served.chess.with_suffix(".edits").exists()


CHANGES = sorted((each.method, each.path) for each in ENDPOINTS if each.method != "GET")


@pytest.mark.parametrize(("method", "path"), CHANGES)
def test_every_change_needs_write_and_its_token(served: Served, method: str, path: str) -> None:
    before = {each: each.stat().st_mtime_ns for each in served.chess_book.parent.rglob("*")}
    place = f"{path.replace('{id}', 'chess.book')}?src=chess.store"
    body = b'{"position": "startpos", "move": "e2e4", "keep": false}'
    for is_writable in (False, True):
        client = client_of(served, is_writable=is_writable)
        for headers in ({}, {"x-bookbuilder-write": "wrong"}):
            answer = client.request(method, place, content=body, headers=headers)
            assert answer.status_code == 403, answer.text
            expected = {"write-token"} if is_writable else {"read-only", "write-token"}
            assert answer.json()["error"]["code"] in expected
    assert {each: each.stat().st_mtime_ns for each in served.chess_book.parent.rglob("*")} == before


def test_security_page_lists_every_route(served: Served, repository: Path) -> None:
    app = make_app(Sources(served.paths))
    found = {route.path for route in app.routes if isinstance(route, Route | Mount)}
    assert found == {each.path for each in ENDPOINTS} | set(PAGES) | {"/static"}
    section = (repository / "SECURITY.md").read_text(encoding="utf-8").partition("### What is served\n")[2]
    paths = re.findall(r"`(/[^`]*)`", " ".join(re.findall(r"^\| (`/.*?) \|", section, re.MULTILINE)))
    assert sorted(paths) == sorted(found), "SECURITY.md lists what is served"


@contextmanager
def patient(served: Served, seconds: float) -> Iterator[tuple[str, int]]:
    """Yield the address of a server with this timeout for requests."""
    door = listen("127.0.0.1", 0)
    server = server_of(make_app(Sources([served.chess])), connections=16, request_seconds=seconds)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    try:
        yield door.getsockname()
    finally:
        server.should_exit = True
        thread.join()


REQUEST = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def answered(address: tuple[str, int]) -> bytes:
    """The status line of a request that is sent at once."""
    with socket.create_connection(address) as door:
        door.sendall(REQUEST)
        return b"".join(iter(lambda: door.recv(65536), b"")).partition(b"\r\n")[0]


@pytest.mark.parametrize(
    "said", [b"", REQUEST[:21], b"POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab"]
)
def test_slow_clients_are_disconnected(served: Served, said: bytes) -> None:
    with patient(served, 0.3) as address:
        slow = [socket.create_connection(address) for _ in range(40)]
        for door in slow:
            door.sendall(said)
        for door in slow:  # closed by the server, whatever it has said before
            with door:
                try:
                    while door.recv(65536):
                        pass
                except ConnectionResetError:
                    continue
        assert answered(address) == b"HTTP/1.1 200 OK"


def test_requests_of_clients_that_left_are_dropped(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drag of the slider asks for twenty sizes, and the page waits for the last one only."""
    computed: list[str] = []

    def slow(source: Any, options: Any) -> dict[str, Any]:
        computed.append(str(options.min_win_rate))
        time.sleep(0.3)
        return {"moves": 0, "never_played": 0, "reasons": {}}

    monkeypatch.setattr(tuning, "_size_of", slow)
    with patient(served, 30.0) as address:
        waiting: list[socket.socket] = []
        for step in range(20):
            waiting.append(socket.create_connection(address))
            waiting[-1].sendall(REQUEST.replace(b"health", b"size?p=0.%02d" % step))
            for door in waiting[:-1]:
                door.close()
            time.sleep(0.02)
        assert b"200 OK" in b"".join(iter(lambda: waiting[-1].recv(65536), b""))
        waiting[-1].close()
    assert len(computed) <= 8
    assert computed[-1] == "19/100"


def test_connections_beyond_the_limit_get_503(served: Served) -> None:
    with patient(served, 30.0) as address:
        waiting = [socket.create_connection(address) for _ in range(20)]
        assert answered(address) == b"HTTP/1.1 503 Service Unavailable"
        for door in waiting:
            door.close()
