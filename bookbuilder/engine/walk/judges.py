"""Judge positions with engines. Each position is judged once, and always in the same way.

A judge sees a bare position, without the moves before it and with its counters reset, in a new game. So the
value depends neither on the order of the positions nor on the number of judges.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

from bookbuilder._core import Position, Referee
from bookbuilder.engine.match.player import EngineSpec, Player
from bookbuilder.engine.match.protocols import open_player
from bookbuilder.engine.match.threads import Threads
from bookbuilder.games.position import Game

__all__ = ["MOST_CENTIPAWNS", "Judgement", "Judges", "Progress"]

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows the progress of a number of things: gives a function to call with the number done."""

MOST_CENTIPAWNS: Final = 1000
"""Values are limited to ± this number of centipawns, so that one mate does not outweigh a hundred lines."""

_FEN_FIELDS: Final = 4


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of a position.

    Attributes:
        score_cp: centipawns for the side to move, mates near ±30,000.
        code: the best move; None: none.
    """

    score_cp: int
    code: int | None


class Judges:
    """Engines that judge positions at the same time, and what they have said."""

    def __init__(self, spec: EngineSpec, game: Game, jobs: int = 1) -> None:
        """Describe the engines; they start with the first position.

        Args:
            spec: the engine and its limit.
            game: chess or xiangqi.
            jobs: the number of processes.
        """
        self._spec, self._game, self._jobs = spec, game, jobs
        self._said: dict[str, Judgement] = {}
        self._asked: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._players: list[Player] = []
        self._threads: Threads[tuple[str, Judgement]] = Threads(self._work, jobs)
        self._is_closing = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        for _number in range(len(self._threads)):
            self._asked.put(None)
        # Interrupts engines that are still thinking.
        for player in list(self._players):
            player.close()
        self._threads.join()

    def __len__(self) -> int:
        """Return the number of positions judged."""
        return len(self._said)

    def said(self, position: Position) -> Judgement:
        """Return the judgement of a position that was judged."""
        return self._said[_bare(position)]

    def value(self, position: Position) -> int:
        """Return the value for the side to move, within ± `MOST_CENTIPAWNS`; rules value finished games."""
        if position.verdict is None:
            return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, self.said(position).score_cp))
        is_lost = position.verdict == "mate" or (
            position.verdict == "stalemate" and position.game == "xiangqi"
        )
        return -MOST_CENTIPAWNS if is_lost else 0

    def judge(self, positions: Iterable[Position], progress: Progress) -> None:
        """Judge the positions that were not judged before; where the game is over there is nothing to judge.

        Raises:
            OptionError: the engine cannot be started, does not play the game, or does not have the options.
            PlayerFault: an engine has ended or gives no score.
        """
        asked = dict.fromkeys(_bare(each) for each in positions if each.verdict is None)
        new = [fen for fen in asked if fen not in self._said]
        if not new:
            return
        self._threads.start(min(self._jobs, len(new)))
        for fen in new:
            self._asked.put(fen)
        with progress("positions judged", len(new)) as report:
            for done in range(1, len(new) + 1):
                fen, judgement = self._threads.next()
                self._said[fen] = judgement
                report(done)

    def _work(self) -> None:
        player = None
        try:
            player = open_player(self._spec, self._game)
            self._players.append(player)
            while (fen := self._asked.get()) is not None and not self._is_closing.is_set():
                self._threads.put((fen, self._ask(player, fen)))
        finally:
            if player is not None:
                player.close()

    def _ask(self, player: Player, fen: str) -> Judgement:
        referee = Referee(self._game, fen)
        player.new_game(referee)
        reply = player.think(referee, None)
        if reply.score_cp is None:
            raise player.fault(f"gave no score for {fen}; give it more nodes")
        return Judgement(reply.score_cp, reply.code)


def _bare(position: Position) -> str:
    """Return the FEN of a position with its counters reset."""
    return " ".join((*position.fen.split()[:_FEN_FIELDS], "0", "1"))
