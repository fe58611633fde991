"""Who the explorer answers: Host, Origin, tokens, sizes, methods, paths; and when it writes."""

from __future__ import annotations

import hmac
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served, client_of, live_server

from bookbuilder.errors import OptionError
from bookbuilder.explorer.app import assets
from bookbuilder.explorer.guard import Guarding
from bookbuilder.explorer.serving import listen
from bookbuilder.explorer.sources import Sources

V1 = "/api/v1"
FOREIGN = "http://evil.example"
STATIC = f"/static/{assets()[1]}/page.js"


KNOWN = ("127.0.0.1:8000", "localhost:9", "127.0.0.7", "[::1]:80", "LOCALHOST")
UNKNOWN = (
    "evil.example", "127.0.0.1.evil.example", "192.168.1.7", "", "localhost.evil", "[::1", "a@b",
)  # fmt: skip


@pytest.mark.parametrize("host", [*KNOWN, *UNKNOWN])
def test_only_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    found = client.get(f"{V1}/health", headers={"host": host})
    assert found.status_code == (200 if host in KNOWN else 421)
    assert host in KNOWN or found.json()["error"]["code"] == "host"


def test_public_server_accepts_its_name_and_addresses() -> None:
    for name, hosts in (
        ("books.example", ("books.example:80", "192.168.1.7")),
        ("0.0.0.0", ("10.0.0.1:8000",)),
    ):
        assert all(map(Guarding(host=name).knows_host, hosts))
        assert not Guarding(host=name).knows_host("evil.example")


def test_pages_of_other_origins_are_refused_unless_cors(client: TestClient, served: Served) -> None:
    own = {"origin": "http://127.0.0.1:8000"}
    assert client.get(f"{V1}/position", headers=own).status_code == 200
    for origin in (FOREIGN, "null", "http://127.0.0.1:9", "http://[::1", "127.0.0.1:8000"):
        refused = client.get(f"{V1}/position", headers={"origin": origin})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    open_client = client_of(served, cors=True)
    found = open_client.get("/masters", headers={"origin": FOREIGN})
    assert found.headers["access-control-allow-origin"] == "*"
    asked = {"origin": FOREIGN, "access-control-request-method": "GET"}
    preflight = open_client.options("/masters", headers=asked)
    assert preflight.headers["access-control-allow-methods"] == "GET, HEAD"
    assert open_client.post(f"{V1}/edits/undo", headers={"origin": FOREIGN}).status_code == 403


def test_cross_site_subresources_are_refused_and_links_followed(client: TestClient) -> None:
    def status(path: str, site: str, mode: str) -> int:
        headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
        return client.get(path, headers=headers).status_code

    assert status(f"{V1}/position", "cross-site", "no-cors") == 403
    assert status(f"{V1}/position", "cross-site", "navigate") == 403
    assert status("/tune", "cross-site", "navigate") in (200, 404)
    assert status(f"{V1}/position", "same-origin", "cors") == 200
    assert status(f"{V1}/position", "none", "navigate") == 200


def test_every_answer_carries_its_headers(client: TestClient) -> None:
    for path in (f"{V1}/health", "/", "/static/nothing.js", "/nothing", "/masters", "/masters?fen=x"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'self'; img-src 'self' data:; style-src 'self'")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in headers


def test_a_token_is_asked_of_everything(served: Served) -> None:
    client = client_of(served, token="correct horse")
    for path in ("/", f"{V1}/position", "/masters", STATIC, "/?token=wrong"):
        refused = client.get(path)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    good = {"authorization": "Bearer correct horse"}
    assert client.get(f"{V1}/position", headers=good).status_code == 200
    assert client.get(f"{V1}/position", headers={"authorization": "Bearer other"}).status_code == 401
    opened = client.get("/?token=correct+horse&fen=x", follow_redirects=False)
    assert (opened.status_code, opened.headers["location"]) == (303, "/?fen=x")
    cookie = opened.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert client.get(f"{V1}/position").status_code == 200  # the client keeps the cookie
    renewed = client_of(served, token="another")  # a cookie of the server before is no hindrance
    renewed.cookies = client.cookies
    assert renewed.get(f"{V1}/position").status_code == 401
    assert renewed.get("/?token=another", follow_redirects=False).status_code == 303
    assert renewed.get(f"{V1}/position").status_code == 200


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    guarding = Guarding(token="secret")
    assert [guarding.knows_token(given) for given in ("secret", "other", None)] == [True, False, False]
    assert compared == [(b"secret", b"secret"), (b"other", b"secret")]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", [f"{V1}/position", "/", "/masters", f"{V1}/reach", STATIC])
def test_only_reading_is_answered(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path).status_code in ((404, 405) if "static" in path else (405,))


def test_large_requests_are_refused(client: TestClient) -> None:
    def pieces() -> Any:
        for _ in range(9):
            yield b"x" * 1000

    assert client.request("GET", f"{V1}/health", content=b"x" * 5000).status_code == 413
    assert client.post(f"{V1}/edits", content=pieces()).status_code in (403, 413)  # of no told length
    assert client.get(f"{V1}/health", headers={"content-length": "-1"}).status_code in (400, 413)
    assert client.get(f"{V1}/position?play=" + "e2e4," * 2000).status_code == 414
    assert client.get(f"{V1}/position?fen=" + "8/" * 200).json()["error"]["code"] == "too-long"


def test_paths_do_not_lead_out_of_the_page(served: Served, tmp_path: Path) -> None:
    paths = (
        "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd",
        "/../../etc/passwd", "/static/%00", "/games/../../etc/passwd", f"{V1}/games/..%2f..%2fx.pgn",
    )  # fmt: skip
    with live_server([served.chess]) as address:
        host, port = address.removeprefix("http://").split(":")
        for path in paths:
            with socket.create_connection((host, int(port))) as door:
                request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                door.sendall(request.encode())
                found = b"".join(iter(lambda door=door: door.recv(65536), b""))
            assert found.split(b" ", 2)[1] in (b"400", b"404"), path
            assert b"root:" not in found
            assert b"import annotations" not in found


def test_write_token_is_of_this_page_alone(served: Served) -> None:
    """Even where other pages may read, they may not learn what a change must carry."""
    assert client_of(served).get(f"{V1}/write-token").status_code == 403
    client = client_of(served, is_writable=True, cors=True)
    refused = client.get(f"{V1}/write-token", headers={"origin": FOREIGN})
    assert refused.status_code == 403
    told = client.get(f"{V1}/write-token")
    assert "access-control-allow-origin" not in told.headers
    assert told.headers["cross-origin-resource-policy"] == "same-origin"


def test_sources_get_unique_ids_and_must_exist(tmp_path: Path, served: Served) -> None:
    twice = Sources([served.chess_book, served.chess_book])
    assert [source.id for source in twice] == ["chess.book", "chess.book-2"]
    with pytest.raises(OptionError, match="nothing to serve"):
        Sources([])
    with pytest.raises(FileNotFoundError):
        Sources([tmp_path / "none"])


def test_taken_port_is_reported() -> None:
    with listen("127.0.0.1", 0) as door, pytest.raises(OptionError, match="another"):
        listen("127.0.0.1", door.getsockname()[1])
