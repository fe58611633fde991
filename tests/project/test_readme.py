"""The README tells the truth: its commands and its Python run, and print what it says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.printed import stable

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory that holds data/ as a checkout does."""
    (tmp_path / "data").symlink_to(data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tour_prints_what_the_readme_shows(checkout: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        for command, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
            assert command.startswith("bookbuilder ")
            arguments = [sys.executable, "-P", "-m", *shlex.split(command)]
            ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, f"{command}: {ran.stderr}"
            # What is drawn is shown as a picture in its place.
            assert stable(ran.stdout) == stable(shown) or ("--plot" in command and not shown), command


def test_the_python_of_the_readme_runs(checkout: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True)
