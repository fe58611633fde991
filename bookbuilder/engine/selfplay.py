"""Games that the bundled engine plays against itself: a game, a count and a seed in, played games out.

A game has two parts. In its opening every legal move is searched a little and one is drawn, the better the
more likely, so that games part ways slowly and a tally of them has a trunk and branches. Then each side
searches with its own number of nodes, drawn for the game, so that games are decided. Mate and the other
verdicts of the rules end a game; the third occurrence of a position and the ply limit make it a draw.

Game number n depends on the seed and on n alone: one run or several play the same games.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bookbuilder._core import CORE_VERSION, Engine, Position
from bookbuilder.archives.played_game import PlayedGame, Result
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

__all__ = ["LEAST_NODES", "SelfplayOptions", "play_games"]

LEAST_NODES: Final = 200
"""Fewest nodes per move that a side gets unless told otherwise; chosen: it sees two plies, and blunders."""

# Score of a side that mates, in centipawns: beyond any evaluation, so that a mate in the opening is played.
_MATE_CENTIPAWNS: Final = 30_000
# Third occurrence of a position is a draw (chess: FIDE 9.2; xiangqi: without a perpetual check or chase).
_OCCURRENCES_OF_A_DRAW: Final = 3
_HASH_MIB: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfplayOptions:
    """How self-play plays; the defaults are chosen, not tuned.

    Attributes:
        seed: what all random choices come from.
        opening_plies: plies that are drawn by score rather than searched.
        opening_nodes: nodes spent on each legal move of an opening position.
        temperature: centipawns by which a move may be worse to be drawn e times less often.
        least_nodes: fewest nodes per move that a side can get for a game.
        most_nodes: most nodes per move that a side can get for a game.
        most_plies: length at which a game is a draw.
    """

    seed: int = 1
    opening_plies: int = 8
    opening_nodes: int = 400
    temperature: float = 10.0
    least_nodes: int = LEAST_NODES
    most_nodes: int = 3200
    most_plies: int = 240

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        if min(self.opening_nodes, self.least_nodes, self.most_plies) < 1 or self.opening_plies < 0:
            raise OptionError("self-play needs at least one node per move and one ply per game")
        if self.least_nodes > self.most_nodes:
            raise OptionError(f"least_nodes {self.least_nodes} is above most_nodes {self.most_nodes}")
        if self.temperature <= 0:
            raise OptionError(f"temperature is {self.temperature}: expected above 0 centipawns")


def play_games(game: Game, count: int, options: SelfplayOptions, *, start: int = 1) -> Iterator[PlayedGame]:
    """Yield games number `start` … `start + count - 1`, one by one as they are finished.

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
    """The engine, and what it found out about opening positions so far."""

    def __init__(self, game: Game, options: SelfplayOptions) -> None:
        self._game: Game = game
        self._options = options
        self._engine = Engine(game, hash_mib=_HASH_MIB)
        self._opening: dict[tuple[str, ...], list[tuple[str, float]]] = {}

    def play(self, number: int) -> PlayedGame:
        """Play one game from the start position."""
        options = self._options
        # A text as seed is hashed by its bytes: the same on every machine and in every run.
        chance = random.Random(f"{self._game} {options.seed} {number}")
        nodes = [_draw_nodes(chance, options) for _ in range(2)]
        position, moves = Position(self._game), list[str]()
        occurrences = Counter([(position.key, position.lock)])
        self._engine.clear()
        while (result := _result(position, occurrences, len(moves), options.most_plies)) is None:
            if len(moves) < options.opening_plies:
                move = self._draw_opening_move(position, moves, chance)
            else:
                move = self._searched(moves, nodes[len(moves) % 2])
            moves.append(move)
            position = position.play(position.parse_move(move))
            occurrences[position.key, position.lock] += 1
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

    def _searched(self, moves: list[str], nodes: int) -> str:
        return str(self._engine.search(moves=moves, nodes=nodes, book_policy="off")["move"])

    def _draw_opening_move(self, position: Position, moves: list[str], chance: random.Random) -> str:
        scored = self._opening_scores(position, tuple(moves))
        best = max(score for _, score in scored)
        weights = [math.exp((score - best) / self._options.temperature) for _, score in scored]
        return chance.choices([move for move, _ in scored], weights)[0]

    def _opening_scores(self, position: Position, moves: tuple[str, ...]) -> list[tuple[str, float]]:
        if moves not in self._opening:
            # What the table holds from other games must not change the scores of this line.
            self._engine.clear()
            self._opening[moves] = [
                (
                    position.coordinates(code),
                    self._score_after(position.play(code), (*moves, position.coordinates(code))),
                )
                for code in position.moves()
            ]
            self._engine.clear()
        return self._opening[moves]

    def _score_after(self, position: Position, moves: tuple[str, ...]) -> float:
        """Centipawns for the side that has just moved."""
        if position.verdict is not None:
            return _MATE_CENTIPAWNS if _mover_wins(position) else 0.0
        answer = self._engine.search(moves=moves, nodes=self._options.opening_nodes, book_policy="off")
        if (mate_in := answer.get("mate_in")) is not None:
            return -math.copysign(_MATE_CENTIPAWNS, mate_in)
        return -float(answer["score_cp"])


def _draw_nodes(chance: random.Random, options: SelfplayOptions) -> int:
    """A number of nodes between the least and the most, each doubling equally likely."""
    low, high = math.log(options.least_nodes), math.log(options.most_nodes)
    return round(math.exp(chance.uniform(low, high)))


def _result(
    position: Position, occurrences: Counter[tuple[int, int]], plies: int, most_plies: int
) -> Result | None:
    if position.verdict is not None:
        if not _mover_wins(position):
            return "1/2-1/2"
        return "0-1" if position.side == 0 else "1-0"
    is_repeated = occurrences[position.key, position.lock] >= _OCCURRENCES_OF_A_DRAW
    return "1/2-1/2" if is_repeated or plies >= most_plies else None


def _mover_wins(position: Position) -> bool:
    """Whether the verdict is a win for the side that moved last: stalemate is one in xiangqi alone."""
    return position.verdict == "mate" or (position.verdict == "stalemate" and position.game == "xiangqi")
