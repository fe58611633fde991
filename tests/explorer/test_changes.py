"""A source changes on disk while a request is answered: the answer is that of one version."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from bookbuilder.explorer.app import make_app
from bookbuilder.explorer.sources import Source, Sources
from bookbuilder.tally.tally import Tally

V1 = "/api/v1"


class ChangingSources(Sources):
    """Sources that change once, at the n-th time that a request looks one up."""

    change: Callable[[], object] | None = None
    left = 1

    def find(self, name: str | None, game: Any = None, kind: Any = None) -> Source:
        """Return the source, and then change it on disk."""
        found = super().find(name, game, kind)
        self.left -= 1
        if self.change is not None and self.left == 0:
            self.change()
        return found


def changing(store: Path, chess_pgn: Path, other_pgn: Path) -> ChangingSources:
    """Return sources with a store that grows from 6 to 8 games."""
    Tally.from_archives(chess_pgn).save(store)
    grown = Tally.from_archives(chess_pgn, other_pgn)
    sources = ChangingSources([store])
    sources.change = lambda: grown.save(store, force=True)
    return sources


@pytest.mark.parametrize(
    "request_",
    [f"{V1}/position", f"{V1}/games", f"{V1}/curve", f"{V1}/size", f"{V1}/tree", "/lichess", "/player",
 "/masters"],
)  # fmt: skip
def test_store_that_changes_during_a_request_is_read_again(
    request_: str, tmp_path: Path, chess_pgn: Path, other_pgn: Path
) -> None:
    sources = changing(tmp_path / "store", chess_pgn, other_pgn)
    client = TestClient(make_app(sources), base_url="http://localhost")
    answer = client.get(request_)
    assert (answer.status_code, sources.left) != (200, 1)
    assert answer.status_code == 200, answer.text
    assert answer.json() == client.get(request_).json()
    assert client.get(f"{V1}/position").json()["reached"] == 8


def test_memory_is_released_after_a_slow_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chess_pgn: Path
) -> None:
    released: list[bool] = []
    monkeypatch.setattr("bookbuilder.explorer.app.release_memory", lambda: released.append(True))
    Tally.from_archives(chess_pgn).save(tmp_path / "store")
    client = TestClient(make_app(Sources([tmp_path / "store"])), base_url="http://localhost")
    assert client.get(f"{V1}/position").status_code == 200
    assert not released
    assert client.get(f"{V1}/curve").status_code == 200
    assert released == [True]


def test_server_limits_its_heaps_before_pyarrow_is_imported() -> None:
    code = "import sys, bookbuilder.__main__, bookbuilder.cli.serve; print('pyarrow' in sys.modules)"
    ran = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
