"""Turns values and errors into responses: JSON, and plain text for programs made for lichess's explorer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

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

API: Final = "/api/v1"
"""Prefix of the native routes."""
SCHEMA: Final = 1
"""Version of the answers: fields may be added, never renamed."""

# Status and code of an error, by the first class that fits.
_CODES: Final[Mapping[type[BookBuilderError], tuple[int, str]]] = {
    FenError: (400, "fen"),
    MoveError: (400, "move"),
    SelectionError: (400, "selection"),
    OptionError: (400, "option"),
    EndgameError: (404, "endgame"),
    StoreError: (500, "store"),
    BookError: (409, "book"),
    BookBuilderError: (500, "failed"),
}


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


def told(error: Exception) -> tuple[int, str, str]:
    """Return the status, the code and the message for an error of this package or an unreadable file."""
    message = " ".join(str(error).split())
    if isinstance(error, RefusedError):
        return error.status, error.code, message
    if isinstance(error, BookBuilderError):
        return *next(found for kind, found in _CODES.items() if isinstance(error, kind)), message
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{os.fsdecode(error.filename)}: {error.strerror}"
    return 500, "file", f"{message}; put it back, or start the server again"


def tell_error(request: Request, error: Exception) -> Response:
    """Return the response for an error of this package or an unreadable file."""
    status, code, message = told(error)
    if request.url.path.startswith(API):
        return refusal(status, code, message)
    return PlainTextResponse(message, status)  # as clients of lichess expect
