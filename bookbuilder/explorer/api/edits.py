"""`/edits`: changes of a store's book by hand, in the file that `build --edits` reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import names_along, opening_json
from bookbuilder.explorer.query import require_write_token, sources_of
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.line import split_position
from bookbuilder.games.openings import openings_of
from bookbuilder.games.position import as_position
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits

_FIELDS: Final = frozenset(("fen", "move", "keep", "quality", "mark", "comment"))


def edits(request: Request) -> Response:
    """Answer `/edits`: the changes of a store, the oldest first."""
    source = _store(request)
    return answer(_listed(source, source.by_hand.current()))


async def add_edit(request: Request) -> Response:
    """Answer `POST /edits`: add a change of one move."""
    require_write_token(request)
    source = _store(request)
    expected = 'expected JSON {"fen": …, "move": …} with any of keep, quality, mark and comment'
    given = _json(await request.body(), expected)
    is_edit = {"fen", "move"} < given.keys() <= _FIELDS
    if not is_edit or not all(isinstance(given[name], str) for name in ("fen", "move")):
        raise RefusedError(400, "edit", f"the body is not a change: {expected}")
    edit = MoveEdit(position=given.pop("fen"), **given)
    return answer(_listed(source, await _changed(lambda: source.by_hand.add(edit))), 201)


async def undo_edit(request: Request) -> Response:
    """Answer `POST /edits/undo`: take one change back, which the body names as `/edits` lists it.

    So another page that has changed the list meanwhile is not undone unseen.
    """
    require_write_token(request)
    source = _store(request)
    given = _json(await request.body(), 'expected {"number": …, "edit": …} as listed')
    number, edit = given.get("number"), given.get("edit")

    def undo() -> MoveEdits:
        return source.by_hand.undo(number if isinstance(number, int) else -1, edit)

    return answer(_listed(source, await _changed(undo)))


def _json(body: bytes, expected: str) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except ValueError as error:
        raise RefusedError(400, "edit", f"the body is not JSON: {expected}") from error
    if not isinstance(given, dict):
        raise RefusedError(400, "edit", f"the body is not an object: {expected}")
    return given


async def _changed(change: Callable[[], MoveEdits]) -> MoveEdits:
    """Return the changes after one more or one less.

    Raises:
        RefusedError: their file cannot be written.
    """
    try:
        return await run_in_threadpool(change)
    except OSError as error:
        why = error.strerror or error
        raise RefusedError(409, "file", f"the changes are not written: {why}") from error


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
    """Return the changes with the names of their lines and moves."""
    listed = []
    for edit in () if found is None else found.edits:
        fen, line = split_position(edit.position)
        here = as_position(fen, source.game)
        for move in line:
            here = here.play(here.parse_move(move))
        opening = openings_of(source.game).name_of(here)
        names = names_along(here, [edit.move])
        listed.append(
            {"edit": edit.to_json(), "fen": here.fen, "line_names": names, "opening": opening_json(opening)}
        )
    return {"source": source.id, "path": str(source.by_hand.path), "edits": listed}
