"""`/book`: facts about a book, and changes of its entries on a writable server."""

from __future__ import annotations

import hmac
import json
from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.book.edits import edit_book, undo_edit
from bookbuilder.book.recipe import Edit, edits_of
from bookbuilder.book.verify import walked
from bookbuilder.errors import BookError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.guard import WRITE_HEADER
from bookbuilder.explorer.query import place_at, read_flag, sources_of
from bookbuilder.explorer.sources import BookSource
from bookbuilder.selection.quality import MAX_QUALITY

__all__ = ["book", "change_entry", "require_write_token", "undo", "write_token"]


def book(request: Request) -> Response:
    """Answer `/book`."""
    source = sources_of(request).find_book(request.query_params.get("src"))
    opened = source.book
    facts = {
        "source": source.id,
        **opened.info,
        "cluster_histogram": opened.cluster_histogram(),
        "edits": [asdict(each) for each in edits_of(opened.recipe)],
        "writable": sources_of(request).is_writable,
        "verify": _verified(source) if read_flag(request.query_params, "verify") else None,
    }
    return answer(facts)


def _verified(source: BookSource) -> dict[str, Any]:
    """Return the answer of `bookbuilder book verify --json`."""
    try:
        return {"sound": True, "fault": None, "walk": asdict(walked(source.book))}
    except BookError as error:
        return {"sound": False, "fault": str(error), "walk": None}


def write_token(request: Request) -> Response:
    """Answer `/write-token` with the token of changes, which only pages of this server can read."""
    _require_writing(request)
    return answer({"token": request.app.state.write_token})


def _require_writing(request: Request) -> None:
    if not sources_of(request).is_writable:
        message = "the server only reads: start it with --write to change books and to build new ones"
        raise RefusedError(403, "read-only", message)


async def change_entry(request: Request) -> Response:
    """Answer `PUT /book/{id}/entry`: set the quality of a move, or drop its record."""
    source = _writable_book(request)
    fen, move, quality = _entry(await request.body())
    place = place_at(QueryParams({"fen": fen}), source.game)

    def change() -> Edit:
        with source.writing:
            return edit_book(source.path, place.here, move, quality=quality)

    made = await run_in_threadpool(change)
    return answer({"source": source.id, "edit": asdict(made)})


async def undo(request: Request) -> Response:
    """Answer `POST /book/{id}/undo`: undo the last change."""
    source = _writable_book(request)

    def take_back() -> Edit:
        with source.writing:
            return undo_edit(source.path)

    return answer({"source": source.id, "undone": asdict(await run_in_threadpool(take_back))})


def require_write_token(request: Request) -> None:
    """Refuse a change without the token of changes.

    Raises:
        RefusedError: the server only reads, or the token is missing or wrong.
    """
    _require_writing(request)
    given = request.headers.get(WRITE_HEADER, "")
    if not hmac.compare_digest(given.encode(), request.app.state.write_token.encode()):
        message = f"a change needs the header {WRITE_HEADER} with what GET /api/v1/write-token tells"
        raise RefusedError(403, "write-token", message)


def _writable_book(request: Request) -> BookSource:
    require_write_token(request)
    return sources_of(request).find_book(request.path_params["id"])


def _entry(body: bytes) -> tuple[str, str, int | None]:
    expected = f'expected JSON {{"fen": …, "move": …}} with "quality": 0 to {MAX_QUALITY} or "drop": true'
    try:
        entry = json.loads(body)
    except ValueError as error:
        raise RefusedError(400, "entry", f"the body is not JSON: {expected}") from error
    if not isinstance(entry, dict) or not entry.keys() <= {"fen", "move", "quality", "drop"}:
        raise RefusedError(400, "entry", f"the body is not an entry: {expected}")
    fen, move, quality = (entry.get(name) for name in ("fen", "move", "quality"))
    is_dropped = entry.get("drop") is True and quality is None
    has_quality = isinstance(quality, int) and not isinstance(quality, bool) and not entry.get("drop")
    if not (isinstance(fen, str) and isinstance(move, str) and (is_dropped or has_quality)):
        raise RefusedError(400, "entry", f"the entry is incomplete: {expected}")
    return fen, move, None if is_dropped else quality
