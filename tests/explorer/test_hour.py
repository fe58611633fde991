"""Clients ask while the store and the book that are served change: `SECONDS=3600` takes an hour."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.explorer_load import Load, Look, look, milliseconds, requests_to_compare, sixths, walks
from support.served_versions import STORE, Versions, as_text, split_archive

from bookbuilder import Tally

CLIENTS = 64
THINK_SECONDS = 2.0
CHANGE_SECONDS, LOOK_SECONDS, REPORT_SECONDS = 30.0, 5.0, 60.0
# Memory that is never freed raises the median memory of each sixth of the time. That of the last sixth may be
# this multiple of that of the second. A short time does not meet every version, and these differ in size. The
# least memory of a sixth is that of one moment: in a flat hour it went from 189 MiB to 215, 198 and 223.
GROWTH, SHORT_GROWTH, SHORT_SECONDS = 1.1, 2.0, 1200.0


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
    """Let clients ask for a time while the versions change, and return the looks at the server."""
    clients = [threading.Thread(target=load.run, args=(each, THINK_SECONDS)) for each in range(CLIENTS)]
    for client in clients:
        client.start()
    looks, started = [look(process)], time.monotonic()
    change, report = started + CHANGE_SECONDS, started + REPORT_SECONDS
    try:
        while (now := time.monotonic()) < started + seconds:
            if now >= change:
                versions.change()
                change += CHANGE_SECONDS
            if now >= looks[-1].at + LOOK_SECONDS:
                looks.append(look(process))
            if now >= report:
                print(round(now - started), looks[-1][1:], len(load.answered), len(load.problems), flush=True)
                report += REPORT_SECONDS
            time.sleep(0.2)
    finally:
        load.stopped.set()
        for client in clients:
            client.join()
    return looks


def summary(load: Load, versions: Versions, looks: list[Look], seconds: float) -> dict[str, object]:
    """Return the figures of a run."""
    paths = sorted({each.path for each in load.answered if "?" not in each.path})
    return {
        "seconds": seconds,
        "load_average": [round(each, 1) for each in os.getloadavg()],
        "answers": len(load.answered),
        "per_second": round(len(load.answered) / seconds, 1),
        "statuses": dict(sorted(Counter(each.status for each in load.answered).items())),
        "milliseconds": milliseconds(load.answered),
        "by_path": {path: milliseconds([a for a in load.answered if a.path == path]) for path in paths},
        "changes": versions.changes,
        "answers_of_version": dict(sorted(load.versions.items())),
        **load.counts,
        **{name: sixths(looks, name) for name in ("memory", "own", "handles", "threads", "children")},
        "least_memory": sixths(looks, "memory", min),
        "memory_max": round(max(each.memory for each in looks), 1),
        "problems": len(load.problems),
    }


@pytest.fixture
def archives(tmp_path: Path, chess_pgn: Path, other_pgn: Path) -> list[Path]:
    """A real archive in three parts; without a corpus, small ones."""
    corpus = os.environ.get("BOOKBUILDER_CORPUS")
    if corpus is None:
        return [chess_pgn, other_pgn]
    return split_archive(Path(corpus, "data/chess/pgnmentor_tournaments_dev.pgn.zst"), tmp_path)


@pytest.mark.slow
def test_clients_get_answers_while_sources_change(tmp_path: Path, archives: list[Path]) -> None:
    seconds = float(os.environ.get("SECONDS", "60"))
    versions = Versions(tmp_path, archives)
    lines = walks(Tally.open(versions.at(len(archives) - 1) / STORE), 1500)
    assert versions.check_counts(lines[:100])
    expected = {
        request: [as_text(answer) for answer in answers]
        for request, answers in versions.answers(requests_to_compare(lines)).items()
    }
    games = f"/api/v1/games?src={STORE}&limit=50&play="
    found = versions.answers([games + line for line in lines[::20]]).values()
    ids = sorted({game["id"] for answers in found for game in answers[0]["games"]})
    with server(versions.paths, tmp_path / "server.log") as (process, port):
        load = Load(port, lines, ids, expected)
        looks = watched(load, versions, process, seconds)
    figures = summary(load, versions, looks, seconds)
    print(json.dumps(figures, indent=1))
    assert not load.problems, load.problems[:5]
    assert sum(versions.changes.values()) >= seconds // CHANGE_SECONDS - 1
    memory, growth = sixths(looks, "memory"), GROWTH if seconds >= SHORT_SECONDS else SHORT_GROWTH
    handles, threads = (sixths(looks, name) for name in ("handles", "threads"))
    assert memory[5] <= growth * memory[1]
    assert handles[5] <= handles[1] + 16
    assert threads[5] <= threads[1] + 4
