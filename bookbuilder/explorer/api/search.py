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
from bookbuilder.explorer.engine_line import Engines, Limits, parse_info
from bookbuilder.explorer.engine_values import Valuers
from bookbuilder.explorer.facts import known_moves
from bookbuilder.explorer.query import asked_game, asked_source, place_at, read_number
from bookbuilder.selection.options import SelectionOptions

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["search", "values"]

_MOST_MS: Final = 120_000
_MOST_DEPTH: Final = 64
_MOST_LINES: Final = 10
_VALUE_NODES: Final = 20_000
_MOST_NODES: Final = 1_000_000
_MOST_MOVES: Final = 40
# Seconds between two checks that the client is still connected.
_LOOK: Final = 0.2


async def search(request: Request) -> Response:
    """Answer `/search`: events `line`, one for each depth and line, then `done` with the move."""
    query = request.query_params
    game = asked_game(query) or asked_source(request).game
    here = place_at(query, game).here
    depth = read_number(query, "depth", None, most=_MOST_DEPTH)
    limits = Limits(
        movetime_ms=max(read_number(query, "movetime", 5000, most=_MOST_MS), 1),
        depth=depth or None,
        lines=max(read_number(query, "multipv", 1, most=_MOST_LINES), 1),
    )
    engines: Engines | None = request.app.state.engines
    if engines is None:
        raise _no_engine()
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    events = _events(request, engines, here, limits)
    first = await anext(events)  # an error must be raised before the response begins
    return StreamingResponse(_from(first, events), media_type="text/event-stream")


async def values(request: Request) -> Response:
    """Answer `/values`: events `value`, one for each move that the source knows here, then `done`.

    The first one is that of the position itself, without a move.
    """
    query = request.query_params
    source = asked_source(request)
    here = place_at(query, source.game).here
    nodes = max(read_number(query, "nodes", _VALUE_NODES, most=_MOST_NODES), 1)
    valuers: Valuers | None = request.app.state.valuers
    if valuers is None:
        raise _no_engine()
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    moves = [move["move"] for move in known_moves(source, here, SelectionOptions())][:_MOST_MOVES]
    after = [here.play(here.parse_move(move)) for move in moves]
    found = valuers.values([here, *after], nodes)
    events = _value_events(found, moves, nodes)
    first = await anext(events)  # an error must be raised before the response begins
    return StreamingResponse(_from(first, events), media_type="text/event-stream")


async def _value_events(
    found: AsyncIterator[tuple[int, int]], moves: Sequence[str], nodes: int
) -> AsyncIterator[bytes]:
    yield b": the engine is thinking\n\n"
    try:
        async for number, score in found:
            # A move is worth to its side what the position after it is not worth to the other one.
            move, own = (None, score) if number == 0 else (moves[number - 1], -score)
            yield _event("value", {"move": move, "score_cp": own, "nodes": nodes})
    except BookBuilderError as error:
        yield _event("failed", {"message": str(error)})
        return
    yield _event("done", {"moves": len(moves)})


def _no_engine() -> RefusedError:
    message = "the engine is switched off on this server: start it without --no-engine"
    return RefusedError(404, "no-engine", message)


async def _from(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for event in rest:
        yield event


async def _events(request: Request, engines: Engines, here: Position, limits: Limits) -> AsyncIterator[bytes]:
    if not here.moves():
        yield _event("done", {"move": None})
        return
    async with engines.search(here, limits) as (said, dialect):
        yield b": the engine is thinking\n\n"
        waiting = asyncio.ensure_future(said.readline())
        try:
            while not await request.is_disconnected():
                await asyncio.wait([waiting], timeout=_LOOK)
                if not waiting.done():
                    continue
                line = waiting.result().decode("ascii", "replace")
                if not line:
                    yield _event("failed", {"message": "the engine ended without a move"})
                    return
                if line.startswith("bestmove"):
                    code = here.parse_move(line.split()[1], dialect)
                    yield _event("done", {"move": here.coordinates(code)})
                    return
                if (info := parse_info(here, line, dialect)) is not None:
                    yield _event("line", info)
                waiting = asyncio.ensure_future(said.readline())
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
