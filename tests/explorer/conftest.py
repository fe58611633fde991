"""What the tests of the explorer share: files of both games, and a client of a server that only reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from support.explorer_server import Served, client_of, make_served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, chess_pgn: Path, xiangqi_zip: Path) -> Served:
    """The files; of a module, since a test may change them."""
    return make_served(tmp_path_factory.mktemp("served"), chess_pgn, xiangqi_zip)


@pytest.fixture(scope="module")
def client(served: Served) -> TestClient:
    """A client."""
    return client_of(served)
