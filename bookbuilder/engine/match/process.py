"""Programs that read and write lines."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from typing import Final

from bookbuilder.engine.match.player import EngineSpec, PlayerFault

__all__ = ["QUIT_SECONDS", "EndedFault", "LineProcess"]

QUIT_SECONDS: Final = 2.0
"""Time that an engine has to end before it is killed."""

# Maximum length of a line that an engine writes.
_LINE_BYTES: Final = 1 << 20


class EndedFault(PlayerFault):
    """The program has ended."""


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
            OSError: the program cannot be started.
        """
        process = await asyncio.create_subprocess_exec(
            *spec.command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LINE_BYTES
        )
        return cls(spec.name, process)

    def say(self, line: str) -> None:
        """Send a line."""
        self._stdin.write(f"{line}\n".encode())

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines that the engine writes.

        Raises:
            EndedFault: the engine has ended.
        """
        async for line in self._stdout:
            yield line.decode("utf-8", "replace").strip()
        raise EndedFault(f"{self._name} has ended")

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
