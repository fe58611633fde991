"""Runs an engine on a position and parses its lines.

Each search is a process that speaks UCI. It stops as soon as the client disconnects, and does not slow down
other requests.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.facts import names_of

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.engine.match.player import EngineSpec
    from bookbuilder.explorer.engine_choice import EngineChoice

__all__ = ["Engines", "Limits", "Lines", "parse_info"]

_HASH_MIB: Final = 32
# Seconds that a stopped search gets to end before its process is killed.
_PATIENCE: Final = 1.0
_INFO: Final = re.compile(
    r"info depth (\d+) .*?multipv (\d+) score (cp|mate) (-?\d+) "
    r"nodes (\d+) nps (\d+) (?:hashfull (\d+) )?.*?\bpv (.+)"
)
# Seconds that an engine has to introduce itself.
_GREETING: Final = 20.0


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

    def __init__(self, engine: EngineChoice, most: int = 2) -> None:
        """Allow at most `most` searches of an engine at a time."""
        self._engine = engine
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
    async def search(self, here: Position, limits: Limits) -> AsyncIterator[Lines]:
        """Yield the lines of an engine that searches a position. The engine ends with the block.

        Raises:
            RefusedError: too many searches are running, or the engine cannot be started.
            OptionError: the command of the engine is invalid.
        """
        if len(self._running) >= self._most:
            message = f"{self._most} searches are running: stop one, then try again"
            raise RefusedError(503, "busy", message)
        spec = self._engine.spec(here.game)
        if spec.protocol != "uci":
            raise RefusedError(
                409, "engine", f"{spec.name} speaks {spec.protocol}: lines need an engine of UCI"
            )
        process = await _started(spec)
        self._running.add(process)
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            dialect = await _greeted(process, spec, here.game)
            process.stdin.write(_commands(here, limits).encode())
            await process.stdin.drain()
            yield Lines(process.stdout, dialect)
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


class Lines(NamedTuple):
    """What an engine says, and the notation of its moves; None = coordinates."""

    said: asyncio.StreamReader
    dialect: str | None


async def _started(spec: EngineSpec) -> asyncio.subprocess.Process:
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        return await asyncio.create_subprocess_exec(*spec.command, stdin=pipe, stdout=pipe, stderr=nothing)
    except OSError as error:
        message = f"{spec.command[0]} cannot be started: {error.strerror}; see serve --engine"
        raise RefusedError(409, "engine", message) from error


async def _greeted(process: asyncio.subprocess.Process, spec: EngineSpec, game: str) -> str | None:
    """Shake hands and set the options; return the notation of the engine's moves, None = coordinates."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"uci\n")
    introduction = ""
    try:
        async with asyncio.timeout(_GREETING):
            while (line := (await process.stdout.readline()).decode("utf-8", "replace")).strip() != "uciok":
                if not line:
                    raise RefusedError(409, "engine", f"{spec.name} ended at once: is it an engine of UCI?")
                introduction += line
    except TimeoutError as error:
        raise RefusedError(409, "engine", f"{spec.name} does not answer: is it an engine of UCI?") from error
    # Fairy-Stockfish counts ranks from 1; other engines of xiangqi write as UCCI does.
    has_variants = game == "xiangqi" and "option name UCI_Variant" in introduction
    pairs = [*spec.options, *([("UCI_Variant", "xiangqi")] if has_variants else [])]
    if re.search(r"^option name Hash ", introduction, re.MULTILINE) and "Hash" not in dict(spec.options):
        pairs.append(("Hash", str(_HASH_MIB)))
    for name, value in pairs:
        process.stdin.write(f"setoption name {name} value {value}\n".encode())
    return "uci" if has_variants else None


def _commands(here: Position, limits: Limits) -> str:
    depth = "" if limits.depth is None else f" depth {limits.depth}"
    return (
        f"setoption name MultiPV value {limits.lines}\n"
        f"position fen {here.fen}\ngo movetime {limits.movetime_ms}{depth}\n"
    )


def parse_info(here: Position, line: str, dialect: str | None = None) -> dict[str, Any] | None:
    """Return the content of an `info` line with a variation, None for other lines.

    The moves are of a notation, None = coordinates. The fields are
    depth, multipv, score_cp (for the side to move) or mate_in (plies, negative if it is mated), nodes, nps,
    table_permille, pv (coordinates) and names (of each move of it).
    """
    found = _INFO.fullmatch(line.strip())
    if found is None:
        return None
    depth, multipv, kind, score, nodes, nps, table, moves = found.groups()
    pv, names, position = list[str](), [], here
    for move in moves.split():
        code = position.parse_move(move, dialect)
        pv.append(position.coordinates(code))
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
        "table_permille": None if table is None else int(table),
    }
