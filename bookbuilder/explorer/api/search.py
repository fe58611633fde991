"""`/search` and `/values`: what an engine says, as server-sent events, while the client listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.engine import Engines
from bookbuilder.explorer.facts import known_moves
from bookbuilder.explorer.query import asked_game, asked_source, place_at, read_number
from bookbuilder.selection.options import SelectionOptions

if TYPE_CHECKING:
    from bookbuilder._core import Position

_MOST_MS: Final = 120_000
_MOST_DEPTH: Final = 64
_MOST_LINES: Final = 10
_VALUE_NODES: Final = 20_000
_MOST_NODES: Final = 1_000_000
_MOST_MOVES: Final = 40
# Seconds between two checks that the client is still connected.
_LOOK: Final = 0.2
_THINKING: Final = b": the engine is thinking\n\n"


async def search(request: Request) -> Response:
    """Answer `/search`: events `line`, one for each depth and line, then `done` with the move."""
    query = request.query_params
    game = asked_game(query) or asked_source(request).game
    here = place_at(query, game).here
    depth = read_number(query, "depth", None, most=_MOST_DEPTH)
    movetime = max(read_number(query, "movetime", 5000, most=_MOST_MS), 1)
    lines = max(read_number(query, "multipv", 1, most=_MOST_LINES), 1)
    engines = _engines_of(request)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    from bookbuilder.engine.drivers.spec import ThinkLimit

    said = engines.lines(here, ThinkLimit(movetime_ms=movetime, depth=depth or None), lines)
    return await _streamed(request, _line_events(here, said))


async def values(request: Request) -> Response:
    """Answer `/values`: events `value`, one for each move that the source knows here, then `done`.

    The first one is that of the position itself, without a move.
    """
    query = request.query_params
    source = asked_source(request)
    here = place_at(query, source.game).here
    nodes = max(read_number(query, "nodes", _VALUE_NODES, most=_MOST_NODES), 1)
    engines = _engines_of(request)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    moves = [move.move for move in known_moves(source, here, SelectionOptions())][:_MOST_MOVES]
    after = [here.play(here.parse_move(move)) for move in moves]
    found = engines.values([here, *after], nodes)
    return await _streamed(request, _value_events(found, moves, nodes))


async def _line_events(here: Position, said: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    if not here.moves():
        yield _event("done", {"move": None})
        return
    try:
        async for line in said:
            if "pv" in line:
                yield _event("line", line)
            else:
                yield _event("done", line) if line else _THINKING
    except BookBuilderError as error:
        if isinstance(error, RefusedError):
            raise
        yield _event("failed", {"message": str(error)})


async def _value_events(
    found: AsyncIterator[tuple[int, int]], moves: Sequence[str], nodes: int
) -> AsyncIterator[bytes]:
    yield _THINKING
    try:
        async for number, score in found:
            # A move is worth to its side what the position after it is not worth to the other one.
            move, own = (None, score) if number == 0 else (moves[number - 1], -score)
            yield _event("value", {"move": move, "score_cp": own, "nodes": nodes})
    except BookBuilderError as error:
        yield _event("failed", {"message": str(error)})
        return
    yield _event("done", {"moves": len(moves)})


def _engines_of(request: Request) -> Engines:
    engines: Engines | None = request.app.state.engines
    if engines is None:
        message = "the engine is switched off on this server: start it without --no-engine"
        raise RefusedError(404, "no-engine", message)
    return engines


async def _streamed(request: Request, events: AsyncIterator[bytes]) -> Response:
    """Return events as a response; an error before the first one is an error of the request."""
    first = await anext(events)

    async def stream() -> AsyncIterator[bytes]:
        yield first
        waiting = asyncio.ensure_future(anext(events, None))
        try:
            while not await request.is_disconnected():
                await asyncio.wait([waiting], timeout=_LOOK)
                if waiting.done():
                    if (event := waiting.result()) is None:
                        return
                    yield event
                    waiting = asyncio.ensure_future(anext(events, None))
        finally:
            waiting.cancel()  # which ends the search

    return StreamingResponse(stream(), media_type="text/event-stream")


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
