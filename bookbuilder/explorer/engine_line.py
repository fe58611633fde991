"""Runs the bundled engine on a position and parses its lines.

Each search is a process that speaks UCI. It stops as soon as the client disconnects, and does not slow down
other requests.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.facts import names_of

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["Engines", "Limits", "parse_info"]

_HASH_MIB: Final = 32
# Seconds that a stopped search gets to end before its process is killed.
_PATIENCE: Final = 1.0
_INFO: Final = re.compile(
    r"info depth (\d+) .*?multipv (\d+) score (cp|mate) (-?\d+) "
    r"nodes (\d+) nps (\d+) hashfull (\d+) .*?pv (.+)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a search.

    Attributes:
        movetime_ms: maximum milliseconds.
        depth: maximum plies; None = any.
        lines: number of lines with different first moves.
    """

    movetime_ms: int
    depth: int | None = None
    lines: int = 1


class Engines:
    """The running searches."""

    def __init__(self, most: int = 2) -> None:
        """Allow at most `most` searches at a time."""
        self._running: set[asyncio.subprocess.Process] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._most = most

    async def close(self) -> None:
        """End all searches and wait for their processes."""
        for process in self._running:
            if process.returncode is None:
                process.kill()
        await asyncio.gather(*self._ending, *(process.wait() for process in self._running))

    @asynccontextmanager
    async def search(self, here: Position, limits: Limits) -> AsyncIterator[asyncio.StreamReader]:
        """Yield the output of an engine that searches a position. The engine ends with the block.

        Raises:
            RefusedError: too many searches are running.
        """
        if len(self._running) >= self._most:
            message = f"{self._most} searches are running: stop one, then try again"
            raise RefusedError(503, "busy", message)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "bookbuilder", "engine", "uci"),
            *("--game", here.game, "--hash", str(_HASH_MIB)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        self._running.add(process)
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(_commands(here, limits).encode())
            await process.stdin.drain()
            yield process.stdout
        finally:
            ending = asyncio.create_task(self._end(process))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            await asyncio.shield(ending)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        try:
            await asyncio.wait_for(process.communicate(b"stop\nquit\n"), _PATIENCE)
        except TimeoutError:
            if process.returncode is None:
                process.kill()
            await process.communicate()
        finally:
            self._running.discard(process)


def _commands(here: Position, limits: Limits) -> str:
    depth = "" if limits.depth is None else f" depth {limits.depth}"
    return (
        f"setoption name MultiPV value {limits.lines}\n"
        f"position fen {here.fen}\ngo movetime {limits.movetime_ms}{depth}\n"
    )


def parse_info(here: Position, line: str) -> dict[str, Any] | None:
    """Return the content of an `info` line with a variation, None for other lines.

    depth, multipv, score_cp (for the side to move) or mate_in (plies, negative if it is mated), nodes, nps,
    table_permille, pv (coordinates) and names (of each move of it).
    """
    found = _INFO.fullmatch(line.strip())
    if found is None:
        return None
    depth, multipv, kind, score, nodes, nps, table, moves = found.groups()
    pv, names, position = moves.split(), [], here
    for move in pv:
        code = position.parse_move(move)
        names.append(names_of(position, code))
        position = position.play(code)
    mate = int(score)
    return {
        "depth": int(depth),
        "multipv": int(multipv),
        "score_cp": int(score) if kind == "cp" else None,
        # UCI counts moves of the side that mates.
        "mate_in": None if kind == "cp" else 2 * mate - 1 if mate > 0 else 2 * mate,
        "pv": pv,
        "names": names,
        "nodes": int(nodes),
        "nps": int(nps),
        "table_permille": int(table),
    }
