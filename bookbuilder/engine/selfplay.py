"""Games that the bundled engine plays against itself.

A game has three parts. It begins with a line of `bookbuilder.engine.opening_lines`, or with a part of one.
Then for some plies every legal move is searched a little and one is drawn at random, good moves more often.
So games diverge slowly, and a tally of them has a trunk and branches. At last each side searches with its own
number of nodes, drawn for the game, so that games are decided. A game ends by the rules
(`bookbuilder.games.ruling`), or as a draw at the maximum length.

Game number n depends only on the seed and on n: one run or several runs play the same games.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bookbuilder._core import CORE_VERSION, Position, Referee
from bookbuilder.archives.played_game import PlayedGame, Result
from bookbuilder.engine.engine import Engine
from bookbuilder.engine.opening_lines import OpeningLines
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

__all__ = ["LEAST_NODES", "SelfplayOptions", "play_games"]

LEAST_NODES: Final = 500
"""Default minimum of nodes per move; chosen: an engine with these sees three plies, and may blunder."""

_WHOLE_LINES: Final = 0.75
"""Share of games that follow their opening line to its end."""
_SHORTEST: Final = 2
"""Minimum plies of a line that a game follows."""

# Score of a side that mates, in centipawns: beyond any evaluation, so that a mate in the opening is played.
_MATE_CENTIPAWNS: Final = 30_000
_HASH_MIB: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfplayOptions:
    """Options of self-play; the defaults are chosen, not tuned.

    Attributes:
        seed: seed of all random choices.
        openings: lines that games begin with; None = those of the program.
        opening_plies: plies after the line whose moves are drawn by score.
        opening_nodes: nodes spent on each legal move of an opening position.
        temperature: a move worse by this number of centipawns is drawn e times less often.
        least_nodes: minimum of nodes per move. A side has this number, or twice, four times … as many.
        most_nodes: maximum of nodes per move.
        most_plies: maximum length; a longer game is a draw.
    """

    seed: int = 1
    openings: OpeningLines | None = None
    opening_plies: int = 3
    opening_nodes: int = 1500
    temperature: float = 10.0
    least_nodes: int = LEAST_NODES
    most_nodes: int = 8000
    most_plies: int = 240

    def __post_init__(self) -> None:
        """Check the values."""
        if min(self.opening_nodes, self.least_nodes, self.most_plies) < 1 or self.opening_plies < 0:
            raise OptionError("self-play needs at least one node per move and one ply per game")
        if self.least_nodes > self.most_nodes:
            raise OptionError(f"least_nodes {self.least_nodes} is above most_nodes {self.most_nodes}")
        if self.temperature <= 0:
            raise OptionError(f"temperature is {self.temperature}: expected above 0 centipawns")


def play_games(game: Game, count: int, options: SelfplayOptions, *, start: int = 1) -> Iterator[PlayedGame]:
    """Yield games number `start` … `start + count - 1`, each when it is finished.

    Args:
        game: chess or xiangqi.
        count: number of games.
        options: how to play.
        start: number of the first game, from 1.
    """
    table = _Table(game, options)
    for number in range(start, start + count):
        yield table.play(number)


class _Table:
    """The engine, with the scores of opening moves that it has already computed."""

    def __init__(self, game: Game, options: SelfplayOptions) -> None:
        self._game: Game = game
        self._options = options
        self._lines = options.openings or OpeningLines.of_program(game)
        self._engine = Engine(game, hash_mib=_HASH_MIB)
        self._opening: dict[tuple[str, ...], list[tuple[str, float]]] = {}

    def play(self, number: int) -> PlayedGame:
        """Play one game from the start position."""
        options = self._options
        # A text as seed is hashed by its bytes: the same on every machine and in every run.
        chance = random.Random(f"{self._game} {options.seed} {number}")
        nodes = [_draw_nodes(chance, options) for _ in range(2)]
        line = self._draw_line(chance)
        referee = Referee(self._game)
        moves: list[str] = []
        self._engine.clear()
        while (result := _result(referee, options.most_plies)) is None:
            if len(moves) < len(line):
                move = line[len(moves)]
            elif len(moves) < len(line) + options.opening_plies:
                move = self._draw_opening_move(referee.position, moves, chance)
            else:
                move = self._engine.search(moves=moves, nodes=nodes[len(moves) % 2]).move or ""
            moves.append(move)
            referee.play(referee.position.parse_move(move))
        return PlayedGame(
            game=self._game,
            event=f"bookbuilder {CORE_VERSION} self-play, seed {options.seed}",
            date="????.??.??",
            number=number,
            first=f"{nodes[0]} nodes",
            second=f"{nodes[1]} nodes",
            result=result,
            moves=tuple(moves),
        )

    def _draw_line(self, chance: random.Random) -> tuple[str, ...]:
        line = self._lines.draw(chance)
        if chance.random() < _WHOLE_LINES or len(line) <= _SHORTEST:
            return line
        return line[: chance.randint(_SHORTEST, len(line))]

    def _draw_opening_move(self, position: Position, moves: list[str], chance: random.Random) -> str:
        scored = self._opening_scores(position, tuple(moves))
        best = max(score for _, score in scored)
        weights = [math.exp((score - best) / self._options.temperature) for _, score in scored]
        return chance.choices([move for move, _ in scored], weights)[0]

    def _opening_scores(self, position: Position, moves: tuple[str, ...]) -> list[tuple[str, float]]:
        if moves not in self._opening:
            # Results of other games in the table must not change the scores of this line.
            self._engine.clear()
            lines = [(*moves, position.coordinates(code)) for code in position.moves()]
            self._opening[moves] = [(line[-1], self._score_after(line)) for line in lines]
            self._engine.clear()
        return self._opening[moves]

    def _score_after(self, moves: tuple[str, ...]) -> float:
        """Centipawns for the side that has just moved."""
        found = Referee(self._game, None, moves).judge()
        if found["verdict"] != "none":
            # The verdict is that of the side to move.
            return {"win": -_MATE_CENTIPAWNS, "draw": 0.0, "loss": _MATE_CENTIPAWNS}[found["verdict"]]
        answer = self._engine.search(moves=moves, nodes=self._options.opening_nodes)
        if answer.mate_in is not None:
            return -math.copysign(_MATE_CENTIPAWNS, answer.mate_in)
        return -float(answer.score_cp or 0)


def _draw_nodes(chance: random.Random, options: SelfplayOptions) -> int:
    """Draw the minimum number of nodes, doubled so often that it does not exceed the maximum.

    Few numbers, so that each of them is a player of many games.
    """
    return options.least_nodes << chance.randrange((options.most_nodes // options.least_nodes).bit_length())


def _result(referee: Referee, most_plies: int) -> Result | None:
    found = referee.judge()
    if found["reason"] is None:
        return "1/2-1/2" if len(referee) >= most_plies else None
    match found["loser"]:
        case None:
            return "1/2-1/2"
        case loser:
            return "0-1" if loser == 0 else "1-0"
