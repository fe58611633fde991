"""A finished game as the writers of archives take it: names, date, result, and the moves in coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bookbuilder.games.position import Game

Result: TypeAlias = Literal["1-0", "1/2-1/2", "0-1", "*"]
"""The result as PGN writes it; `*` is unknown."""

RESULTS: Final[tuple[Result, ...]] = ("*", "1-0", "1/2-1/2", "0-1")
"""The results by the number that tables give them: 0 unknown, 1 first side won, 2 draw, 3 second side won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedGame:
    """One game."""

    game: Game  # chess or xiangqi
    event: str  # name of the event
    date: str  # `YYYY.MM.DD`, unknown parts as `??`
    number: int  # number of the game within its archive, from 1
    first: str  # player of the first side (White, Red)
    second: str  # player of the second side
    result: Result
    moves: tuple[str, ...]  # UCI for chess, 4-character ICCS for xiangqi
    fen: str | None = None  # where it began; None at the start of the game
    termination: str | None = None  # why it ended, in words
    book: tuple[int, ...] = ()  # plies, from 1, whose moves came from a book
