"""The commands and the Python code of the README run, and print what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.printed import stable
from support.stand_ins import link_archives

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that contains only archives, like a checkout."""
    link_archives(tmp_path, data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_commands_print_what_is_shown(checkout: Path, page: str) -> None:
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        for command, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
            assert command.startswith("bookbuilder ")
            arguments = [sys.executable, "-P", "-m", *shlex.split(command)]
            ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, f"{command}: {ran.stderr}"
            # A command without shown output only has to succeed, as on the other pages.
            assert not shown.strip() or stable(ran.stdout) == stable(shown), command


def test_python_code_runs(checkout: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True)
