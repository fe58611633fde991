"""What a match asks of a player, and how long it may think: the words that drivers and referee share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bookbuilder._core import Position
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

__all__ = ["Clocks", "EngineSpec", "Line", "Player", "PlayerFault", "Protocol", "Reply", "ThinkLimit"]

Protocol: TypeAlias = Literal["uci", "ucci", "xboard"]
"""How a player is spoken to."""

_LIMIT: Final = re.compile(r"(movetime|nodes|depth)=(\d+)")
_CONTROL: Final = re.compile(r"tc=(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")


class PlayerFault(Exception):  # noqa: N818 (a fault loses a game, it is no error of ours)
    """A player broke the protocol, died, was silent or played no legal move: it loses the game."""


@dataclass(frozen=True, slots=True)
class ThinkLimit:
    """How long a player may think; exactly one of the first four is given.

    Attributes:
        movetime_ms: milliseconds a move.
        nodes: nodes a move.
        depth: plies a move.
        base_ms: time of a clock for the whole game, or for `moves` moves.
        increment_ms: what each move adds to the clock.
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
            OptionError: it describes none.

        Example:
            >>> ThinkLimit.parse("tc=40/60+0.5")
            ThinkLimit(movetime_ms=None, nodes=None, depth=None, base_ms=60000, increment_ms=500, moves=40)
        """
        if (found := _LIMIT.fullmatch(text)) and int(found[2]) > 0:
            number = int(found[2])
            match found[1]:
                case "movetime":
                    return cls(movetime_ms=number)
                case "nodes":
                    return cls(nodes=number)
                case _:
                    return cls(depth=number)
        if (found := _CONTROL.fullmatch(text)) and float(found[2]) + float(found[3] or 0) > 0:
            moves = int(found[1]) if found[1] else None
            if moves != 0:
                base, increment = (round(1000 * float(part or 0)) for part in (found[2], found[3]))
                return cls(base_ms=base, increment_ms=increment, moves=moves)
        forms = "movetime=MS, nodes=N, depth=N, tc=SECONDS+INCREMENT or tc=MOVES/SECONDS+INCREMENT"
        raise OptionError(f'limit "{text}": expected {forms}')

    def __str__(self) -> str:
        """The text that `parse` reads."""
        if self.base_ms is not None:
            moves = f"{self.moves}/" if self.moves is not None else ""
            return f"tc={moves}{self.base_ms / 1000:g}+{self.increment_ms / 1000:g}"
        for name, value in (("movetime", self.movetime_ms), ("nodes", self.nodes)):
            if value is not None:
                return f"{name}={value}"
        return f"depth={self.depth}"


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """Which engine plays.

    Attributes:
        command: program and arguments.
        protocol: how it is spoken to.
        name: what it is called in tables and archives.
        options: names and values of its options.
        limit: how long it may think.
    """

    command: tuple[str, ...]
    protocol: Protocol
    name: str
    options: tuple[tuple[str, str], ...]
    limit: ThinkLimit


@dataclass(slots=True)
class Line:
    """A game as it stands.

    Attributes:
        game: chess or xiangqi.
        fen: where it began; None at the start of the game.
        positions: all positions so far, the first one included.
        codes: codes of the moves played.
    """

    game: Game
    fen: str | None
    positions: list[Position]
    codes: list[int] = field(default_factory=list)

    @classmethod
    def start(cls, game: Game, fen: str | None) -> Line:
        """Return a game without moves."""
        return cls(game, fen, [Position(game, fen)])

    @property
    def here(self) -> Position:
        """The position now."""
        return self.positions[-1]

    def play(self, code: int) -> None:
        """Play a legal move."""
        self.positions.append(self.here.play(code))
        self.codes.append(code)

    def moves(self, notation: str) -> list[str]:
        """The moves in a notation."""
        played = zip(self.positions, self.codes, strict=False)
        return [position.format_move(code, notation) for position, code in played]


@dataclass(frozen=True, slots=True)
class Clocks:
    """What the clocks show, in milliseconds, that of the side to move first.

    Attributes:
        own_ms: time left.
        other_ms: the opponent's.
        moves_to_go: moves until the next time control.
    """

    own_ms: int
    other_ms: int
    moves_to_go: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a player answers.

    Attributes:
        code: its move; None where it resigns.
        score_cp: its score for itself, mates as ±30,000; None where it told none.
        depth: the depth that it told.
    """

    code: int | None
    score_cp: int | None = None
    depth: int | None = None


class Player(ABC):
    """An engine that plays games one after the other. Every call may raise `PlayerFault`."""

    @abstractmethod
    def new_game(self, line: Line) -> None:
        """Get ready for a game that begins as the line does."""

    @abstractmethod
    def think(self, line: Line, clocks: Clocks | None) -> Reply:
        """Return the player's move at the end of the line; `clocks` where its limit is a clock."""

    @abstractmethod
    def close(self) -> None:
        """End the engine."""
