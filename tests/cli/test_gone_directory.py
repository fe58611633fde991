"""Commands from a working directory that has been deleted say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli_runner import run


def test_a_working_directory_that_is_gone_is_named(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    archive = data / "chess_selfplay.pgn"
    for command in (["build", archive, "-o", "a.book"], ["tally", archive, "-o", "a.store"]):
        ran = run(*command, "--quiet")
        assert (ran.code, "the working directory is gone" in ran.err) == (3, True), (command, ran.err)
