"""Answers a request again if a source has changed on disk meanwhile.

A store that grows removes its old files once the new ones are in place. A request that began before then
misses them. Every try reads the sources that are there when it begins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from starlette.requests import Request

from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.query import sources_of

__all__ = ["repeated"]

_TRIES: Final = 5


def repeated(endpoint: Callable[[Request], Any]) -> Callable[[Request], Any]:
    """Return an endpoint that tries again if it fails and a source has changed since it began."""
    if inspect.iscoroutinefunction(endpoint):

        @wraps(endpoint)
        async def answered_later(request: Request) -> Any:  # noqa: ANN401 (as the endpoint)
            for _ in range(_TRIES - 1):
                before = sources_of(request).stamps()
                try:
                    return await endpoint(request)
                except (BookBuilderError, OSError) as error:
                    _require_change(request, before, error)
            return await endpoint(request)

        return answered_later

    @wraps(endpoint)
    def answered(request: Request) -> Any:  # noqa: ANN401 (as the endpoint)
        for _ in range(_TRIES - 1):
            before = sources_of(request).stamps()
            try:
                return endpoint(request)
            except (BookBuilderError, OSError) as error:
                _require_change(request, before, error)
        return endpoint(request)

    return answered


def _require_change(request: Request, before: tuple[tuple[int, ...], ...], error: Exception) -> None:
    """Raise an error that is not about a source that has changed."""
    if isinstance(error, RefusedError) or sources_of(request).stamps() == before:
        raise error
