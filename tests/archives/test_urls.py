"""Archives of a URL: downloaded whole or not at all, and named by their URL."""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.cli_runner import run

import bookbuilder as bb
from bookbuilder.archives import download as downloads
from bookbuilder.archives.download import download
from bookbuilder.errors import ArchiveError

GAMES = "".join(
    f'[Event "{number}"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n' for number in range(3000)
).encode()


class Server:
    """A file on a server that breaks off after some bytes of each answer."""

    def __init__(self, *, breaks: int, ranges: bool, answers: tuple[int, ...] = ()) -> None:
        self.breaks, self.ranges, self.answers, self.error = breaks, ranges, list(answers), 0
        self.versions = ['"1"']
        self.asked: list[str | None] = []

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        """Send the file, or the part of it that is asked for."""
        self.asked.append(to.headers.get("Range"))
        if self.answers:
            to.send_error(self.answers.pop(0))
            return
        version = self.versions.pop(0) if len(self.versions) > 1 else self.versions[0]
        start, wanted = 0, to.headers.get("Range")
        if self.ranges and wanted and to.headers.get("If-Range") == version:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        to.send_response(206 if start else 200)
        to.send_header("ETag", version)
        to.send_header("Content-Range", f"bytes {start - self.error}-{len(GAMES) - 1}/{len(GAMES)}")
        to.send_header("Content-Length", str(len(GAMES) - start))
        to.end_headers()
        to.wfile.write(GAMES[start : start + self.breaks])


@contextmanager
def served(server: Server) -> Iterator[str]:
    """Yield the URL of a server's file."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/a/棋 1.pgn?all=1"
        finally:
            http.shutdown()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_PAUSE", 0.0)


@pytest.mark.parametrize(("ranges", "error"), [(True, 0), (False, 0), (True, 1)])
def test_broken_download_is_resumed_or_begun_anew(tmp_path: Path, ranges: bool, error: int) -> None:
    server, seen = Server(breaks=100_000, ranges=ranges), list[tuple[int, int]]()
    server.error = error  # a server that sends another range is asked for the whole file
    with served(server) as url:
        if ranges and not error:
            path = download(url, tmp_path, lambda *bytes_: seen.append(bytes_))
            assert path.read_bytes() == GAMES
            assert server.asked == [None, "bytes=100000-"]
            assert seen[-1] == (len(GAMES), len(GAMES))
        else:
            with pytest.raises(ArchiveError, match=r"the connection ended early; 100,000 bytes came\. Try"):
                download(url, tmp_path, lambda *_: None)
            assert server.asked[:3] == [None, "bytes=100000-", None if error else "bytes=100000-"]


def test_file_that_changes_meanwhile_is_read_anew(tmp_path: Path) -> None:
    server = Server(breaks=len(GAMES) - 1, ranges=True)
    server.versions = ['"1"', '"2"', '"2"']
    with served(server) as url:
        assert download(url, tmp_path, lambda *_: None).read_bytes() == GAMES


def test_busy_server_is_asked_again_and_a_missing_file_is_not(tmp_path: Path) -> None:
    with served(Server(breaks=len(GAMES), ranges=True, answers=(503, 429))) as url:
        assert download(url, tmp_path, lambda *_: None).read_bytes() == GAMES
    missing = Server(breaks=len(GAMES), ranges=True, answers=(404, 404))
    with served(missing) as url, pytest.raises(ArchiveError, match="answers 404 Not Found; check the add"):
        download(url, tmp_path, lambda *_: None)
    assert len(missing.asked) == 1
    for wrong in ("http:///a", "http://b/../c", "http://[::1/a", "http://a:b@c/d", f"http://e/{'f' * 256}"):
        with pytest.raises(ArchiveError, match=r"expected the address of a file|is too long for a file"):
            download(wrong, tmp_path, lambda *_: None)


def test_full_disk_is_reported_at_once(tmp_path: Path) -> None:
    def fail(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    server = Server(breaks=len(GAMES), ranges=True)
    with served(server) as url, pytest.raises(OSError, match="No space left"):
        download(url, tmp_path, fail)
    assert len(server.asked) == 1


def test_tally_of_url_is_that_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_bytes(GAMES)
    with served(Server(breaks=100_000, ranges=True)) as url:
        run("tally", url, "-o", tmp_path / "url.store")
        (tmp_path / "list").write_text(f"games.pgn\n{url}")
        run("build", f"@{tmp_path / 'list'}", "--min-games", "1", "-o", tmp_path / "url.bin")
        stores = bb.Tally.open(tmp_path / "url.store"), bb.Tally.from_archives(tmp_path / "games.pgn")
        assert stores[0].to_arrow() == stores[1].to_arrow()
        assert [source.source for source in stores[0].sources] == [url]
        assert set(stores[0].games.column("source").to_pylist()) == {url}
        run("build", url, "--min-games", "1", "-o", tmp_path / "url.book")
        run("build", "--recipe", tmp_path / "url.book", "-o", tmp_path / "again.book")
        assert (tmp_path / "again.book").read_bytes() == (tmp_path / "url.book").read_bytes()
        assert bb.observations(download(url, tmp_path, lambda *_: None)).to_arrow().num_rows == 12000
    run("build", tmp_path / "games.pgn", "--min-games", "1", "-o", tmp_path / "file.bin")
    assert (tmp_path / "url.bin").read_bytes() == (tmp_path / "file.bin").read_bytes()
