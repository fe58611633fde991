"""Evaluate positions with engines in parallel. A bad engine costs evaluations, never the run.

An engine sees each position in a new game, without the moves before it and with its counters reset. So with
one thread its answer depends neither on the order of the positions nor on the number of engines. An engine
that ends, hangs or breaks its protocol is started again and asked once more; then the position counts as
failed.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, NamedTuple, Self

from bookbuilder._core import Position, Referee
from bookbuilder.engine.match.player import EngineSpec, Player, PlayerFault, Reply, ThinkLimit
from bookbuilder.engine.match.protocols import open_player
from bookbuilder.engine.match.threads import Threads
from bookbuilder.games.position import Game

__all__ = ["Answer", "Question", "Workers", "useful"]

_TRIES: Final = 2
# After this number of failures in a row the engine is useless.
_MOST_FAILURES: Final = 20
_FEN_FIELDS: Final = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A search to make.

    Attributes:
        number: the number of the position, for who asks.
        position: the position.
        nodes: nodes of the search.
    """

    number: int
    position: Position
    nodes: int


class Answer(NamedTuple):
    """The result of a search.

    Attributes:
        question: what was asked.
        reply: what the engine answered; None: it failed.
        reason: why it failed; empty: it did not.
    """

    question: Question
    reply: Reply | None
    reason: str = ""


def useful(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield answers as long as engines give some.

    Raises:
        PlayerFault: they fail at one position after the other.
    """
    failures = 0
    for answer in answers:
        failures = 0 if answer.reply is not None else failures + 1
        if failures == _MOST_FAILURES:
            raise PlayerFault(f"{answer.reason}, and failed at {failures} positions in a row")
        yield answer


class Workers:
    """Engines that answer questions at the same time. As a context they end with it, else by `close`."""

    def __init__(self, spec: EngineSpec, game: Game, *, jobs: int, timeout: float) -> None:
        """Describe the engines. They start with the first question.

        Args:
            spec: the engine; its limit is replaced by that of each question.
            game: the game.
            jobs: number of processes.
            timeout: seconds after which an engine counts as hung.
        """
        self._spec, self._game, self._jobs, self._timeout = spec, game, jobs, timeout
        self._asked: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self._players: set[Player] = set()
        self._idle: queue.SimpleQueue[Player] = queue.SimpleQueue()
        self._is_closing = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the engines."""
        for player in list(self._players):
            self._close(player)
        self._idle = queue.SimpleQueue()

    def introduction(self) -> tuple[str, str | None]:
        """Return the name and version of the engine, and its network.

        Raises:
            OptionError: the engine cannot be started, does not play the game, or does not have the options.
            PlayerFault: it does not speak its protocol.
        """
        with self._player(self._spec) as player:
            return player.title, player.network

    def ask(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """Yield the answers as they come.

        Raises:
            OptionError: the engine cannot be started.
            PlayerFault: it fails at one position after the other.
        """
        with contextlib.closing(self._answers_to(questions)) as found:
            yield from useful(found)

    def _answers_to(self, questions: Sequence[Question]) -> Generator[Answer]:
        count = min(self._jobs, len(questions))
        self._asked = queue.SimpleQueue()
        for question in (*questions, *[None] * count):
            self._asked.put(question)
        threads: Threads[Answer] = Threads(lambda: self._work(threads), max(count, 1))
        is_done = False
        try:
            threads.start(count)
            for _ in questions:
                yield threads.next()
            is_done = True
        finally:
            self._finish(threads, is_interrupted=not is_done)

    def _finish(self, threads: Threads[Answer], *, is_interrupted: bool) -> None:
        """Wait for the threads; engines that are still thinking end, others wait for the next questions."""
        if is_interrupted:
            self._is_closing.set()
            for player in list(self._players):
                player.close()
        threads.join()
        if is_interrupted:
            self.close()
            self._is_closing.clear()

    def _work(self, threads: Threads[Answer]) -> None:
        """Answer questions until there is none left."""
        player: Player | None = None
        is_sound = False
        with contextlib.suppress(queue.Empty):
            player = self._idle.get_nowait()
        try:
            while (question := self._asked.get()) is not None and not self._is_closing.is_set():
                answer, player = self._answer(question, player)
                threads.put(answer)
            is_sound = True
        finally:
            if is_sound and player is not None:
                self._idle.put(player)
            else:
                self._close(player)

    def _answer(self, question: Question, player: Player | None) -> tuple[Answer, Player | None]:
        """Return the answer, and the engine to go on with."""
        reason = ""
        for _ in range(_TRIES):
            if player is None:
                player = self._open(self._spec)
            try:
                return Answer(question, self._search(question, player)), player
            except PlayerFault as fault:
                reason = str(fault)
                self._close(player)
                player = None
        return Answer(question, None, reason), player

    def _search(self, question: Question, player: Player) -> Reply:
        fen = " ".join((*question.position.fen.split()[:_FEN_FIELDS], "0", "1"))
        player.spec = replace(player.spec, limit=ThinkLimit(nodes=question.nodes))
        referee = Referee(self._game, fen)
        player.new_game(referee)
        reply = player.think(referee, None, most_seconds=self._timeout)
        if reply.score_cp is None:
            raise player.fault(f"gave no score for {fen}")
        return reply

    def _open(self, spec: EngineSpec) -> Player:
        player = open_player(spec, self._game)
        self._players.add(player)
        return player

    def _close(self, player: Player | None) -> None:
        if player is not None:
            self._players.discard(player)
            player.close()

    @contextmanager
    def _player(self, spec: EngineSpec) -> Iterator[Player]:
        player = self._open(spec)
        try:
            yield player
        finally:
            self._close(player)
