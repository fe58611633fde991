"""Values of moves by an engine: the position after each move is searched with the same number of nodes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.sources import Kept

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.engine.evaluate.work import Answer
    from bookbuilder.explorer.engine_choice import EngineChoice

__all__ = ["Valuers"]

_POSITIONS: Final = 20_000
_TIMEOUT: Final = 60.0
_MOST: Final = 2
# The score of a mate, as `bookbuilder.evals` writes it.
_MATED: Final = -30_000
_FEN_FIELDS: Final = 4


class Valuers:
    """The running searches for values, and what was found."""

    def __init__(self, engine: EngineChoice) -> None:
        """Search with an engine."""
        self._engine = engine
        self._known = Kept(_POSITIONS)
        self._running = 0

    async def values(self, positions: Sequence[Position], nodes: int) -> AsyncIterator[tuple[int, int]]:
        """Yield (number, centipawns for the side to move) of each position, as they are found.

        A position for which the engine fails is skipped. The search ends with the iterator.

        Raises:
            RefusedError: too many searches are running.
            OptionError: the engine cannot be started or does not play the game.
        """
        left: list[int] = []
        for number, position in enumerate(positions):
            known = self._value(position, nodes)
            if known is None:
                left.append(number)
            else:
                yield number, known
        if not left:
            return
        if self._running >= _MOST:
            raise RefusedError(503, "busy", f"{_MOST} searches are running: stop one, then try again")
        self._running += 1
        try:
            async for number, score in self._searched(positions, left, nodes):
                self._known.put(_name(positions[number], nodes), score)
                yield number, score
        finally:
            self._running -= 1

    def _value(self, position: Position, nodes: int) -> int | None:
        """Return a value that needs no search, by the rules or known."""
        if position.verdict is not None:
            is_lost = position.verdict == "mate" or (
                position.verdict == "stalemate" and position.game == "xiangqi"
            )
            return _MATED if is_lost else 0
        found: int | None = self._known.get(_name(position, nodes))
        return found

    async def _searched(
        self, positions: Sequence[Position], left: Sequence[int], nodes: int
    ) -> AsyncIterator[tuple[int, int]]:
        loop, found = asyncio.get_running_loop(), asyncio.Queue[Any]()
        is_left = threading.Event()

        def tell(what: Answer | BookBuilderError | None) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(found.put_nowait, what)

        def work() -> None:
            try:
                for answer in self._answers(positions, left, nodes):
                    tell(answer)
                    if is_left.is_set():
                        break
                tell(None)
            except BookBuilderError as error:
                tell(error)

        threading.Thread(target=work, name="values", daemon=True).start()
        try:
            while (answer := await found.get()) is not None:
                if isinstance(answer, BookBuilderError):
                    raise answer
                if answer.reply is not None and answer.reply.score_cp is not None:
                    yield answer.question.number, answer.reply.score_cp
        finally:
            is_left.set()

    def _answers(self, positions: Sequence[Position], left: Sequence[int], nodes: int) -> Iterator[Answer]:
        from bookbuilder.engine.evaluate.work import Question, Workers
        from bookbuilder.engine.match.player import PlayerFault
        from bookbuilder.errors import OptionError

        questions = [Question(number, positions[number], nodes) for number in left]
        game = positions[left[0]].game
        try:
            with Workers(self._engine.spec(game), game, jobs=1, timeout=_TIMEOUT) as workers:
                yield from workers.ask(questions)
        except PlayerFault as fault:
            raise OptionError(str(fault)) from fault


def _name(position: Position, nodes: int) -> tuple[str, str, int]:
    """Return what a value depends on: the engine sees no counters and no moves before."""
    return position.game, " ".join(position.fen.split()[:_FEN_FIELDS]), nodes
