"""The types of the package are right for users who check their own code strictly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.project_files import ROOT

pytest.importorskip("mypy")
USES = ROOT / "tests" / "support" / "typical_uses.py"


def checked(path: Path) -> tuple[int, str]:
    """Return the exit code and the output of a strict check."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout


def test_typical_uses_are_typed() -> None:
    assert checked(USES) == (0, "")


def test_wrong_names_and_values_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(
        "import bookbuilder as bb\n"
        'bb.build("games.pgn", "book.bin", min_elo=2400)\n'
        'bb.Tally.from_archives("games.pgn", dedupe="some")\n'
        'bb.observations("games.pgn", max_ply="20")\n'
        'bb.preset("engine", margins=1)\n'
    )
    code, said = checked(path)
    assert code == 1
    assert [f"wrong.py:{line}:" in said for line in (2, 3, 4, 5)] == [True] * 4
