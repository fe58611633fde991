"""The ASGI application of the explorer, and the files of the page.

The page is plain ES modules, which browsers keep under a digest of all files. The document names all modules
with `modulepreload`, so that a browser asks for them at once and not one after the other, in the order of
their imports.
"""

from __future__ import annotations

import inspect
import secrets
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from hashlib import blake2b
from importlib import resources
from pathlib import Path, PurePath
from typing import Final

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route, Router

from bookbuilder.engine.endgames import Endgames
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, refusal, tell_error
from bookbuilder.explorer.api.builds import Builds
from bookbuilder.explorer.api.imports import Imports
from bookbuilder.explorer.api.tuning import prepare
from bookbuilder.explorer.endpoints import ENDPOINTS, Endpoint
from bookbuilder.explorer.engine import Engines, KnownValues
from bookbuilder.explorer.guard import COOKIE, Guard, Guarding
from bookbuilder.explorer.query import sources_of
from bookbuilder.explorer.sources import Sources
from bookbuilder.games.openings import openings_of
from bookbuilder.system import release_memory

PAGES: Final = ("/", "/tune", "/compare", "/tree", "/book", "/games/{id}", "/endgame")
"""Paths of the page. One file serves all of them and shows what the path names."""

# Answers that may take a second or more: a tree of hundreds of positions, a game deep in an archive. Heavy
# ones read a whole store. Only a few run at a time.
_AT_A_TIME: Final[Mapping[str, int]] = {"slow": 4, "heavy": 1}
_TRIES: Final = 5
# nginx's status for a client that has left; nobody reads it.
_LEFT: Final = 499
_HTTP_ERRORS: Final = {
    404: ("no-route", "page not found: expected a path of /api/v1/openapi.json or of the page"),
    405: ("method", "this path does not take that method: expected GET, unless openapi.json says otherwise"),
    413: ("too-large", ""),
}
# Media types of the files by suffix.
_TYPES: Final = {
    ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"
}  # fmt: skip
_ENTRY: Final = '<script type="module" src="/static/app.js"></script>'


def make_app(
    sources: Sources,
    *,
    guarding: Guarding | None = None,
    endgames: Endgames | None = None,
    engine: str | None = "bundled",
    options: Sequence[str] = (),
    values: KnownValues | None = None,
) -> Starlette:
    """Return the application that serves some sources.

    The allowed clients are those of this machine by default. `endgames` answer `/endgame`, and values are
    shown beside moves. The engine, with its options Name=Value, is named as in `engine match`; without one
    `/search` and `/values` are refused.
    """
    guarding = guarding or Guarding()
    limits = {speed: CapacityLimiter(most) for speed, most in _AT_A_TIME.items()}
    # Foreign pages get this far with --cors alone.
    reading = Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET", "HEAD"],
        allow_headers=["authorization", "x-requested-with"],
        allow_private_network=True,
    )
    app = Starlette(
        routes=[
            *(Route(each.path, _endpoint(each, limits), methods=[each.method]) for each in ENDPOINTS),
            *(Route(path, _page, methods=["GET"]) for path in PAGES),
            Mount("/static", Router([Route("/{digest}/{name:path}", _static)], redirect_slashes=False)),
        ],
        middleware=[
            Middleware(Guard, guarding=guarding),
            *([reading] if guarding.cors else []),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
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
    app.state.engines = None if engine is None else Engines(engine, options)
    app.state.values = values or KnownValues()
    app.state.builds = Builds(sources)
    app.state.imports = Imports(sources)
    app.state.write_token = secrets.token_urlsafe(32)
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    """Load what the first answer needs; end running searches at the end."""
    # No variable of this generator may hold a source: it lives as long as the server.
    for game in {source.game for source in app.state.sources}:
        openings_of(game)
    # The page Tune needs a look at whole stores. It is taken while the reader is at the first page.
    threading.Thread(target=prepare, args=(app.state.sources,), name="tune", daemon=True).start()
    yield
    app.state.sources.close()
    if app.state.engines is not None:
        await app.state.engines.close()


def _endpoint(
    each: Endpoint, limits: Mapping[str, CapacityLimiter]
) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a route, in the event loop or in a thread.

    A few slow answers run at a time, so that quick ones find a thread. A request whose client has left while
    it waited is dropped. Once no such answer is left, the memory that they have freed goes back to the
    system: a whole store takes some hundred MiB, and the C library would keep them.
    """
    limit = limits.get(each.speed)

    async def answer(request: Request) -> Response:
        if each.speed == "quick":  # a few milliseconds of Python: a thread would only add waiting
            return _repeated(each.answer, request)
        if limit is None:
            return await to_thread.run_sync(_repeated, each.answer, request)
        await request.body()  # so that the next message of the client is that it has left
        async with limit:
            if await request.is_disconnected():
                return Response(status_code=_LEFT)
            response = await to_thread.run_sync(_repeated, each.answer, request)
        if not limit.borrowed_tokens:
            response.background = BackgroundTask(release_memory)  # after the answer is sent
        return response

    return each.answer if inspect.iscoroutinefunction(each.answer) else answer


def _repeated(endpoint: Callable[[Request], Response], request: Request) -> Response:
    """Answer, and try again if that fails and a source has changed meanwhile.

    A store that grows removes its old files once the new ones are in place. A request that began before then
    misses them. Every try reads the sources that are there when it begins.
    """
    for _ in range(_TRIES - 1):
        before = sources_of(request).stamps()
        try:
            return endpoint(request)
        except (BookBuilderError, OSError) as error:
            if isinstance(error, RefusedError) or sources_of(request).stamps() == before:
                raise
    return endpoint(request)


@cache
def assets() -> tuple[bytes, str, dict[str, bytes]]:
    """Return the document, whose links have the digest; the digest of all files; the files by path."""
    folder = Path(str(resources.files("bookbuilder.explorer").joinpath("web")))
    html = (folder / "index.html").read_text(encoding="utf-8")
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _TYPES
    }
    digest = blake2b(b"\0".join([html.encode(), *files.values()]), digest_size=6).hexdigest()
    modules = (name for name in files if name.endswith(".js") and name not in ("app.js", "theme.js"))
    preloads = (f'<link rel="modulepreload" href="/static/{name}">' for name in modules)
    html = html.replace(_ENTRY, "\n  ".join([*preloads, _ENTRY])).replace("/static/", f"/static/{digest}/")
    return html.encode(), digest, files


def _static(request: Request) -> Response:
    """Answer with a file of the page. Its address has a digest, so browsers may keep it for ever."""
    _, digest, files = assets()
    name = request.path_params["name"]
    if name not in files or request.path_params["digest"] != digest:
        raise HTTPException(404)
    headers = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(files[name], headers=headers, media_type=_TYPES[PurePath(name).suffix])


def _document(status: int = 200) -> Response:
    return Response(assets()[0], status, headers={"cache-control": "no-cache"}, media_type="text/html")


def _tell_http_error(request: Request, error: Exception) -> Response:
    """Answer a request that no route takes: a browser gets the page, which shows a way back."""
    assert isinstance(error, HTTPException)
    is_page = not request.url.path.startswith(("/api/", "/static/"))
    if error.status_code == 404 and is_page and "text/html" in request.headers.get("accept", ""):
        return _document(404)
    code, message = _HTTP_ERRORS.get(error.status_code, ("http", ""))
    response = refusal(error.status_code, code, message or error.detail)
    response.headers.update(error.headers or {})
    return response


def _page(request: Request) -> Response:
    """Answer with the page. A token in the address moves to a cookie, so that it does not stay visible."""
    given = request.query_params.get("token")
    if given is None:
        return _document()
    rest = request.url.remove_query_params("token")
    clean = RedirectResponse(rest.path + (f"?{rest.query}" if rest.query else ""), status_code=303)
    guarding: Guarding = request.app.state.guarding
    if guarding.token is not None and guarding.knows_token(given):
        clean.set_cookie(COOKIE, given, httponly=True, samesite="strict")
    return clean
