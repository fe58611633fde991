"""`/search`: lines of the bundled engine as server-sent events, while the client listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.engine_line import Engines, Limits, parse_info
from bookbuilder.explorer.query import asked_game, asked_source, place_at, read_number

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["search"]

_MOST_MS: Final = 120_000
_MOST_DEPTH: Final = 64
_MOST_LINES: Final = 10
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
        message = "the engine is switched off on this server: start it without --no-engine"
        raise RefusedError(404, "no-engine", message)
    if request.method == "HEAD":
        return Response(media_type="text/event-stream")
    events = _events(request, engines, here, limits)
    first = await anext(events)  # an error must be raised before the response begins
    return StreamingResponse(_from(first, events), media_type="text/event-stream")


async def _from(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for event in rest:
        yield event


async def _events(request: Request, engines: Engines, here: Position, limits: Limits) -> AsyncIterator[bytes]:
    if not here.moves():
        yield _event("done", {"move": None})
        return
    async with engines.search(here, limits) as said:
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
                    yield _event("done", {"move": line.split()[1]})
                    return
                if (info := parse_info(here, line)) is not None:
                    yield _event("line", info)
                waiting = asyncio.ensure_future(said.readline())
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
