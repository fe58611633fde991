"""`/edits`: changes of a store's book by hand, in the file that `build --edits` reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import names_along
from bookbuilder.explorer.query import asked_store, require_write_token
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.line import play_moves, split_position
from bookbuilder.games.openings import openings_of
from bookbuilder.games.position import as_position
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits

_FIELDS: Final = frozenset(("fen", "move", "keep", "quality", "mark", "comment"))
_CHANGE: Final = 'JSON {"fen": …, "move": …} with any of keep, quality, mark and comment'
_UNDO: Final = 'JSON {"number": …, "edit": …} as listed'


def edits(request: Request) -> Response:
    """Answer `/edits`: the changes of a store, the oldest first."""
    source = asked_store(request)
    return _listed(source, source.by_hand.current())


async def add_edit(request: Request) -> Response:
    """Answer `POST /edits`: add a change of one move."""
    source, given = await _asked(request, _CHANGE)
    is_edit = {"fen", "move"} < given.keys() <= _FIELDS
    if not is_edit or not all(isinstance(given[name], str) for name in ("fen", "move")):
        raise RefusedError(400, "edit", f"the body is not a change: expected {_CHANGE}")
    now = datetime.now(UTC).isoformat(timespec="minutes")
    edit = MoveEdit(position=given.pop("fen"), time=now, **given)
    return await _changed(source, lambda: source.by_hand.add(edit), 201)


async def undo_edit(request: Request) -> Response:
    """Answer `POST /edits/undo`: take one change back, which the body names as `/edits` lists it.

    So another page that has changed the list meanwhile is not undone unseen.
    """
    source, given = await _asked(request, _UNDO)
    number = given.get("number")
    place = number if isinstance(number, int) else -1
    return await _changed(source, lambda: source.by_hand.undo(place, given.get("edit")), 200)


async def _asked(request: Request, expected: str) -> tuple[StoreSource, dict[str, Any]]:
    """Return the store and the object in the body of a change."""
    require_write_token(request)
    try:
        given = json.loads(await request.body())
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise RefusedError(400, "edit", f"the body is not an object: expected {expected}")
    return asked_store(request), given


async def _changed(source: StoreSource, change: Callable[[], MoveEdits], status: int) -> Response:
    """Answer with the changes after one more or one less."""
    try:
        return _listed(source, await run_in_threadpool(change), status)
    except OSError as error:
        why = error.strerror or error
        raise RefusedError(409, "file", f"the changes are not written: {why}") from error


def _listed(source: StoreSource, found: MoveEdits | None, status: int = 200) -> Response:
    """Answer with the changes and the names of their lines and moves."""
    listed = []
    for edit in () if found is None else found.edits:
        fen, line = split_position(edit.position)
        here = play_moves(as_position(fen, source.game), line)
        opening = openings_of(source.game).name_of(here)
        names = names_along(here, [edit.move])
        facts = {"edit": edit.to_json(), "fen": here.fen, "line_names": names}
        listed.append({**facts, "opening": opening and opening.to_json()})
    return answer({"source": source.id, "path": str(source.by_hand.path), "edits": listed}, status)
