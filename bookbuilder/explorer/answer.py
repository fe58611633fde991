"""Turns values and errors into JSON responses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.errors import (
    BookBuilderError,
    BookError,
    EndgameError,
    FenError,
    MoveError,
    OptionError,
    SelectionError,
    StoreError,
)
from bookbuilder.plain_json import to_plain

SCHEMA: Final = 1
"""Version of the answers: fields may be added, never renamed."""

# Status and code of an error, by the first class that fits.
_CODES: Final[tuple[tuple[type[BookBuilderError], int, str], ...]] = (
    (FenError, 400, "fen"),
    (MoveError, 400, "move"),
    (SelectionError, 400, "selection"),
    (OptionError, 400, "option"),
    (EndgameError, 404, "endgame"),
    (StoreError, 500, "store"),
    (BookError, 409, "book"),
    (BookBuilderError, 500, "failed"),
)


class RefusedError(BookBuilderError):
    """A request that is refused, with a status, a code and a message that says what to do."""

    def __init__(self, status: int, code: str, message: str) -> None:
        """Take the HTTP status, a stable code and a message."""
        super().__init__(message)
        self.status = status
        self.code = code


def answer(data: Mapping[str, Any], status: int = 200) -> Response:
    """Return values as JSON, with the version of the answers; undefined numbers are null."""
    text = json.dumps(
        {"schema": SCHEMA, **to_plain(data)}, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return Response(text.encode(), status, media_type="application/json")


def refusal(status: int, code: str, message: str) -> Response:
    """Return an error as JSON."""
    return answer({"error": {"code": code, "message": " ".join(message.split())}}, status)


def tell_error(_request: Request, error: Exception) -> Response:
    """Return the response for an error of this package or an unreadable file."""
    if isinstance(error, RefusedError):
        return refusal(error.status, error.code, str(error))
    if not isinstance(error, BookBuilderError):
        return refusal(500, "file", f"{error}; is it still there? put it back, or start the server again")
    status, code = next((status, code) for kind, status, code in _CODES if isinstance(error, kind))
    return refusal(status, code, str(error))


def tell_http_error(_request: Request, error: Exception) -> Response:
    """Return the response for a request that no route answers."""
    assert isinstance(error, HTTPException)
    code = {404: "no-route", 405: "method"}.get(error.status_code, "http")
    messages = {
        404: "there is no such page: expected a path of /api/v1/openapi.json or of the page",
        405: "this path does not take that method: expected GET, unless openapi.json says otherwise",
    }
    response = refusal(error.status_code, code, messages.get(error.status_code, error.detail))
    response.headers.update(error.headers or {})
    return response
