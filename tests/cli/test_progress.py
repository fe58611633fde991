"""Progress of long work: lines in pipes, one rewritten line on a terminal."""

from __future__ import annotations

import io
import sys
import time

import pytest

from bookbuilder.cli import progress
from bookbuilder.cli.console import display


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal that is stderr for the rest of the test."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    return stream


def test_quiet_shows_no_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "is_quiet", True)
    with (
        progress.reading(100) as read,
        progress.counting("games", 10) as count,
        progress.phase("selecting"),
        progress.standing_line() as line,
    ):
        assert read is None
        count(5)
        line("5 of 10")
    assert capsys.readouterr() == ("", "")


def test_progress_is_plain_in_pipes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PLAIN_LINE_SECONDS", 0.1)
    with progress.reading(2_000_000) as read:
        assert read is not None
        read(0, 0, 0)
        time.sleep(0.2)
        read(1_000_000, 1234, 5)
    with progress.counting("games", 10) as count:
        time.sleep(0.2)
        count(5)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert lines[0].startswith("read 50 %, ")
    assert " s left: 1,234 games, 5 rejects, " in lines[0]
    assert "MB/s" in lines[0]
    assert lines[-1] == "5 of 10 games (0 s)"


def test_reading_becomes_merging_at_the_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress.reading(100) as read:
        assert read is not None
        read(50, 10, 0)
        time.sleep(0.3)
        read(100, 20, 1)
        time.sleep(0.3)
    shown = terminal.getvalue()
    assert shown.index("reading") < shown.index("merging")
    assert "100 %" not in shown
