"""Threads that work with engines: whatever ends one of them ends the wait for it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder.engine.match.threads import Threads

USERS = {
    "bookbuilder.engine.walk.judges": (
        "engine",
        "walk",
        "BOOK",
        "--against",
        "STORE",
        "--walks",
        2,
        "--nodes",
        20,
    ),
    "bookbuilder.engine.evaluate.work": ("evaluate", "BOOK", "-o", "OUT", "--positions", 2, "--nodes", 20),
    "bookbuilder.engine.match.match": (
        *("engine", "match", "bundled", "bundled", "--game", "chess", "--games", 2),
        *("--limit", "nodes=20", "--max-length", 5),
    ),
}


def test_answers_arrive_and_then_the_error_of_a_thread() -> None:
    def work() -> None:
        threads.put(1)
        raise MemoryError("none left")

    threads: Threads[int] = Threads(work, 1)
    threads.start(1)
    assert threads.next() == 1
    with pytest.raises(MemoryError, match="none left"):
        threads.next()
    threads.join()


def test_no_more_threads_start_than_asked() -> None:
    threads: Threads[int] = Threads(lambda: threads.put(0), 3)
    for count in (1, 3, 2):
        threads.start(count)
    assert [threads.next() for _ in range(3)] == [0, 0, 0]
    assert len(threads) == 3
    threads.join()


@pytest.mark.parametrize("module", USERS)
def test_engine_without_a_file_handle_ends_the_command(
    module: str, chess_pgn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such an error ended the thread only, and the command waited for ever or printed a traceback."""

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    book, out = tmp_path / "a.book", tmp_path / "out"
    out.mkdir()
    assert run("tally", chess_pgn, "-o", tmp_path / "a.store").code == 0
    assert run("build", tmp_path / "a.store", "-o", book).code == 0
    monkeypatch.setattr(f"{module}.open_player", fail)
    places = {"BOOK": book, "STORE": tmp_path / "a.store", "OUT": out / "a.evals"}
    ran = run(*(places.get(str(word), word) for word in USERS[module]))
    assert (ran.code, ran.err.splitlines()[-1]) == (3, "bookbuilder: too many open files"), ran.err
    assert "Traceback" not in ran.err
    assert list(out.iterdir()) == []
