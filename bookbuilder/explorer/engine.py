"""Values of positions, from files, and by an engine (`/search`, `/values`) while a client listens.

A search runs in a thread. It ends as soon as the client leaves, and does not slow down other requests.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bookbuilder._core import Position, Referee
from bookbuilder.engine.drivers.player import Info, Player, PlayerFault
from bookbuilder.engine.drivers.spec import EngineSpec, ThinkLimit, parse_engine
from bookbuilder.engine.drivers.workers import Question, Workers, open_player
from bookbuilder.errors import BookBuilderError, MoveError
from bookbuilder.evals.table import Evals, merge_evals
from bookbuilder.evals.words import final_score
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.facts import known_moves, names_of
from bookbuilder.explorer.query import asked_game, asked_source, place_at, read_number
from bookbuilder.explorer.sources import Kept
from bookbuilder.games.position import Game
from bookbuilder.selection.options import SelectionOptions

# Searches for lines that run at a time, and as many for values.
_MOST: Final = 2
_POSITIONS: Final = 20_000
_TIMEOUT: Final = 60.0
_MOST_MS: Final = 120_000
_MOST_DEPTH: Final = 64
_MOST_LINES: Final = 10
_VALUE_NODES: Final = 20_000
_MOST_NODES: Final = 1_000_000
_MOST_MOVES: Final = 40
_EVENTS: Final = "text/event-stream"
_THINKING: Final = b": the engine is thinking\n\n"


class KnownValues:
    """The evaluations that a server knows, one table for each game."""

    def __init__(self, paths: Sequence[Path] = ()) -> None:
        """Read files of evaluations. Those of a game must fold mirrors alike."""
        tables = [Evals.read(path) for path in paths]
        games = {table.game for table in tables}
        merged = [merge_evals([table for table in tables if table.game == game]) for game in games]
        self._tables = {table.game: (table.index(), table.fold) for table in merged}

    def of(self, game: Game, positions: Sequence[Position]) -> list[dict[str, Any] | None]:
        """Return the values of positions of a game, each for the side to move; None where there is none."""
        if game not in self._tables:
            return [None] * len(positions)
        index, fold = self._tables[game]
        keys, locks = zip(*(position.stored(fold) for position in positions), strict=True)
        found = index.values(np.array(keys, np.uint64), np.array(locks, np.uint32))
        return [
            None if math.isnan(score) else {"score_cp": int(score), "nodes": int(nodes)}
            for score, nodes in zip(found.score.tolist(), found.nodes.tolist(), strict=True)
        ]


@dataclass(slots=True)
class _Search:
    """A search in a thread: `tell` sends an event, and `engines` are closed to interrupt it."""

    tell: Callable[[bytes], None]
    has_ended: threading.Event = field(default_factory=threading.Event)
    engines: list[Player | Workers] = field(default_factory=list)

    def interrupt(self) -> None:
        self.has_ended.set()
        for engine in list(self.engines):
            engine.close()


class Engines:
    """The engine of a server, its running searches, and the values that it has found."""

    def __init__(self, command: str, options: Sequence[str]) -> None:
        """Begin without a search."""
        self._command, self._options = command, options
        self.known = Kept(_POSITIONS)
        self._running: Counter[str] = Counter()
        self._tasks: dict[asyncio.Task[None], _Search] = {}

    def spec(self, game: Game, limit: ThinkLimit) -> EngineSpec:
        """Return the engine for a game. An invalid command or option is an OptionError."""
        return parse_engine(self._command, game, name=None, options=self._options, limit=limit)

    async def close(self) -> None:
        """End all searches and wait for their processes."""
        for search in list(self._tasks.values()):
            await asyncio.to_thread(search.interrupt)
        await asyncio.gather(*self._tasks)

    async def stream(self, request: Request, kind: str, work: Callable[[_Search], None]) -> Response:
        """Return the events that work tells from its own thread. It is interrupted if the client leaves."""
        if request.method == "HEAD":
            return Response(media_type=_EVENTS)
        if self._running[kind] >= _MOST:
            raise RefusedError(503, "busy", f"{_MOST} searches are running: stop one, then try again")
        self._running[kind] += 1
        loop, events = asyncio.get_running_loop(), asyncio.Queue[bytes | Exception | None]()

        def tell(event: bytes) -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(events.put_nowait, event)

        async def run() -> None:
            try:
                await asyncio.to_thread(work, search)
            except (BookBuilderError, PlayerFault) as error:
                events.put_nowait(error)
            finally:
                search.interrupt()
                self._running[kind] -= 1
                events.put_nowait(None)

        async def stream(event: bytes | Exception | None) -> AsyncIterator[bytes]:
            try:
                while event is not None:
                    yield event if isinstance(event, bytes) else _event("failed", {"message": str(event)})
                    event = await events.get()
            finally:  # also when the client leaves, which ends the response
                if not task.done():
                    ending = asyncio.create_task(asyncio.to_thread(search.interrupt))
                    self._tasks[ending] = search
                    ending.add_done_callback(self._tasks.pop)

        search = _Search(tell)
        task = asyncio.create_task(run())
        self._tasks[task] = search
        task.add_done_callback(self._tasks.pop)
        first = await events.get()
        if isinstance(first, Exception):
            raise RefusedError(409, "engine", f"{first}; see serve --engine") from first
        return StreamingResponse(stream(first), media_type=_EVENTS)


async def search(request: Request) -> Response:
    """Answer `/search`: events `line`, one for each depth and line, then `done` with the move."""
    query, engines = request.query_params, _engines_of(request)
    game = asked_game(query) or asked_source(request).game
    here = place_at(query, game).here
    depth = read_number(query, "depth", None, most=_MOST_DEPTH)
    movetime = max(read_number(query, "movetime", 5000, most=_MOST_MS), 1)
    lines = max(read_number(query, "multipv", 1, most=_MOST_LINES), 1)
    if not here.moves():
        return Response(_event("done", {"move": None}), media_type=_EVENTS)

    def work(search: _Search) -> None:
        limit = ThinkLimit(movetime_ms=movetime, depth=depth or None)
        player = open_player(engines.spec(game, limit), game)
        search.engines.append(player)
        search.tell(_THINKING)
        # HoiXiangqi ends at any `setboard`.
        referee = Referee(game, None if here.fen == Position(game).fen else here.fen)
        player.new_game(referee)

        def tell_line(info: Info) -> None:
            if (line := line_of(here, info, player.notation)) is not None:
                search.tell(_event("line", line))

        reply = player.think(referee, lines=lines, tell=tell_line)
        move = None if reply.code is None else here.coordinates(reply.code)
        search.tell(_event("done", {"move": move}))

    return await engines.stream(request, "lines", work)


async def values(request: Request) -> Response:
    """Answer `/values`: events `value`, one for each move that the source knows here, then `done`.

    The first one is that of the position itself, without a move. Positions for which the engine fails are
    skipped.
    """
    query, engines, source = request.query_params, _engines_of(request), asked_source(request)
    here = place_at(query, source.game).here
    nodes = max(read_number(query, "nodes", _VALUE_NODES, most=_MOST_NODES), 1)
    moves = [move.move for move in known_moves(source, here, SelectionOptions())][:_MOST_MOVES]
    positions = [here, *(here.play(here.parse_move(move)) for move in moves)]

    def value(number: int, score: int) -> bytes:
        # A move is worth to its side what the position after it is not worth to the other one.
        move, own = (moves[number - 1], -score) if number else (None, score)
        return _event("value", {"move": move, "score_cp": own, "nodes": nodes})

    def work(search: _Search) -> None:
        search.tell(_THINKING)
        left: list[Question] = []
        for number, position in enumerate(positions):
            known = engines.known.get((position.game, *position.stored(False), nodes))
            score = known if position.verdict is None else final_score(position)
            if score is None:
                left.append(Question(number, position, nodes))
            else:
                search.tell(value(number, score))
        if left:
            spec = engines.spec(source.game, ThinkLimit(nodes=nodes))
            workers = Workers(spec, source.game, jobs=1, timeout=_TIMEOUT)
            search.engines.append(workers)
            for answer in workers.ask(left):
                if search.has_ended.is_set():
                    return
                if answer.reply is not None and (score := answer.reply.score_cp) is not None:
                    asked = answer.question.position
                    engines.known.put((asked.game, *asked.stored(False), nodes), score)
                    search.tell(value(answer.question.number, score))
        search.tell(_event("done", {"moves": len(moves)}))

    return await engines.stream(request, "values", work)


def _engines_of(request: Request) -> Engines:
    engines: Engines | None = request.app.state.engines
    if engines is None:
        message = "the engine is switched off on this server: start it without --no-engine"
        raise RefusedError(404, "no-engine", message)
    return engines


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def line_of(here: Position, info: Info, notation: str) -> dict[str, Any] | None:
    """Return what an engine says as JSON data; None if it is not a line with a score.

    The fields are depth, multipv, score_cp (for the side to move) or mate_in (plies, negative if it is
    mated), nodes, nps, pv (coordinates) and names (of each move of it).
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
        **{name: getattr(info, name) for name in ("depth", "multipv", "nodes", "nps")},
        "score_cp": info.score_cp if mate is None else None,
        # UCI counts moves of the side that mates.
        "mate_in": None if mate is None else 2 * mate - 1 if mate > 0 else 2 * mate,
        "pv": pv,
        "names": names,
    }
