"""Archives and stores in a server of S3 whose answers fail, wait and break off."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.s3_server import S3, Trouble, s3_server

from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.grow import grow

for _needed in ("distributed", "s3fs"):
    pytest.importorskip(_needed, reason="needs Dask and s3fs")

RUNS = int(os.environ.get("RUNS", "3"))
ARCHIVES, STORE = "s3://games/*.pgn", "s3://tallies/chess.store"
NOWHERE = "s3://nowhere/chess.store"


@pytest.fixture
def server(data: Path, tmp_path: Path) -> Iterator[S3]:
    """A server with three archives, and a bucket for stores."""
    buckets = tmp_path / "buckets"
    for bucket in ("games", "tallies"):
        (buckets / bucket).mkdir(parents=True)
    games = (data / "chess_selfplay.pgn").read_bytes().split(b"[Event ")[1:]
    for number in range(3):
        text = b"".join(b"[Event " + game for game in games[number::3])
        (buckets / "games" / f"{number}.pgn").write_bytes(text)
    with s3_server(buckets) as served:
        yield served


@pytest.fixture
def expected(server: S3, tmp_path: Path) -> dict[str, bytes]:
    """The tally of one process, from the disk."""
    grow(
        tmp_path / "alone",
        sorted((server.folder / "games").iterdir()),
        TallyOptions(game="chess", max_ply=40),
    )
    return parts(tmp_path / "alone")


def started(server: S3, *words: str, secret: str | None = None, task: str = "4MiB") -> subprocess.Popen[str]:
    """Start a tally with two workers."""
    line = [sys.executable, "-P", "-m", "bookbuilder", "tally", *words]
    line += ["--game", "chess", "--task", task, "--quiet", "--cluster", "local", "--jobs", "2"]
    login = server.environment() if secret is None else server.environment(secret)
    variables, pipe = {**os.environ, **login}, subprocess.PIPE
    return subprocess.Popen(line, env=variables, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def ended(running: subprocess.Popen[str]) -> tuple[int, str]:
    """Return the exit code and stderr."""
    _, told = running.communicate(timeout=600)
    return running.returncode, told


def parts(store: Path) -> dict[str, bytes]:
    """The rows of a store; its other files name the archives."""
    return {entry.name: entry.read_bytes() for entry in store.iterdir() if entry.name.startswith("part-")}


def served(server: S3) -> Path:
    """The store on the disk of the server."""
    return server.folder / "tallies" / "chess.store"


def check_trouble(server: S3, expected: dict[str, bytes], trouble: Trouble, task: str) -> None:
    server.trouble = trouble
    outcome = ended(started(server, ARCHIVES, "-o", STORE, task=task))
    print(dict(trouble.met))
    assert outcome == (0, "")
    assert trouble.met.total() > trouble.met["none"]
    assert parts(served(server)) == expected


def test_requests_that_fail_wait_and_break_off_change_no_byte(server, expected) -> None:
    check_trouble(server, expected, Trouble(failing=0.05, cut=0.05, slow=0.05), "4MiB")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RUNS))
def test_much_trouble_changes_no_byte(server, expected, seed) -> None:
    trouble = Trouble(failing=0.1, cut=0.1, slow=0.1, rng=random.Random(seed))
    check_trouble(server, expected, trouble, "64KiB")


def test_storage_that_fails_for_good_leaves_no_store(server, expected) -> None:
    server.trouble = Trouble(failing=1, spared=60)
    code, told = ended(started(server, ARCHIVES, "-o", STORE))
    assert code == 3
    assert re.fullmatch(r"bookbuilder: s3://tallies/chess\.store/\S+: storage failed: [^\n]+\n", told), told
    assert not (served(server) / "manifest.json").exists()
    server.trouble = Trouble()
    assert ended(started(server, ARCHIVES, "-o", STORE)) == (0, "")
    assert parts(served(server)) == expected


def test_killed_tally_can_be_repeated(server, expected) -> None:
    running = started(server, ARCHIVES, "-o", STORE)
    while server.trouble.met.total() < 60:
        assert running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    assert ended(running)[0] == -signal.SIGKILL
    assert not (served(server) / "manifest.json").exists()
    assert ended(started(server, ARCHIVES, "-o", STORE)) == (0, "")
    assert parts(served(server)) == expected


@pytest.mark.parametrize(
    ("archives", "store", "secret", "reason"),
    [
        (ARCHIVES, STORE, "open barley", "s3://games/*.pgn: cannot be read: The request signature"),
        ("s3://nowhere/*.pgn", STORE, None, "s3://nowhere/*.pgn: no archive found"),
        ("s3://games/9.pgn", STORE, None, "s3://games/9.pgn: cannot be read: not found (games/9.pgn)"),
        (ARCHIVES, NOWHERE, None, f"{NOWHERE}: cannot be created: not found ("),
    ],
    ids=["wrong key", "no bucket", "no object", "no bucket for the store"],
)
def test_wrong_words_are_reported_in_one_line(server, archives, store, secret, reason) -> None:
    code, told = ended(started(server, archives, "-o", store, secret=secret))
    print(told)
    assert (code, told.count("\n")) == (3, 1), told
    assert reason in told
