"""Threads, each with engines of its own. An error of one reaches the thread that waits for them."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

__all__ = ["Threads"]

T = TypeVar("T")
_LOOK_SECONDS: Final = 0.2
"""A wait with a time limit lets the main thread receive Ctrl-C."""


class Threads(Generic[T]):
    """Threads that do the same work and give answers."""

    def __init__(self, work: Callable[[], None], most: int) -> None:
        """Describe the threads.

        Args:
            work: what each of them does until there is nothing left to do.
            most: maximum number of threads.
        """
        self._work, self._pool = work, ThreadPoolExecutor(most)
        self._begun: list[Future[None]] = []
        self._answers: queue.SimpleQueue[T | Future[None]] = queue.SimpleQueue()

    def __len__(self) -> int:
        """Return the number of threads that were started."""
        return len(self._begun)

    def start(self, count: int) -> None:
        """Start threads until there were as many as `count`.

        Raises:
            RuntimeError: the system has no thread left.
        """
        while len(self._begun) < count:
            begun = self._pool.submit(self._work)
            self._begun.append(begun)
            begun.add_done_callback(self._ended)

    def _ended(self, thread: Future[None]) -> None:
        if thread.exception() is not None:
            self._answers.put(thread)

    def put(self, answer: T) -> None:
        """Give an answer."""
        self._answers.put(answer)

    def next(self) -> T:
        """Return the next answer, and wait for it.

        Raises:
            Exception: what ended a thread.
        """
        while True:
            with contextlib.suppress(queue.Empty):
                answer = self._answers.get(timeout=_LOOK_SECONDS)
                if not isinstance(answer, Future):
                    return answer
                answer.result()  # raises

    def join(self) -> None:
        """Wait until all threads have ended."""
        self._pool.shutdown()
