"""A server of S3 (rclone) on this machine, behind a proxy that lets requests fail, wait and break off."""

from __future__ import annotations

import http.client
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest

_KEY, _SECRET = "reader", "open sesame"
_STARTS_SECONDS: Final = 20
# Named hop by hop in RFC 9110, section 7.6.1: they do not pass a proxy.
_NOT_PASSED: Final = ("connection", "keep-alive", "transfer-encoding", "expect")
_SLOW_SECONDS: Final = (0.2, 2.0)


@dataclass(slots=True)
class Trouble:
    """Shares of the requests that meet trouble, which is drawn by a seed.

    Attributes:
        failing: answered by 500 or 503.
        cut: half of the answer is sent; if it has no body, the connection is closed.
        slow: answered later.
        spared: number of the first requests that meet none.
        met: how many requests met which trouble.
    """

    failing: float = 0
    cut: float = 0
    slow: float = 0
    spared: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    met: Counter[str] = field(default_factory=Counter)

    def draw(self) -> str:
        """Return what happens to the next request."""
        kinds = ("500", "503", "cut", "slow", "none")
        shares = (self.failing / 2, self.failing / 2, self.cut, self.slow)
        is_spared = self.met.total() < self.spared
        found = "none" if is_spared else self.rng.choices(kinds, (*shares, 1 - sum(shares)))[0]
        self.met[found] += 1
        return found


@dataclass(slots=True)
class S3:
    """A server of S3.

    Attributes:
        folder: each folder in it is a bucket, and its files are the objects.
        port: of the proxy.
        trouble: what the proxy does.
    """

    folder: Path
    port: int
    trouble: Trouble = field(default_factory=Trouble)

    def environment(self, secret: str = _SECRET) -> dict[str, str]:
        """Return the variables by which programs find the server and log in."""
        return {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": secret,
            "AWS_DEFAULT_REGION": "us-east-1",
            # This server answers a part of an object with the checksum of the whole.
            "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required",
        }


@contextmanager
def s3_server(folder: Path) -> Iterator[S3]:
    """Yield a server of the buckets in a folder."""
    program = shutil.which("rclone")
    if program is None:
        pytest.skip("needs rclone")
    words = [program, "serve", "s3", str(folder), "--addr", "127.0.0.1:0", "--auth-key", f"{_KEY},{_SECRET}"]
    log = folder.parent / "rclone.log"
    with log.open("w") as stream, subprocess.Popen(words, stderr=stream) as process:
        try:
            with _Server(("127.0.0.1", 0), _Proxy) as proxy:
                served = S3(folder, proxy.server_port)
                proxy.behind, proxy.served = _port_of(process, log), served
                threading.Thread(target=proxy.serve_forever, args=(0.05,), daemon=True).start()
                yield served
                proxy.shutdown()
        finally:
            process.kill()


def _port_of(process: subprocess.Popen[Any], log: Path) -> int:
    """Return the port that the server writes into its log when it is ready."""
    end = time.monotonic() + _STARTS_SECONDS
    while "http://127.0.0.1:" not in (told := log.read_text()):
        assert process.poll() is None, told
        assert time.monotonic() < end, "it does not start"
        time.sleep(0.05)
    return int(told.rpartition("http://127.0.0.1:")[2].split("/")[0])


class _Server(ThreadingHTTPServer):
    """A server that says nothing of clients who leave."""

    behind: int
    served: S3

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Proxy(BaseHTTPRequestHandler):
    """Passes requests on, with the headers that are signed."""

    protocol_version: ClassVar[str] = "HTTP/1.1"
    server: Any

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        happens = self.server.served.trouble.draw()
        if happens.isdigit():
            self._fail(int(happens))
            return
        if happens == "slow":
            time.sleep(self.server.served.trouble.rng.uniform(*_SLOW_SECONDS))
        behind = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=30)
        behind.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in _NOT_PASSED:
                behind.putheader(name, value)
        behind.endheaders(body)
        answer = behind.getresponse()
        self._answer(answer, answer.read(), is_cut=happens == "cut")
        behind.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815 (names of the library)

    def _fail(self, status: int) -> None:
        code = {500: "InternalError", 503: "SlowDown"}[status]
        text = f"<Error><Code>{code}</Code><Message>We met trouble.</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _answer(self, answer: http.client.HTTPResponse, body: bytes, *, is_cut: bool) -> None:
        if is_cut and not body:
            self.close_connection = True
            return
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in (*_NOT_PASSED, "content-length"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(body))
        if length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if is_cut else body)
        self.close_connection = self.close_connection or is_cut

    def log_message(self, *_: object) -> None:
        """Keep requests from stderr."""
