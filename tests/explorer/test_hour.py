"""Ten sessions use the server while its store and book change. An hour: `SECONDS=3600 PAUSE=5`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.explorer_load import Load, Look, look, requests_to_compare, sixths, walks
from support.served_versions import BOOK, STORE, Versions, as_text, split_archive

from bookbuilder import Tally

SESSIONS = 10
THINK_SECONDS = float(os.environ.get("PAUSE", "0.5"))
CHANGE_SECONDS, LOOK_SECONDS = 30.0, 2.0
# Memory that is never freed raises the median memory of each sixth of the time. That of the last sixth may be
# this multiple of that of the second. A short time does not meet every version, and these differ in size.
GROWTH, SHORT_GROWTH, SHORT_SECONDS = 1.2, 2.0, 1200.0


@contextmanager
def server(paths: list[Path], log: Path) -> Iterator[tuple[int, int]]:
    """A server's process and port. It ends as by Ctrl-C; its log has no traceback."""
    line = [sys.executable, "-P", "-m", "bookbuilder", "serve", *map(str, paths), "-p", "0"]
    with log.open("w") as stream, subprocess.Popen(line, stderr=stream) as process:
        try:
            end = time.monotonic() + 60
            while (port := re.search(r"http://[\d.]+:(\d+)", log.read_text())) is None:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, "it does not start"
                time.sleep(0.1)
            yield process.pid, int(port[1])
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0, log.read_text()
        finally:
            process.kill()
    assert "Traceback" not in log.read_text(), log.read_text()


def watched(load: Load, versions: Versions, process: int, seconds: float) -> list[Look]:
    """Let sessions run for a time while the versions change, and return the looks at the server."""
    sessions = [threading.Thread(target=load.run, args=(each, THINK_SECONDS)) for each in range(SESSIONS)]
    for session in sessions:
        session.start()
    looks, started = [look(process)], time.monotonic()
    change = started + CHANGE_SECONDS
    try:
        while (now := time.monotonic()) < started + seconds:
            if now >= change:
                versions.change()
                change += CHANGE_SECONDS
            if now >= looks[-1].at + LOOK_SECONDS:
                looks.append(look(process))
            time.sleep(0.2)
    finally:
        load.stopped.set()
        for session in sessions:
            session.join()
    return looks


@pytest.fixture
def archives(tmp_path: Path, chess_pgn: Path, other_pgn: Path) -> list[Path]:
    """A real archive in three parts; without a corpus, small ones."""
    corpus = os.environ.get("BOOKBUILDER_CORPUS")
    if corpus is None:
        return [chess_pgn, other_pgn]
    return split_archive(Path(corpus, "data/chess/pgnmentor_sample20k_dev.pgn.zst"), tmp_path)


@pytest.mark.slow
def test_sessions_get_answers_while_sources_change(tmp_path: Path, archives: list[Path]) -> None:
    seconds = float(os.environ.get("SECONDS", "60"))
    versions = Versions(tmp_path, archives)
    lines = walks(Tally.open(versions.at(len(archives) - 1) / STORE), 500)
    expected = {
        request: [as_text(answer) for answer in answers]
        for request, answers in versions.answers(requests_to_compare(lines)).items()
    }
    found = versions.answers([f"/api/v1/games?src={STORE}&limit=50&play={line}" for line in lines[::20]])
    ids = sorted({game["id"] for answers in found.values() for game in answers[0]["games"]})
    with server([versions.served / STORE, versions.served / BOOK], tmp_path / "server.log") as (
        process,
        port,
    ):
        load = Load(port, lines, ids, expected)
        looks = watched(load, versions, process, seconds)
    figures = {name: sixths(looks, name) for name in ("memory", "handles", "threads")}
    facts = {"seconds": seconds, "statuses": load.statuses, "changes": versions.changes, **figures}
    print(json.dumps(facts, indent=1))
    assert not load.problems, load.problems[:5]
    growth = GROWTH if seconds >= SHORT_SECONDS else SHORT_GROWTH
    assert figures["memory"][5] <= growth * figures["memory"][1]
    assert figures["handles"][5] <= figures["handles"][1] + 16
    assert figures["threads"][5] <= figures["threads"][1] + 4
