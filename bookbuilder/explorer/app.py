"""The ASGI application of the explorer and its routes."""

from __future__ import annotations

import secrets
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from bookbuilder.engine.endgames import Endgames
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, tell_error, tell_http_error
from bookbuilder.explorer.api import (
    books,
    builds,
    commands,
    compare,
    edits,
    endgames,
    games,
    imports,
    positions,
    search,
    server,
    tree,
    tuning,
    typed,
    whole,
)
from bookbuilder.explorer.assets import assets
from bookbuilder.explorer.builds import Builds
from bookbuilder.explorer.compat import chessdb, lichess
from bookbuilder.explorer.engine import EngineChoice, Engines
from bookbuilder.explorer.guard import COOKIE, IMPORTS, WRITE_TOKEN, Guard, Guarding
from bookbuilder.explorer.imports import Imports
from bookbuilder.explorer.known_values import KnownValues
from bookbuilder.explorer.repeated import repeated
from bookbuilder.explorer.sources import Sources
from bookbuilder.games.openings import openings_of
from bookbuilder.system import release_memory

__all__ = ["PAGES", "make_app"]

PAGES: Final = ("/", "/tune", "/compare", "/tree", "/book", "/games/{id}", "/endgame")
"""Paths of the page. One file serves all of them and shows what the path names."""

# Answers that take a few milliseconds of Python. A thread would only add waiting.
_QUICK: Final[tuple[tuple[str, Callable[[Request], Response]], ...]] = (
    ("/health", server.health),
    ("/position", positions.position),
)
_NATIVE: Final[tuple[tuple[str, Callable[[Request], Response]], ...]] = (
    ("/sources", server.sources),
    ("/openapi.json", server.openapi),
    ("/games", games.games),
    ("/compare", compare.compare),
    ("/commands", commands.commands),
    ("/line", typed.line),
    ("/builds", builds.builds),
    ("/edits", edits.edits),
    ("/endgame", endgames.endgame),
)
# Answers that may take a second or more: a whole store, a tree of hundreds of positions, a game deep in an
# archive. Only a few run at a time.
_SLOW: Final[tuple[tuple[str, Callable[[Request], Response]], ...]] = (
    ("/curve", tuning.curve),
    ("/coverage", tuning.coverage),
    ("/calibration", tuning.calibration),
    ("/follow", imports.follow),
    ("/reach", whole.reach),
    ("/diff", whole.diff),
    ("/tree", tree.tree),
    ("/games/{id}.pgn", games.game_pgn),
    ("/games/{id}", games.game),
    ("/book", books.book),
)
_SLOW_AT_A_TIME: Final = 4


def make_app(
    sources: Sources,
    *,
    guarding: Guarding | None = None,
    endgames: Endgames | None = None,
    engine: EngineChoice | None = EngineChoice(),  # noqa: B008 (frozen)
    values: KnownValues | None = None,
) -> Starlette:
    """Return the application that serves some sources.

    Args:
        sources: the stores and books.
        guarding: the allowed clients; None = this machine.
        endgames: tables to answer `/endgame` from.
        engine: the engine that `/search` and `/values` ask; None = they are refused.
        values: evaluations that are shown beside moves.
    """
    guarding = Guarding() if guarding is None else guarding
    app = Starlette(
        routes=_routes(),
        middleware=[Middleware(Guard, guarding=guarding)],
        exception_handlers={
            BookBuilderError: tell_error,
            OSError: tell_error,
            HTTPException: _tell_http_error,
        },
        lifespan=_lifespan,
    )
    app.state.sources = sources
    app.state.guarding = guarding
    app.state.endgames = endgames
    app.state.engines = None if engine is None else Engines(engine)
    app.state.values = KnownValues() if values is None else values
    app.state.builds = Builds()
    app.state.imports = Imports()
    app.state.write_token = secrets.token_urlsafe(32)
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Load what the first answer needs; end running searches at the end."""
    # No variable of this generator may hold a source: it lives as long as the server.
    for game in {source.game for source in app.state.sources}:
        openings_of(game)
    await to_thread.run_sync(import_module, "pandas")
    # The page Tune needs a look at whole stores. It is taken while the reader is at the first page.
    threading.Thread(target=tuning.prepare, args=(app.state.sources,), name="tune", daemon=True).start()
    yield
    app.state.builds.close()
    app.state.imports.close()
    if app.state.engines is not None:
        await app.state.engines.close()


def _routes() -> list[Route | Mount]:
    waiting = CapacityLimiter(_SLOW_AT_A_TIME)
    quick = [(path, _inline(repeated(endpoint))) for path, endpoint in _QUICK]
    native = [(path, repeated(endpoint)) for path, endpoint in _NATIVE]
    slow = [(path, _queued(repeated(endpoint), waiting)) for path, endpoint in _SLOW]
    shaped = [
        (path, _queued(repeated(endpoint), waiting) if "pgn" in path else repeated(endpoint))
        for path, endpoint in (*lichess.ROUTES, *chessdb.ROUTES)
    ]
    pages = [(path, _page) for path in PAGES]
    return [
        *(_get(f"/api/v1{path}", endpoint) for path, endpoint in (*quick, *native, *slow)),
        _get("/api/v1/search", repeated(search.search)),
        _get("/api/v1/values", repeated(search.values)),
        _get(WRITE_TOKEN, books.write_token),
        _get("/api/v1/builds/{id}/file", builds.build_file),
        Route(IMPORTS, imports.add_import, methods=["POST"]),
        Route(f"{IMPORTS}/{{id}}/keep", imports.keep_import, methods=["POST"]),
        Route("/api/v1/builds", builds.start_build, methods=["POST"]),
        _get("/api/v1/edits/file", edits.edits_file),
        Route("/api/v1/edits", edits.add_edit, methods=["POST"]),
        Route("/api/v1/edits/undo", edits.undo_edit, methods=["POST"]),
        *(_get(path, endpoint) for path, endpoint in (*shaped, *pages)),
        Mount("/static", routes=[Route("/{digest}/{name}", _static)]),
    ]


def _get(path: str, endpoint: Callable[[Request], Any]) -> Route:
    return Route(path, endpoint, methods=["GET"])


def _inline(endpoint: Callable[[Request], Response]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that runs in the thread of the event loop."""

    async def answered(request: Request) -> Response:
        return endpoint(request)

    return answered


def _queued(
    endpoint: Callable[[Request], Response], waiting: CapacityLimiter
) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that runs in a thread. A few run at a time, so that quick answers find a thread.

    Once no such answer is left, the memory that they have freed goes back to the system: a whole store takes
    some hundred MiB, and the C library would keep them.
    """

    async def queued(request: Request) -> Response:
        response = await to_thread.run_sync(endpoint, request, limiter=waiting)
        if not waiting.borrowed_tokens:
            response.background = BackgroundTask(release_memory)  # after the answer is sent
        return response

    return queued


def _static(request: Request) -> Response:
    """Answer with a file of the page. Its address has a digest, so browsers may keep it for ever."""
    found = assets()
    file = None if found is None else found.files.get(request.path_params["name"])
    if found is None or file is None or request.path_params["digest"] != found.digest:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    headers = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(file.plain, headers=headers, media_type=file.media_type)
    return Response(file.packed, headers={**headers, "content-encoding": "gzip"}, media_type=file.media_type)


def _document(status: int = HTTPStatus.OK) -> Response | None:
    """Return the document of the page, None if this installation lacks it."""
    found = assets()
    if found is None:
        return None
    return Response(found.html, status, headers={"cache-control": "no-cache"}, media_type="text/html")


def _tell_http_error(request: Request, error: Exception) -> Response:
    """Answer a request that no route takes: a browser gets the page, which shows a way back."""
    assert isinstance(error, HTTPException)
    wants_page = "text/html" in request.headers.get("accept", "")
    is_page = not request.url.path.startswith(("/api/", "/static/"))
    if error.status_code == HTTPStatus.NOT_FOUND and wants_page and is_page:
        document = _document(HTTPStatus.NOT_FOUND)
        if document is not None:
            return document
    return tell_http_error(request, error)


def _page(request: Request) -> Response:
    """Answer with the page. A token in the address moves to a cookie, so that it does not stay visible."""
    given = request.query_params.get("token")
    if given is not None:
        rest = request.url.remove_query_params("token")
        clean = RedirectResponse(rest.path + (f"?{rest.query}" if rest.query else ""), status_code=303)
        guarding: Guarding = request.app.state.guarding
        if guarding.token is not None and guarding.knows_token(given):
            clean.set_cookie(COOKIE, given, httponly=True, samesite="strict")
        return clean
    document = _document()
    if document is None:
        raise RefusedError(
            404, "no-page", "the page is missing from this installation: install bookbuilder again"
        )
    return document
