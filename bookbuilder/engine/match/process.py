"""Engines as processes: commands in, lines of an answer out, none of them waited for without end.

One driver for each protocol: UCI (Huber, Meyer-Kahlen 2006), UCCI (xqbase 3.0) and xboard (Mann, Muller,
version 2). Moves go to and fro as the engine spells them: UCI's for chess, ranks from 1 for a xiangqi engine
with an option `UCI_Variant` (Fairy-Stockfish), ranks from 0 for every other one.
"""

from __future__ import annotations

import contextlib
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from bookbuilder.engine.match.player import EngineSpec, Line, PlayerFault
from bookbuilder.errors import MoveError, OptionError

__all__ = ["MATE_SCORE", "EngineProcess", "read_move"]

MATE_SCORE: Final = 30_000
"""Score of a mate, in centipawns, less one for each ply to it."""

# How long an engine may take to start or to say that it is ready; a large table is slow to clear.
_READY_SECONDS: Final = 60.0
_QUIT_SECONDS: Final = 2.0


class EngineProcess:
    """A running engine that is spoken to in lines."""

    def __init__(self, spec: EngineSpec) -> None:
        """Start the engine.

        Raises:
            OptionError: there is no such program.
        """
        self.name = spec.name
        try:
            self._process = subprocess.Popen(
                spec.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise OptionError(f"engine {' '.join(spec.command)}: {error.strerror or error}") from error
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        # Two threads may end an engine at once: the one that plays, and the one that breaks the match off.
        self._speaking = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._lines.put(line.strip())
        self._lines.put(None)

    def say(self, line: str) -> None:
        """Send a line.

        Raises:
            PlayerFault: the engine has gone.
        """
        assert self._process.stdin is not None
        try:
            with self._speaking:
                self._process.stdin.write(f"{line}\n")
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise PlayerFault(f"{self.name} has ended: it does not hear {line!r}") from error

    def lines(self, seconds: float, awaited: str) -> Iterator[str]:
        """Yield what the engine says as it comes.

        Args:
            seconds: how long it may take in all.
            awaited: what is waited for, for the message.

        Raises:
            PlayerFault: the engine has ended, or the time is over.
        """
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise PlayerFault(f"{self.name} said no {awaited} in {seconds:.1f} s") from None
            if line is None:
                self._lines.put(None)
                raise PlayerFault(f"{self.name} has ended before it said {awaited}")
            yield line

    def await_line(self, word: str, each: Callable[[str], None] | None = None) -> None:
        """Wait until the engine says a line that is one word; `each` is called with the lines before it."""
        for line in self.lines(_READY_SECONDS, word):
            if line == word:
                return
            if each is not None:
                each(line)

    def end(self) -> None:
        """End the engine, by force if need be."""
        with contextlib.suppress(PlayerFault):
            self.say("quit")
        try:
            self._process.wait(_QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # Who reads a stream closes it: to close it under a reader's hands fails.
        self._reader.join(_QUIT_SECONDS)
        assert self._process.stdin is not None
        with self._speaking, contextlib.suppress(OSError):
            self._process.stdin.close()


def read_move(name: str, line: Line, text: str, notation: str) -> int:
    """Return the code of the move that an engine played.

    Raises:
        PlayerFault: it is not a legal move.
    """
    try:
        return line.here.parse_move(text, notation)
    except MoveError as error:
        raise PlayerFault(f"{name} played {text!r} in {line.here.fen}: {error}") from error
