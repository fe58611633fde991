"""Long calls of the core release the interpreter's lock, so other threads go on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import bookbuilder as bb
from bookbuilder import _core

CALLS: dict[str, Callable[[Path], object]] = {
    "count": lambda data: bb.Tally.from_archives(data / "chess_selfplay.pgn", jobs=1),
    "search": lambda _: bb.Engine("chess").search(nodes=300_000),
    "perft": lambda _: _core.perft("chess", None, 5),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_go_on_during_a_long_call(name: str, data: Path) -> None:
    turns, is_done = 0, threading.Event()

    def other() -> None:
        # Every turn asks for the lock again.
        nonlocal turns
        while not is_done.wait(0.001):
            turns += 1

    thread = threading.Thread(target=other)
    thread.start()
    try:
        time.sleep(0.01)
        before = turns
        CALLS[name](data)
        during = turns - before
    finally:
        is_done.set()
        thread.join()
    # A call that keeps the lock leaves one turn before it and one after.
    assert during > 3
