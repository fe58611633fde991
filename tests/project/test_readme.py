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

import bookbuilder as bb

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory that contains only archives, like a checkout."""
    link_archives(tmp_path, data)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_main_commands_are_marked() -> None:
    commands = dict(re.findall(r"<!-- command: ([\w-]+) -->\n```sh\n(.*?)\n```", README, re.DOTALL))
    assert commands == {
        "main-job": "pip install . && bookbuilder demo",
        "test": 'pip install ".[test]" && pytest',
    }


def test_commands_print_what_is_shown(checkout: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
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


@pytest.mark.corpus
def test_first_table_has_the_counts_of_the_collection(corpus: Path) -> None:
    tally = bb.Tally.from_archives(corpus / "data/chess/pgnmentor_players_dev.pgn.zst", max_ply=4)
    assert f"in {tally.game_count:,} games of masters" in README
    moves = bb.explain(tally, bb.select(tally, shape="moves"), "1.e4 c5").set_index("san")
    rows = README.partition("| in the book |\n")[2].partition("\n\n")[0].splitlines()[1:]
    for row in rows:
        move, *counts, p, verdict = [cell.strip(" *") for cell in row.strip("|").split("|")]
        found = moves.loc[move]
        assert [f"{found[name]:,}" for name in ("played", "wins", "draws", "losses")] == counts
        assert (f"{100 * found['p']:.1f} %", bool(found["kept"])) == (p, verdict == "yes")
    assert len(rows) == 4
