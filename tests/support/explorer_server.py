"""Servers for the tests of the explorer, with small stores and books of both games."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from support.selections import LITERATURE

from bookbuilder.book.book import Book
from bookbuilder.engine.endgames import Endgames, build_tables
from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.guard import Guarding
from bookbuilder.explorer.sources import Sources
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Served:
    """Files that a server is started with."""

    chess: Path
    xiangqi: Path
    shallow: Path
    chess_book: Path
    xiangqi_book: Path
    tables: Path

    @property
    def paths(self) -> list[Path]:
        """Stores first, then books."""
        return [self.chess, self.xiangqi, self.shallow, self.chess_book, self.xiangqi_book]


def make_served(directory: Path, chess_pgn: Path, xiangqi_zip: Path) -> Served:
    """Stores, books and endgame tables of the small archives."""
    served = Served(
        *(directory / name for name in ("chess.store", "xiangqi.store", "shallow")),
        *(directory / name for name in ("chess.book", "xiangqi.book", "tables")),
    )
    chess, xiangqi = Tally.from_archives(chess_pgn), Tally.from_archives(xiangqi_zip)
    chess.save(served.chess)
    xiangqi.save(served.xiangqi)
    Tally.from_archives(chess_pgn, max_ply=2).save(served.shallow)
    Book.write(served.chess_book, select(chess, LITERATURE, min_win_rate=0))
    Book.write(served.xiangqi_book, select(xiangqi, LITERATURE, min_win_rate=0), columns=False)
    build_tables(["KQvK"], served.tables, jobs=1)
    return served


def client_of(served: Served, **options: Any) -> TestClient:
    """A client in this process; `is_writable` and what `Guarding` takes are options."""
    writable = options.pop("is_writable", False)
    app = make_app(
        Sources(served.paths, is_writable=writable),
        guarding=Guarding(**options),
        endgames=Endgames(served.tables),
    )
    return TestClient(app, base_url=f"http://{HOST}:8000")


def change(client: TestClient, path: str, **options: Any) -> Any:
    """The answer to a change: a POST with the token of changes."""
    token = client.get("/api/v1/write-token").json()["token"]
    return client.post(f"/api/v1{path}", headers={"x-bookbuilder-write": token}, **options)


@contextmanager
def live_server(paths: Sequence[Path], *options: str) -> Iterator[str]:
    """The address of `bookbuilder serve` on a port that the system chose; it ends as by Ctrl-C."""
    command = [sys.executable, "-P", "-m", "bookbuilder", "serve", *map(str, paths), "-p", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline().decode()
            found = re.search(r"http://[^ ]+", line)
            assert found is not None, line + process.stderr.read().decode()
            yield found[0].rstrip("/")
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read().decode()
            assert process.wait(60) == 0, rest
            assert "Traceback" not in rest, rest
        finally:
            process.kill()


def without_names(answer: Any) -> Any:
    """An answer without the names of moves in other notations."""
    if isinstance(answer, list):
        return [without_names(each) for each in answer]
    if not isinstance(answer, dict):
        return answer
    return {k: without_names(each) for k, each in answer.items() if k not in ("names", "line_names")}
