"""`/sources`, `/health` and `/openapi.json`: the sources and the description of the routes."""

from __future__ import annotations

from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder import _core
from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.query import sources_of
from bookbuilder.selection.options import OPTIONS, PRESETS

__all__ = ["health", "openapi", "sources"]


def sources(request: Request) -> Response:
    """Answer `/sources`."""
    state = request.app.state
    tables = state.endgames
    return answer(
        {
            "sources": sources_of(request).listing(),
            "version": _core.CORE_VERSION,
            "engine": state.engines is not None,
            "endgames": [] if tables is None else sorted({file.game for file in tables.files}),
            "writable": sources_of(request).is_writable,
            "presets": _presets(),
        }
    )


@cache
def _presets() -> dict[str, dict[str, str]]:
    """Return the parameters of each preset that differ from the defaults."""
    return {
        name: {OPTIONS[option].query or option: _parameter(option, value) for option, value in own.items()}
        for name, own in PRESETS.items()
    }


def _parameter(option: str, value: bool | int | str | None) -> str:
    if value is None:
        return OPTIONS[option].unset or ""
    return str(int(value)) if isinstance(value, bool) else str(value)


def health(request: Request) -> Response:
    """Answer `/health`."""
    return answer({"status": "ok", "version": _core.CORE_VERSION, "sources": len(sources_of(request))})


def openapi(_request: Request) -> Response:
    """Answer `/openapi.json`."""
    return Response(_openapi_text(), media_type="application/json")


@cache
def _openapi_text() -> bytes:
    return resources.files("bookbuilder.explorer").joinpath("openapi.json").read_bytes()
