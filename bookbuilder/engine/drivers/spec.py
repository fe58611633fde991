"""What engine to start, with which options, and how long it may think."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

Protocol: TypeAlias = Literal["uci", "ucci", "xboard"]
"""The protocol that an engine speaks."""

BUNDLED: Final = "bundled"
"""The word for the bundled engine, which plays in its own process."""

_LIMIT: Final = re.compile(r"(movetime|nodes|depth)=(\d+)")
_CONTROL: Final = re.compile(r"tc=(?:(\d+)/)?(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?")


@dataclass(frozen=True, slots=True)
class ThinkLimit:
    """How long a player may think. At least one of the first four is set.

    Attributes:
        movetime_ms: milliseconds per move.
        nodes: nodes per move.
        depth: plies per move; it may be combined with milliseconds.
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
    """An engine to start.

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


def parse_engine(
    text: str, game: Game, *, name: str | None, options: Sequence[str], limit: ThinkLimit
) -> EngineSpec:
    """Return the engine that a text describes: `bundled`, or a protocol and a command line (`ucci:eleeye`).

    Args:
        text: the text; the default protocol is UCI.
        game: the game to play.
        name: its name; None: that of its program.
        options: `Name=Value` each.
        limit: how long it may think.

    Raises:
        OptionError: the text or an option is invalid.

    Example:
        >>> limit = bb.ThinkLimit.parse("movetime=100")
        >>> engine = bb.parse_engine("ucci:eleeye", "xiangqi", name=None, options=["Threads=2"], limit=limit)
        >>> engine.protocol, engine.name, engine.options
        ('ucci', 'eleeye', (('Threads', '2'),))
    """
    protocol: Protocol = "uci"
    for known in get_args(Protocol):
        if text.startswith(f"{known}:"):
            protocol, text = known, text.removeprefix(f"{known}:")
    if text == BUNDLED:
        # -P: a folder named bookbuilder in the current directory must not be imported.
        command = [sys.executable, "-P", "-m", "bookbuilder", "engine", protocol]
        command += ["--game", game] if protocol == "uci" else []
    else:
        command = shlex.split(text)
    if not command:
        raise OptionError(f'engine "{text}": expected {BUNDLED} or a command line')
    pairs = []
    for option in options:
        key, is_given, value = option.partition("=")
        if not key.strip():
            raise OptionError(f'engine option "{option}": expected Name=Value')
        pairs.append((key.strip(), value if is_given else ""))
    name = name or (BUNDLED if text == BUNDLED else Path(command[0]).name)
    return EngineSpec(tuple(command), protocol, name, tuple(pairs), limit)
