"""`/book`: facts about a book; and the token of changes on a writable server."""

from __future__ import annotations

import hmac
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.book.verify import walked
from bookbuilder.errors import BookError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.guard import WRITE_HEADER
from bookbuilder.explorer.query import read_flag, sources_of
from bookbuilder.explorer.sources import BookSource

__all__ = ["book", "require_write_token", "write_token"]


def book(request: Request) -> Response:
    """Answer `/book`."""
    source = sources_of(request).find_book(request.query_params.get("src"))
    opened = source.book
    facts = {
        "source": source.id,
        **opened.info,
        "cluster_histogram": opened.cluster_histogram(),
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
