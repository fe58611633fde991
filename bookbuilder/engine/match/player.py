"""What a match asks of a player, and how long the player may think."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bookbuilder._core import Referee
from bookbuilder.errors import OptionError

__all__ = ["Clocks", "EngineSpec", "Player", "PlayerFault", "Protocol", "Reply", "ThinkLimit"]

Protocol: TypeAlias = Literal["uci", "ucci", "xboard"]
"""The protocol that an engine speaks."""

_LIMIT: Final = re.compile(r"(movetime|nodes|depth)=(\d+)")
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
    """

    code: int | None
    score_cp: int | None = None


class Player(ABC):
    """An engine that plays one game after the other. Every call except `close` may raise `PlayerFault`."""

    @abstractmethod
    def new_game(self, referee: Referee) -> None:
        """Prepare for the game that the referee has set up."""

    @abstractmethod
    def think(self, referee: Referee, clocks: Clocks | None) -> Reply:
        """Return the player's move in the referee's position; `clocks` if its limit is a clock."""

    @abstractmethod
    def close(self) -> None:
        """End the engine."""
