"""Players of a match: engines that run as processes, and their limits. No answer is awaited for ever.

One asyncio event loop in a background thread serves all processes. Games run in other threads and wait there
for the answers.
"""

from __future__ import annotations

import asyncio
import functools
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeVar

from bookbuilder._core import Referee
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.games.position import Game

__all__ = [
    "UNTIMED_SECONDS",
    "Clocks",
    "EngineSpec",
    "Player",
    "PlayerFault",
    "Protocol",
    "Reply",
    "ThinkLimit",
]

T = TypeVar("T")

Protocol: TypeAlias = Literal["uci", "ucci", "xboard"]
"""The protocol that an engine speaks."""
_SPELLED: Final[dict[Protocol, str]] = {"uci": "UCI", "ucci": "UCCI", "xboard": "xboard's protocol"}

UNTIMED_SECONDS: Final = 3600
"""Maximum time of a move whose limit is a depth or a number of nodes; chosen."""

# Maximum time that an engine takes to say who it is. Some load a network first.
_HELLO_SECONDS: Final = 10.0
# Maximum time that an engine takes to start or to get ready: clearing a large table is slow.
_READY_SECONDS: Final = 60.0
# Time beyond its limit after which an engine counts as hung.
_GRACE_SECONDS: Final = 60.0
_LIMIT: Final = re.compile(r"(movetime|nodes|depth)=(\d+)")
_NETWORK_OPTION: Final = "EvalFile"
_CONTROL: Final = re.compile(r"tc=(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")


class PlayerFault(Exception):  # noqa: N818 (a fault loses a game, it is not an error of ours)
    """A player broke its protocol, crashed, did not answer or played an illegal move: it loses the game."""


@dataclass(frozen=True, slots=True)
class ThinkLimit:
    """How long a player may think. Exactly one of the first four is set.

    Attributes:
        movetime_ms: milliseconds per move.
        nodes: nodes per move.
        depth: plies per move.
        base_ms: time on the clock for the whole game, or for `moves` moves.
        increment_ms: time that each move adds to the clock.
        moves: moves until the base is added again; None: never.

    Example:
        >>> str(bb.ThinkLimit(nodes=5000))
        'nodes=5000'
        >>> bb.ThinkLimit.parse("tc=60+0.5").increment_ms
        500
    """

    movetime_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None
    base_ms: int | None = None
    increment_ms: int = 0
    moves: int | None = None

    @classmethod
    def parse(cls, text: str) -> ThinkLimit:
        """Return the limit that a text such as `movetime=100` or `tc=40/60+0.5` (seconds) describes.

        Raises:
            OptionError: the text is not a limit.

        Example:
            >>> ThinkLimit.parse("tc=40/60+0.5")
            ThinkLimit(movetime_ms=None, nodes=None, depth=None, base_ms=60000, increment_ms=500, moves=40)
        """
        if (found := _LIMIT.fullmatch(text)) and int(found[2]) > 0:
            name = "movetime_ms" if found[1] == "movetime" else found[1]
            return cls(**{name: int(found[2])})
        if (found := _CONTROL.fullmatch(text)) and float(found[2]) + float(found[3] or 0) > 0:
            moves = int(found[1]) if found[1] else None
            if moves != 0:
                base, increment = (round(1000 * float(part or 0)) for part in (found[2], found[3]))
                return cls(base_ms=base, increment_ms=increment, moves=moves)
        forms = "movetime=MS, nodes=N, depth=N, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS+INCREMENT"
        raise OptionError(f'limit "{text}": expected {forms}')

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves is not None else ""
            return f"tc={moves}{self.base_ms / 1000:g}+{self.increment_ms / 1000:g}"
        for name, value in (("movetime", self.movetime_ms), ("nodes", self.nodes)):
            if value is not None:
                return f"{name}={value}"
        return f"depth={self.depth}"


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine that takes part in a match.

    Attributes:
        command: program and arguments.
        protocol: the protocol that it speaks.
        name: its name in tables and archives.
        options: names and values of its options.
        limit: how long it may think.
    """

    command: tuple[str, ...]
    protocol: Protocol
    name: str
    options: tuple[tuple[str, str], ...]
    limit: ThinkLimit


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of both sides, in milliseconds.

    Attributes:
        own_ms: time left for the side to move.
        other_ms: time left for the opponent.
        moves_to_go: moves until the next time control.
    """

    own_ms: int
    other_ms: int
    moves_to_go: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a player.

    Attributes:
        code: the code of its move; None: it resigns.
        score_cp: the score that it reports for itself, mates near ±30,000; None: no score.
        depth: the depth that it reports; None: none.
        nodes: the number of nodes that it reports; None: none.
    """

    code: int | None
    score_cp: int | None = None
    depth: int | None = None
    nodes: int | None = None


@functools.cache
def _event_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="engines", daemon=True).start()
    return loop


class Player(ABC):
    """An engine that plays one game after the other; subclasses speak its protocol.

    Attributes:
        spec: the engine.
        game: the game.
        title: its name and version, as it names itself; else the name of its program.
        network: the network that it names by the option `EvalFile`; None: none.
    """

    network: str | None = None

    def __init__(self, spec: EngineSpec, game: Game) -> None:
        """Start the engine and set its options.

        Raises:
            OptionError: the program does not exist, does not play the game, or does not have the options.
            PlayerFault: the engine does not speak its protocol.
        """
        self.spec = spec
        self.game: Game = game
        self.title = spec.name
        self._loop = _event_loop()
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

    def think(self, referee: Referee, clocks: Clocks | None, *, most_seconds: float | None = None) -> Reply:
        """Return the engine's move.

        Args:
            referee: the game.
            clocks: the clocks; None: there are none.
            most_seconds: when the engine counts as hung; None: some time after its limit.

        Raises:
            PlayerFault: the engine does not answer in time, has ended, or plays an illegal move.
        """
        limit = self.spec.limit
        if most_seconds is None:
            seconds = float(UNTIMED_SECONDS) if clocks is None else clocks.own_ms / 1000
            if limit.movetime_ms is not None:
                seconds = limit.movetime_ms / 1000
            most_seconds = seconds + _GRACE_SECONDS
        return self._wait(self._choose(referee, clocks), most_seconds, "move")

    def close(self) -> None:
        """End the process."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()

    def _wait(self, work: Coroutine[Any, Any, T], seconds: float, deed: str) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), self._loop).result()
        except TimeoutError:
            raise self.fault(f"did not {deed} in {seconds:.1f} s") from None

    async def hello(self, answer: Awaitable[T]) -> T:
        """Return the engine's answer to the first line of its protocol.

        Raises:
            PlayerFault: there is none in time.
        """
        try:
            return await asyncio.wait_for(answer, _HELLO_SECONDS)
        except TimeoutError:
            raise self.stranger(f"it did not answer in {_HELLO_SECONDS:.0f} s") from None

    def stranger(self, why: str) -> PlayerFault:
        """Return the fault of a program that does not speak its protocol."""
        others = " or ".join(f"{name}:" for name in ("ucci", "xboard") if name != self.spec.protocol)
        advice = f"write {others} before the command if it speaks that"
        return self.fault(f"does not speak {_SPELLED[self.spec.protocol]}: {why}; {advice}")

    def fault(self, text: str) -> PlayerFault:
        """Return a fault of this player."""
        return PlayerFault(f"{self.spec.name} {text}")

    def introduce(self, title: str, network: str | None) -> None:
        """Keep how the engine names itself, and its network if no option of ours names another one."""
        given = {name.lower(): value for name, value in self.spec.options}
        self.title = title.strip() or self.spec.name
        self.network = given.get(_NETWORK_OPTION.lower(), network) or None

    def options(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the options to set, by the engine's own spelling of their names.

        Raises:
            OptionError: the engine does not have an option.
        """
        known = {name.lower(): name for name in names}
        for name, _ in self.spec.options:
            if name.lower() not in known:
                have = ", ".join(sorted(known.values()))
                raise OptionError(f'{self.spec.name} has no option "{name}": it has {have}')
        return [(known[name.lower()], value) for name, value in self.spec.options]

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
