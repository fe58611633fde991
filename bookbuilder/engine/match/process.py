"""Engines run as processes. No answer is awaited for ever.

One asyncio event loop in a background thread serves all processes. Games run in other threads and wait there
for the answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from abc import abstractmethod
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Final, TypeVar

from bookbuilder._core import Referee
from bookbuilder.engine.match.player import Clocks, EngineSpec, Player, PlayerFault, Reply
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.games.position import Game

__all__ = ["MATE_SCORE", "QUIT_SECONDS", "UNTIMED_SECONDS", "LineProcess", "RunningPlayer"]

T = TypeVar("T")

MATE_SCORE: Final = 30_000
"""Score of a mate in centipawns; the distance to the mate is subtracted."""

UNTIMED_SECONDS: Final = 3600
"""Maximum time of a move whose limit is a depth or a number of nodes; chosen."""

QUIT_SECONDS: Final = 2.0
"""Time that an engine has to end before it is killed."""

# Maximum time that an engine takes to start or to get ready: clearing a large table is slow.
_READY_SECONDS: Final = 60.0
# Time beyond its limit after which an engine counts as hung.
_GRACE_SECONDS: Final = 60.0
# Maximum length of a line that an engine writes.
_LINE_BYTES: Final = 1 << 20


@functools.cache
def _event_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="engines", daemon=True).start()
    return loop


class RunningPlayer(Player):
    """An engine that runs as a process; subclasses speak its protocol."""

    def __init__(self, spec: EngineSpec, game: Game) -> None:
        """Start the engine and set its options.

        Raises:
            OptionError: the program does not exist, does not play the game, or does not have the options.
            PlayerFault: the engine does not speak its protocol.
        """
        self.spec = spec
        self.game: Game = game
        self._loop = _event_loop()
        is_ready = False
        try:
            self._wait(self._start(), _READY_SECONDS, "get ready")
            is_ready = True
        finally:
            if not is_ready:
                self.close()

    def new_game(self, referee: Referee) -> None:
        """Prepare for a new game."""
        self._wait(self._prepare(referee), _READY_SECONDS, "get ready")

    def think(self, referee: Referee, clocks: Clocks | None) -> Reply:
        """Return the engine's move; a fault if it takes much longer than its limit."""
        limit = self.spec.limit
        if limit.movetime_ms is not None:
            seconds = limit.movetime_ms / 1000
        else:
            seconds = UNTIMED_SECONDS if clocks is None else clocks.own_ms / 1000
        return self._wait(self._choose(referee, clocks), seconds + _GRACE_SECONDS, "move")

    def close(self) -> None:
        """End the process."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float, deed: str) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop).result()
        except TimeoutError:
            raise self.fault(f"did not {deed} in {seconds:.1f} s") from None

    def fault(self, text: str) -> PlayerFault:
        """Return a fault of this player."""
        return PlayerFault(f"{self.spec.name} {text}")

    def read_move(self, referee: Referee, text: str, notation: str) -> int:
        """Return the code of the move that the engine played.

        Raises:
            PlayerFault: the move is not legal.
        """
        try:
            return referee.position.parse_move(text, notation)
        except MoveError as error:
            raise self.fault(f"played {text!r} in {referee.position.fen}: {error}") from error

    @abstractmethod
    async def _start(self) -> None:
        """Start the process, shake hands and set the options."""

    @abstractmethod
    async def _prepare(self, referee: Referee) -> None:
        """Prepare for a new game."""

    @abstractmethod
    async def _choose(self, referee: Referee, clocks: Clocks | None) -> Reply:
        """Return the engine's move."""

    @abstractmethod
    async def _stop(self) -> None:
        """End the process."""


class LineProcess:
    """A running program that reads and writes lines."""

    def __init__(self, name: str, process: Process) -> None:
        self._name = name
        self._process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    @classmethod
    async def open(cls, spec: EngineSpec) -> LineProcess:
        """Start an engine.

        Raises:
            OptionError: the program cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *spec.command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LINE_BYTES
            )
        except OSError as error:
            raise OptionError(f"engine {' '.join(spec.command)}: {error.strerror or error}") from error
        return cls(spec.name, process)

    def say(self, line: str) -> None:
        """Send a line."""
        self._stdin.write(f"{line}\n".encode())

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines that the engine writes.

        Raises:
            PlayerFault: the engine has ended.
        """
        async for line in self._stdout:
            yield line.decode("utf-8", "replace").strip()
        raise PlayerFault(f"{self._name} has ended")

    async def lines_before(self, last: str) -> list[str]:
        """Return the lines that the engine writes before a certain line."""
        lines: list[str] = []
        async for line in self.lines():
            if line == last:
                break
            lines.append(line)
        return lines

    async def quit(self) -> None:
        """End the engine, by force if it does not end itself."""
        self.say("quit")
        try:
            await asyncio.wait_for(self._process.wait(), QUIT_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
