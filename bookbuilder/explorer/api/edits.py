"""`/edits`: changes of a store's book by hand, in the file that `build --edits` reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.api.books import require_write_token
from bookbuilder.explorer.query import sources_of
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits

__all__ = ["add_edit", "edits", "edits_file", "undo_edit"]

_FIELDS: Final = frozenset(("fen", "move", "keep", "quality", "mark", "comment"))


def edits(request: Request) -> Response:
    """Answer `/edits`: the changes of a store, the oldest first."""
    source = _store(request)
    return answer(_listed(source, source.by_hand.current()))


async def add_edit(request: Request) -> Response:
    """Answer `POST /edits`: add a change of one move."""
    require_write_token(request)
    source = _store(request)
    edit = _edit(await request.body())
    return answer(_listed(source, await _changed(source, source.by_hand.add, edit)), 201)


async def undo_edit(request: Request) -> Response:
    """Answer `POST /edits/undo`: take the last change back."""
    require_write_token(request)
    source = _store(request)
    return answer(_listed(source, await _changed(source, source.by_hand.undo)))


async def _changed(source: StoreSource, change: Callable[..., MoveEdits], *given: MoveEdit) -> MoveEdits:
    """Return the changes after one more or one less.

    Raises:
        RefusedError: their file cannot be written.
    """
    try:
        return await run_in_threadpool(change, *given)
    except OSError as error:
        why = error.strerror or error
        raise RefusedError(409, "file", f"{source.by_hand.path}: not written: {why}") from error


def edits_file(request: Request) -> Response:
    """Answer `/edits/file`: the file of changes, to keep."""
    source = _store(request)
    if source.by_hand.current() is None:
        raise RefusedError(404, "edits", f"{source.id} has no changes by hand")
    path = source.by_hand.path
    return FileResponse(path, media_type="application/jsonl", filename=path.name)


def _store(request: Request) -> StoreSource:
    return sources_of(request).find_store(request.query_params.get("src"))


def _listed(source: StoreSource, found: MoveEdits | None) -> dict[str, Any]:
    listed = [] if found is None else [each.to_json() for each in found.edits]
    return {"source": source.id, "path": str(source.by_hand.path), "edits": listed}


def _edit(body: bytes) -> MoveEdit:
    expected = 'expected JSON {"fen": …, "move": …} with any of keep, quality, mark and comment'
    try:
        given = json.loads(body)
    except ValueError as error:
        raise RefusedError(400, "edit", f"the body is not JSON: {expected}") from error
    is_edit = isinstance(given, dict) and {"fen", "move"} < given.keys() <= _FIELDS
    if not is_edit or not all(isinstance(given[name], str) for name in ("fen", "move")):
        raise RefusedError(400, "edit", f"the body is not a change: {expected}")
    rest = {name: value for name, value in given.items() if name != "fen"}
    return MoveEdit(position=given["fen"], **rest)
