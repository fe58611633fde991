"""`build` and `book`: files, answers and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, chess_pgn: Path) -> Path:
    """A chess book of every position."""
    path = tmp_path_factory.mktemp("book") / "chess.book"
    assert run("build", *ABSOLUTE, chess_pgn, "-o", path, "--min-win-rate", "0", "--max-ply", 8).code == 0
    return path


def test_empty_book_is_not_written(tmp_path: Path, chess_pgn: Path) -> None:
    ran = run("build", *ABSOLUTE, chess_pgn, "-o", tmp_path / "a.book", "--min-games", 1000)
    assert ran.code == 1
    assert "no position is kept; lower the limits: " in ran.err
    assert " below-games" in ran.err
    assert not (tmp_path / "a.book").exists()


def test_recipe_rebuilds_the_same_book(tmp_path: Path, chess_pgn: Path) -> None:
    first, again, third = tmp_path / "first.book", tmp_path / "again.book", tmp_path / "third.book"
    archive = tmp_path / "games.pgn"
    archive.write_bytes(chess_pgn.read_bytes())
    assert run("build", *ABSOLUTE, archive, "-o", first, "--min-win-rate", "0.4", "--max-ply", 6).code == 0
    assert run("build", "--recipe", first, "-o", again).code == 0
    assert again.read_bytes() == first.read_bytes()
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps(json.loads(run("info", first, "--json").out)["recipe"]))
    assert run("build", "--recipe", recipe, "-o", third).code == 0
    assert third.read_bytes() == first.read_bytes()
    assert run("build", archive, "--recipe", first, "-o", tmp_path / "b").code == 2
    for option in (["--min-games", 2], ["--max-ply", 4]):
        beside = run("build", "--recipe", first, *option, "-o", tmp_path / "b")
        assert beside.code == 2
        assert f"do not give {option[0]} with it" in " ".join(beside.err.replace("│", " ").split())
    assert run("build", "--recipe", first, "--memory", "64MiB", "-o", tmp_path / "c").code == 0
    assert (tmp_path / "c").read_bytes() == first.read_bytes()
    archive.write_text("changed")
    changed = run("build", "--recipe", first, "-o", tmp_path / "b")
    assert changed.code == 3
    assert str(archive) in changed.err
    assert run("build", *ABSOLUTE, "-o", tmp_path / "b").code == 2
