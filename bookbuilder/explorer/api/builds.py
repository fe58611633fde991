"""`/builds`: build books from the page, and download them."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.api.books import require_write_token
from bookbuilder.explorer.builds import Asked, Builds
from bookbuilder.explorer.query import asked_filters, selection_of, sources_of

__all__ = ["build_file", "builds", "start_build"]


def _builds_of(request: Request) -> Builds:
    found: Builds = request.app.state.builds
    return found


def builds(request: Request) -> Response:
    """Answer `/builds`: the last builds, the newest first."""
    return answer({"builds": _builds_of(request).listing()})


async def start_build(request: Request) -> Response:
    """Answer `POST /builds`: start to build a book of a store with the filters and options of the query."""
    require_write_token(request)
    query = request.query_params
    source = sources_of(request).find_store(query.get("src"))
    filters = asked_filters(query)
    source.narrowed(filters)  # refuses a filter without a facet
    asked = Asked(source=source, filters=filters, options=selection_of(source, query), query=dict(query))
    return answer({"build": _builds_of(request).start(asked).to_json()}, 202)


async def build_file(request: Request) -> Response:
    """Answer `/builds/{id}/file`: the book in a format, as a file to keep."""
    found = _builds_of(request)
    build = found.find(request.path_params["id"])
    path = await run_in_threadpool(found.file, build, request.query_params.get("format") or "book")
    name = f"{build.asked.source.path.stem}{path.suffix}"
    return FileResponse(path, media_type="application/octet-stream", filename=name)
