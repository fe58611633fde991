"""The examples in docstrings run as tests."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import shutil
from pathlib import Path

import pytest

import bookbuilder

# `__main__` runs the program when it is imported.
MODULES = [
    found.name
    for found in pkgutil.walk_packages(bookbuilder.__path__, "bookbuilder.")
    if found.name.rpartition(".")[2] != "__main__"
]
SOURCES = Path(bookbuilder.__file__).parent


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(
    name: str, chess_pgn: Path, xiangqi_zip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Examples may read `games.pgn` and `games.zip`, a few games of chess and of xiangqi."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(chess_pgn, "games.pgn")
    shutil.copy(xiangqi_zip, "games.zip")
    module = importlib.import_module(name)
    found = doctest.testmod(module, raise_on_error=False)
    assert found.failed == 0
    # doctest has found every example of the file.
    if module.__file__ and module.__file__.endswith(".py"):
        written = Path(module.__file__).read_text(encoding="utf-8").count(">>> ")
        assert found.attempted == written


def test_there_are_examples() -> None:
    assert sum(path.read_text(encoding="utf-8").count(">>> ") for path in SOURCES.rglob("*.py")) > 30
