"""Interrupted runs leave outputs unchanged."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bookbuilder as bb
from bookbuilder.tally.store.layout import WORK

pytestmark = pytest.mark.corpus


def interrupted_while_reading(*arguments: object) -> tuple[int, str]:
    """Run the program on a terminal, interrupt it when it shows games; return exit code and last line."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-m", "bookbuilder", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown, is_sent = b"", False
    while chunk := read_terminal(ours):
        shown += chunk
        if not is_sent and re.search(rb"[1-9][\d,]* games", shown):
            process.send_signal(signal.SIGINT)
            is_sent = True
    os.close(ours)
    assert is_sent, shown
    return process.wait(), shown.decode().splitlines()[-1]


def read_terminal(terminal: int) -> bytes:
    """Return the next output of a terminal; nothing after the end of its program, a read error on Linux."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


@pytest.mark.parametrize("command", ["tally", "build"])
def test_interrupt_exits_with_130_and_leaves_nothing(
    players_archive: Path, output: Path, command: str
) -> None:
    code, last = interrupted_while_reading(command, players_archive, "-o", output)
    assert code == 130
    # The line starts with the codes that clear the progress bar.
    assert last.endswith("bookbuilder: interrupted; outputs are as they were before")
    if command == "tally":
        # The next run resumes from the counted part, which is not a store.
        assert [left.name for left in output.iterdir()] == [WORK]
        shutil.rmtree(output)


def test_interrupt_leaves_existing_store_unchanged(
    players_archive: Path, chess_tally: bb.Tally, tmp_path: Path
) -> None:
    store = chess_tally.save(tmp_path / "store")
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    code, _ = interrupted_while_reading("tally", players_archive, "-o", store)
    assert code == 130
    shutil.rmtree(store / WORK)
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
