"""Asks an engine for the page: lines of a position while the client listens, and values of moves.

A search runs in a thread. It ends as soon as the client leaves, and does not slow down other requests.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.errors import BookBuilderError, MoveError, OptionError
from bookbuilder.evals.words import final_score
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.facts import names_of
from bookbuilder.explorer.sources import Kept

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.engine.drivers.player import Info
    from bookbuilder.engine.drivers.spec import EngineSpec, ThinkLimit
    from bookbuilder.games.position import Game

_MOST: Final = 2
_POSITIONS: Final = 20_000
_TIMEOUT: Final = 60.0
_FEN_FIELDS: Final = 4
_STARTED: Final = "started"

_Tell = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine as `engine match` takes it.

    Attributes:
        command: `bundled`, or a command line, with `ucci:` or `xboard:` before it if it is not UCI.
        options: Name=Value each.
    """

    command: str = "bundled"
    options: tuple[str, ...] = ()

    def spec(self, game: Game, limit: ThinkLimit) -> EngineSpec:
        """Return the engine for a game.

        Raises:
            OptionError: the command or an option is invalid.
        """
        from bookbuilder.engine.drivers.spec import parse_engine

        return parse_engine(self.command, game, name=None, options=self.options, limit=limit)


class Engines:
    """The running searches of an engine, and the values that it has found."""

    def __init__(self, engine: EngineChoice, most: int = _MOST) -> None:
        """Allow at most `most` searches for lines, and as many for values, at a time."""
        self._engine, self._most = engine, most
        self._known = Kept(_POSITIONS)
        self._running: Counter[str] = Counter()
        self._tasks: dict[asyncio.Task[None], Callable[[], None]] = {}

    async def close(self) -> None:
        """End all searches and wait for their processes."""
        for interrupt in list(self._tasks.values()):
            await asyncio.to_thread(interrupt)
        await asyncio.gather(*self._tasks)

    async def lines(self, here: Position, limit: ThinkLimit, lines: int) -> AsyncIterator[dict[str, Any]]:
        """Yield what an engine says about a position: first nothing, then lines, at last only its `move`.

        Raises:
            RefusedError: too many searches are running, or the engine cannot be started.
            OptionError: the command of the engine is invalid.
        """
        from bookbuilder._core import Position, Referee
        from bookbuilder.engine.drivers.player import Player, PlayerFault
        from bookbuilder.engine.drivers.workers import open_player

        spec, players, has_left = self._engine.spec(here.game, limit), list[Player](), threading.Event()

        def interrupt() -> None:
            has_left.set()
            for player in list(players):
                player.close()

        def work(tell: _Tell) -> None:
            try:
                players.append(player := open_player(spec, here.game))
                tell(_STARTED)
                # HoiXiangqi ends at any `setboard`.
                is_start = here.fen == Position(here.game).fen
                referee = Referee(here.game, None if is_start else here.fen)
                player.new_game(referee)
                reply = player.think(
                    referee,
                    lines=lines,
                    tell=lambda info: tell(line_of(here, info, player.notation)),
                )
                tell({"move": None if reply.code is None else here.coordinates(reply.code)})
            except PlayerFault as fault:
                raise OptionError(str(fault)) from fault
            finally:
                interrupt()

        is_started = False
        try:
            async for what in self._told("lines", work, interrupt):
                is_started = True
                if what is not None:
                    yield {} if what is _STARTED else what
        except OptionError as error:
            if is_started:
                raise
            raise RefusedError(409, "engine", f"{error}; see serve --engine") from error

    async def values(self, positions: Sequence[Position], nodes: int) -> AsyncIterator[tuple[int, int]]:
        """Yield (number, centipawns for the side to move) of each position, as they are found.

        A position for which the engine fails is skipped. The search ends with the iterator.

        Raises:
            RefusedError: too many searches are running.
            OptionError: the engine cannot be started or does not play the game.
        """
        from bookbuilder.engine.drivers.player import PlayerFault
        from bookbuilder.engine.drivers.spec import ThinkLimit
        from bookbuilder.engine.drivers.workers import Question, Workers

        left: list[Question] = []
        for number, position in enumerate(positions):
            if position.verdict is not None:
                yield number, final_score(position)
            elif (known := self._known.get(_name(position, nodes))) is not None:
                yield number, known
            else:
                left.append(Question(number, position, nodes))
        if not left:
            return
        game = positions[0].game
        workers = Workers(self._engine.spec(game, ThinkLimit(nodes=nodes)), game, jobs=1, timeout=_TIMEOUT)
        has_left = threading.Event()

        def interrupt() -> None:
            has_left.set()
            workers.close()

        def work(tell: _Tell) -> None:
            try:
                for answer in workers.ask(left):
                    if has_left.is_set():
                        break
                    if answer.reply is not None and answer.reply.score_cp is not None:
                        tell((answer.question.number, answer.reply.score_cp))
            except PlayerFault as fault:
                raise OptionError(str(fault)) from fault
            finally:
                workers.close()

        async for number, score in self._told("values", work, interrupt):
            self._known.put(_name(positions[number], nodes), score)
            yield number, score

    async def _told(
        self, kind: str, work: Callable[[_Tell], None], interrupt: Callable[[], None]
    ) -> AsyncIterator[Any]:
        """Yield what work tells from its own thread; it is interrupted if the reader leaves.

        Raises:
            RefusedError: too many searches of this kind are running.
            BookBuilderError: what ended the work.
        """
        if self._running[kind] >= self._most:
            raise RefusedError(503, "busy", f"{self._most} searches are running: stop one, then try again")
        self._running[kind] += 1
        loop, told = asyncio.get_running_loop(), asyncio.Queue[Any]()

        def tell(what: Any) -> None:  # noqa: ANN401 (what any work tells)
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(told.put_nowait, (what,))

        async def run() -> None:
            try:
                await asyncio.to_thread(work, tell)
            except BookBuilderError as error:
                told.put_nowait(error)
            finally:
                self._running[kind] -= 1
                told.put_nowait(None)

        task = asyncio.create_task(run())
        self._tasks[task] = interrupt
        task.add_done_callback(self._tasks.pop)
        try:
            while (what := await told.get()) is not None:
                if isinstance(what, BookBuilderError):
                    raise what
                yield what[0]
            await task
        finally:
            if not task.done():
                ending = asyncio.create_task(asyncio.to_thread(interrupt))
                self._tasks[ending] = lambda: None
                ending.add_done_callback(self._tasks.pop)


def line_of(here: Position, info: Info, notation: str) -> dict[str, Any] | None:
    """Return what an engine says as JSON data; None if it is not a line with a score.

    The fields are depth, multipv, score_cp (for the side to move) or mate_in (plies, negative if it is
    mated), nodes, nps, table_permille, pv (coordinates) and names (of each move of it).
    """
    if info.score_cp is None or not info.pv:
        return None
    pv, names, position = list[str](), [], here
    for move in info.pv:
        try:
            code = position.parse_move(move, notation)
        except MoveError:
            break
        pv.append(position.coordinates(code))
        names.append(names_of(position, code))
        position = position.play(code)
    mate = info.mate
    return {
        "depth": info.depth,
        "multipv": info.multipv,
        "score_cp": info.score_cp if mate is None else None,
        # UCI counts moves of the side that mates.
        "mate_in": None if mate is None else 2 * mate - 1 if mate > 0 else 2 * mate,
        "pv": pv,
        "names": names,
        "nodes": info.nodes,
        "nps": info.nps,
        "table_permille": info.hashfull,
    }


def _name(position: Position, nodes: int) -> tuple[str, str, int]:
    """Return what a value depends on: the engine sees no counters and no moves before."""
    return position.game, " ".join(position.fen.split()[:_FEN_FIELDS]), nodes
