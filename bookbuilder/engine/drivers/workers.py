"""Start engines: one, or several that answer questions at the same time.

A bad engine costs answers, never the run. Workers show an engine each position in a new game, without the
moves before it and with its counters reset. So with one thread its answer depends neither on the order of the
positions nor on the number of engines. An engine that ends, hangs or breaks its protocol is started again and
asked once more; then the position counts as failed.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from typing import Final, NamedTuple, Self, TypeAlias, TypeVar

from bookbuilder._core import Position, Referee
from bookbuilder.engine.drivers.player import Player, PlayerFault, Reply
from bookbuilder.engine.drivers.protocols import UcciPlayer, UciPlayer, XboardPlayer
from bookbuilder.engine.drivers.spec import EngineSpec, ThinkLimit
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game

A = TypeVar("A")
Q = TypeVar("Q")

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows the progress of a number of things: gives a function to call with the number done."""

TIMEOUT_SECONDS: Final = 120.0
"""Time of a search after which an engine counts as hung."""

_TRIES: Final = 2
# After this number of failures in a row the engine is useless.
_MOST_FAILURES: Final = 20
_FEN_FIELDS: Final = 4
# A wait with a time limit lets the main thread receive Ctrl-C on every system.
_LOOK_SECONDS: Final = 0.2


def open_player(spec: EngineSpec, game: Game) -> Player:
    """Start an engine and return it as a player of the game.

    Raises:
        OptionError: the program does not exist, does not play the game, or does not have the options.
        PlayerFault: the engine does not speak its protocol.
    """
    if spec.protocol == "ucci" and game == "chess":
        raise OptionError(f"{spec.name}: UCCI does not support chess")
    return {"uci": UciPlayer, "ucci": UcciPlayer, "xboard": XboardPlayer}[spec.protocol](spec, game)


def in_parallel(
    work: Callable[[Q], A], items: Sequence[Q], jobs: int, interrupt: Callable[[], None]
) -> Generator[A]:
    """Yield what `work` returns for each item, as it comes.

    Up to `jobs` threads call it. If the reader leaves early or a call fails, `interrupt` is called, which
    makes running calls end soon. What a call raises is raised.
    """
    answers: queue.SimpleQueue[Future[A]] = queue.SimpleQueue()
    pool, is_done = ThreadPoolExecutor(max(1, min(jobs, len(items)))), False
    try:
        for item in items:
            pool.submit(work, item).add_done_callback(answers.put)
        for _ in items:
            while True:
                with suppress(queue.Empty):
                    answer = answers.get(timeout=_LOOK_SECONDS)
                    break
            yield answer.result()
        is_done = True
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if not is_done:
            interrupt()
        pool.shutdown()


@dataclass(frozen=True, slots=True)
class Question:
    """A search to make."""

    number: int  # the number of the position, for who asks
    position: Position
    nodes: int


class Answer(NamedTuple):
    """The result of a search."""

    question: Question  # what was asked
    reply: Reply | None  # what the engine answered; None: it failed
    reason: str = ""  # why it failed; empty: it did not


class Players:
    """Engines in groups: a group is started when none is idle, and used again."""

    def __init__(self, specs: Sequence[EngineSpec], game: Game) -> None:
        """Describe the engines of a group."""
        self._specs, self._game = specs, game
        self._open: set[Player] = set()
        self._idle: list[list[Player]] = []
        self._is_closing = threading.Event()

    def take(self) -> list[Player]:
        """Return an idle group, or a new one; a PlayerFault says that the work was interrupted."""
        try:
            players = self._idle.pop()
        except IndexError:
            players = []
            for spec in self._specs:
                players.append(open_player(spec, self._game))
                self._open.add(players[-1])
        # Looked at after the engines are in the list that an interruption ends.
        if self._is_closing.is_set():
            raise PlayerFault("interrupted")
        return players

    def give_back(self, players: list[Player], *, are_sound: bool) -> None:
        """Keep a group for later; end engines that may be in any state."""
        if are_sound:
            self._idle.append(players)
        else:
            self._open.difference_update(players)
            for player in players:
                player.close()

    def interrupt(self) -> None:
        """End engines that are still thinking."""
        self._is_closing.set()
        self.close()

    def close(self) -> None:
        """End all engines, also one that was starting when it was interrupted."""
        self._idle.clear()
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Workers(Players):
    """Engines that answer questions at the same time. As a context they end with it, else by `close`."""

    def __init__(self, spec: EngineSpec, game: Game, *, jobs: int, timeout: float | None = None) -> None:
        """Describe the engines. They start with the first question, whose limit replaces theirs.

        After `timeout` seconds an engine counts as hung; None: `TIMEOUT_SECONDS`.
        """
        super().__init__([spec], game)
        self._jobs, self._timeout = jobs, timeout or TIMEOUT_SECONDS

    def introduction(self) -> tuple[str, str | None]:
        """Return the name and version of the engine, and its network. It raises what `open_player` raises."""
        [player] = group = self.take()
        self.give_back(group, are_sound=True)
        return player.title, player.network

    def ask(self, questions: Sequence[Question]) -> Generator[Answer]:
        """Yield the answers as they come.

        Raises:
            OptionError: the engine cannot be started.
            PlayerFault: it fails at one position after the other.
        """
        failures = 0
        try:
            with closing(in_parallel(self._answer, questions, self._jobs, self.interrupt)) as answers:
                for answer in answers:
                    failures = 0 if answer.reply is not None else failures + 1
                    if failures == _MOST_FAILURES:
                        where = f"{failures} positions in a row; does it play {self._game}?"
                        raise PlayerFault(f"{answer.reason}, and failed at {where}")
                    yield answer
        finally:
            if self._is_closing.is_set():
                self.close()  # an engine that was starting
                self._is_closing.clear()

    def _answer(self, question: Question) -> Answer:
        fen = " ".join((*question.position.fen.split()[:_FEN_FIELDS], "0", "1"))
        referee, limit, reason = Referee(self._game, fen), ThinkLimit(nodes=question.nodes), ""
        for _ in range(_TRIES):
            [player] = group = self.take()
            try:
                player.new_game(referee)
                reply = player.think(referee, limit=limit, most_seconds=self._timeout)
                if reply.score_cp is None:
                    raise player.fault("gave no score; give it more nodes")
            except PlayerFault as fault:
                reason = str(fault)
                self.give_back(group, are_sound=False)
            else:
                self.give_back(group, are_sound=True)
                return Answer(question, reply)
        return Answer(question, None, reason)
