"""`build` and `book`, with the formats of other programs: files, answers and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

from bookbuilder.book.formats.registry import FORMATS, read_moves


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


@pytest.mark.parametrize("name", [each.name for each in FORMATS.values() if "chess" in each.games])
def test_build_infers_format_from_suffix(tmp_path: Path, chess_pgn: Path, name: str) -> None:
    path = tmp_path / f"a{FORMATS[name].suffix}"
    ran = run("build", *ABSOLUTE, chess_pgn, "-o", path, "--min-win-rate", 0, "--json", "--quiet")
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["bytes"] == path.stat().st_size
    if name == "book":
        assert "written" not in answer
        return
    assert answer["written"]["format"] == name
    assert answer["written"]["moves"] > 0
    if FORMATS[name].read is not None:
        assert len(read_moves(path)) > 0
