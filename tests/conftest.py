"""What the tests share: where the real archives are, and the archives of the demo."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CORPUS = os.environ.get("BOOKBUILDER_CORPUS")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips tests marked ``corpus`` where no corpus is named."""
    if CORPUS:
        return
    skip = pytest.mark.skip(reason="BOOKBUILDER_CORPUS is not set")
    for item in items:
        if "corpus" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder that holds data/ (real archives) and oracles/; skips the test if none is named."""
    if not CORPUS:
        pytest.skip("BOOKBUILDER_CORPUS is not set")
    return Path(CORPUS)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data(repository: Path) -> Path:
    """The archives of our own making."""
    return repository / "data"
