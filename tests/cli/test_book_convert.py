"""`book convert` and `build -o` with formats of other programs: files, answers and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import ABSOLUTE

from bookbuilder.book.formats.registry import FORMATS, read_moves


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
