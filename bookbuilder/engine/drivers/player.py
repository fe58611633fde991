"""An engine that runs as a process, asked from another thread. No answer is awaited for ever.

One asyncio event loop in a background thread serves all processes.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
from _thread import start_new_thread
from abc import ABC, abstractmethod
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from bookbuilder._core import Referee
from bookbuilder.engine.drivers.spec import EngineSpec, Protocol, ThinkLimit
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.evals.words import MATE_SCORE, mate_score
from bookbuilder.games.position import Game, coordinates_of

T = TypeVar("T")

_SPELLED: Final[dict[Protocol, str]] = {"uci": "UCI", "ucci": "UCCI", "xboard": "xboard's protocol"}

UNTIMED_SECONDS: Final = 3600
"""Maximum time of a move whose limit is a depth or a number of nodes; chosen."""
# Time that an engine has to end before it is killed.
_QUIT_SECONDS: Final = 2.0
# Maximum length of a line that an engine writes.
_LINE_BYTES: Final = 1 << 20

# Maximum time that an engine takes to say who it is. Some load a network first.
_HELLO_SECONDS: Final = 10.0
# Maximum time that an engine takes to start or to get ready: clearing a large table is slow.
_READY_SECONDS: Final = 60.0
# Time beyond its limit after which an engine counts as hung.
_GRACE_SECONDS: Final = 60.0
# Some engines, such as Toga II, do not know a limit in nodes. They are stopped at this multiple of it.
_NODES_TO_STOP: Final = 2
_NETWORK_OPTION: Final = "EvalFile"
# UCCI engines report mates as 10,000 minus the plies.
_UCCI_MATE: Final = 9_800
_NUMBER: Final = re.compile(r" (depth|multipv|nodes|nps) (\d+)(?= |$)")
# `score cp 12`, `score mate -3`, or `score 12` as UCCI writes it.
_SCORE: Final = re.compile(r" score (?:(cp|mate) )?([+-]?\d+)(?: (lowerbound|upperbound))?(?= |$)")
_PV: Final = re.compile(r" pv((?: (?!depth|multi|nodes|nps|hash|score|time|sel|tbhits|cpu|curr|wdl)\S+)*)")


class PlayerFault(Exception):  # noqa: N818 (a fault loses a game, it is not an error of ours)
    """A player broke its protocol, crashed, did not answer or played an illegal move: it loses the game."""


class _EndedFault(PlayerFault):
    """The program has ended."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of both sides, in milliseconds."""

    own_ms: int  # time left for the side to move
    other_ms: int  # time left for the opponent
    moves_to_go: int | None  # moves until the next time control


class Info(NamedTuple):
    """What an engine says while it thinks; None: it does not say that."""

    depth: int | None = None  # plies searched
    multipv: int = 1  # number of the line, from 1
    score_cp: int | None = None  # score of the side to move, mates near ±30,000
    mate: int | None = None  # moves to mate, negative if the side to move is mated
    is_bound: bool = False  # whether the score is only a bound
    nodes: int | None = None  # positions searched
    nps: int | None = None  # positions a second
    pv: tuple[str, ...] = ()  # the line, as the engine spells its moves

    @classmethod
    def parse(cls, line: str) -> Info | None:
        """Return the content of an `info` line of UCI or UCCI, with fields in any order; None of others."""
        words = line.split()
        if words[:1] != ["info"]:
            return None
        text = " ".join(words).partition(" string")[0]
        found: dict[str, Any] = {name: int(number) for name, number in _NUMBER.findall(text)}
        if moves := _PV.search(text):
            found["pv"] = tuple(moves[1].split())
        if score := _SCORE.search(text):
            kind, value = score[1], int(score[2])
            if kind == "mate":
                found |= {"mate": value, "score_cp": mate_score(value)}
            elif kind is None and abs(value) >= _UCCI_MATE:
                found["score_cp"] = MATE_SCORE if value > 0 else -MATE_SCORE
            else:
                found["score_cp"] = value
            found["is_bound"] = score[3] is not None
        return cls(**found)


Tell: TypeAlias = Callable[[Info], None]
"""Gets what an engine says while it thinks."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a player."""

    code: int | None  # the code of its move; None: it resigns
    score_cp: int | None = None  # the score that it reports for itself, mates near ±30,000; None: no score
    depth: int | None = None  # the depth that it reports; None: none
    nodes: int | None = None  # the number of nodes that it reports; None: none


@functools.cache
def _event_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    # Not by `threading.Thread`: where memory has run out, it waits forever for its start.
    start_new_thread(loop.run_forever, ())
    return loop


class Player(ABC):
    """An engine that plays one game after the other; subclasses speak its protocol.

    Attributes:
        spec: the engine.
        game: the game.
        title: its name and version, as it names itself; else the name of its program.
        network: the network that it names by the option `EvalFile`; None: none.
        notation: how it spells moves.
    """

    network: str | None = None
    _process: Process | None = None
    _tell: Tell | None = None
    _heard = Info()
    _is_stopped = _is_closed = False

    def __init__(self, spec: EngineSpec, game: Game) -> None:
        """Start the engine and set its options. It raises what `open_player` raises."""
        self.spec = spec
        self.game: Game = game
        self.notation: str = coordinates_of(game)
        self.title = spec.name
        self.limit, self.lines = spec.limit, 1
        self._loop = _event_loop()
        if spec.protocol == "xboard" and spec.limit.nodes is not None:
            raise OptionError(f"{spec.name}: xboard does not support a limit in nodes")
        is_ready = False
        try:
            self._wait(self._start(), _READY_SECONDS, "get ready")
            is_ready = True
        except OSError as error:
            raise OptionError(f"engine {' '.join(spec.command)}: {error.strerror or error}") from error
        finally:
            if not is_ready:
                self.close()

    def new_game(self, referee: Referee) -> None:
        """Prepare for a new game."""
        self._wait(self._prepare(referee), _READY_SECONDS, "get ready")

    def think(
        self,
        referee: Referee,
        clocks: Clocks | None = None,
        *,
        limit: ThinkLimit | None = None,
        lines: int = 1,
        tell: Tell | None = None,
        most_seconds: float | None = None,
    ) -> Reply:
        """Return the engine's move.

        Args:
            referee: the game.
            clocks: the clocks; None: there are none.
            limit: how long it may think; None: the limit of its description.
            lines: number of lines with different first moves, if it can search several.
            tell: gets what it says, in another thread.
            most_seconds: when the engine counts as hung; None: some time after its limit.

        Raises:
            PlayerFault: the engine does not answer in time, has ended, or plays an illegal move.
        """
        self.limit, self.lines, self._tell = limit or self.spec.limit, lines, tell
        if most_seconds is None:
            seconds = float(UNTIMED_SECONDS) if clocks is None else clocks.own_ms / 1000
            if self.limit.movetime_ms is not None:
                seconds = self.limit.movetime_ms / 1000
            most_seconds = seconds + _GRACE_SECONDS
        self._heard, self._is_stopped = Info(), False
        code = self._wait(self._choose(referee, clocks), most_seconds, "move")
        heard = self._heard
        return Reply(code, heard.score_cp, heard.depth, heard.nodes)

    def close(self) -> None:
        """End the process, once."""
        if not self._is_closed and self._process is not None:
            self._is_closed = True
            asyncio.run_coroutine_threadsafe(self._stop(self._process), self._loop).result()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float, deed: str) -> T:
        try:
            running = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop)
            # Later than the loop, which does not run if its thread has no memory.
            return running.result(seconds + _QUIT_SECONDS)
        except TimeoutError:
            raise self.fault(f"did not {deed} in {seconds:.1f} s") from None

    def hear(self, info: Info) -> None:
        """Keep what the engine says; an exact score is not replaced by a bound.

        An engine that searches many more nodes than it may is stopped.
        """
        if self._tell is not None:
            self._tell(info)
        limit = self.limit.nodes
        if not self._is_stopped and limit and (info.nodes or 0) >= _NODES_TO_STOP * limit:
            self._is_stopped = True
            self.send("stop")
        if info.multipv == 1:
            old = self._heard
            is_exact = not info.is_bound or old.is_bound or old.score_cp is None
            is_better = info.score_cp is not None and is_exact
            score = info if is_better else old
            self._heard = info._replace(
                score_cp=score.score_cp,
                is_bound=score.is_bound,
                depth=old.depth if info.depth is None else info.depth,
                nodes=old.nodes if info.nodes is None else info.nodes,
            )

    def fault(self, text: str) -> PlayerFault:
        """Return a fault of this player."""
        return PlayerFault(f"{self.spec.name} {text}")

    def introduce(self, title: str, network: str | None) -> None:
        """Keep how the engine names itself, and its network if no option of ours names another one."""
        given = {name.lower(): value for name, value in self.spec.options}
        self.title = title.strip() or self.spec.name
        self.network = given.get(_NETWORK_OPTION.lower(), network) or None

    def require_game(self, games: list[str]) -> None:
        """Refuse an engine that does not play the game but only these."""
        if self.game not in games:
            raise OptionError(f"{self.spec.name} does not play {self.game}: it plays {', '.join(games)}")

    def options(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the options to set, by the engine's own spelling of their names. It refuses others."""
        known = {name.lower(): name for name in names}
        for name, _ in self.spec.options:
            if name.lower() not in known:
                have = ", ".join(sorted(known.values()))
                raise OptionError(f'{self.spec.name} has no option "{name}": it has {have}')
        return [(known[name.lower()], value) for name, value in self.spec.options]

    def read_move(self, referee: Referee, text: str) -> int:
        """Return the code of the move that the engine played. An illegal move is a fault."""
        try:
            return referee.position.parse_move(text, self.notation)
        except MoveError as error:
            raise self.fault(f"played {text!r} in {referee.position.fen}: {error}") from error

    @abstractmethod
    async def _greet(self) -> None:
        """Shake hands and set the options."""

    @abstractmethod
    async def _prepare(self, referee: Referee) -> None:
        """Prepare for a new game."""

    @abstractmethod
    async def _choose(self, referee: Referee, clocks: Clocks | None) -> int | None:
        """Return the code of the engine's move; None: it resigns."""

    async def _start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self.spec.command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LINE_BYTES
        )
        await self._greet()

    def send(self, line: str) -> None:
        """Send a line to the engine."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def _lines(self) -> AsyncIterator[str]:
        """Yield the lines that the engine writes."""
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            yield line.decode("utf-8", "replace").strip()
        raise _EndedFault(f"{self.spec.name} has ended")

    async def _lines_before(self, last: str) -> list[str]:
        """Return the lines that the engine writes before a certain line."""
        lines: list[str] = []
        async for line in self._lines():
            if line == last:
                break
            lines.append(line)
        return lines

    async def _introduction(self, last: str) -> list[str]:
        """Return the lines in which the engine says who it is."""
        try:
            return await asyncio.wait_for(self._lines_before(last), _HELLO_SECONDS)
        except TimeoutError:
            why = f"it did not answer in {_HELLO_SECONDS:.0f} s"
        except _EndedFault:
            why = "it ended at once"
        others = " or ".join(f"{name}:" for name in ("ucci", "xboard") if name != self.spec.protocol)
        advice = f"write {others} before the command if it speaks that"
        raise self.fault(f"does not speak {_SPELLED[self.spec.protocol]}: {why}; {advice}")

    async def _stop(self, process: Process) -> None:
        self.send("quit")
        try:
            await asyncio.wait_for(process.wait(), _QUIT_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
