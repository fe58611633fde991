"""The routes of the explorer in one table, and the description of them as OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bookbuilder import _core
from bookbuilder.explorer import engine, lichess
from bookbuilder.explorer.answer import API
from bookbuilder.explorer.api import books, builds, commands, edits, games, imports, positions, tuning
from bookbuilder.explorer.query import FACETS, PARAMETERS, RULES, write_token

Speed = Literal["quick", "usual", "slow", "heavy"]
"""Where an answer is made: quick ones in the event loop; a few slow ones and one heavy one at a time."""
_JSON: Final = "application/json"
_PGN: Final = "application/x-chess-pgn"
_EVENTS: Final = "text/event-stream"


class Endpoint(NamedTuple):
    """A route: method and path, what answers, parameters and groups of them, speed, media type."""

    method: str
    path: str
    answer: Callable[[Request], Any]
    summary: str
    parameters: str = ""
    speed: Speed = "usual"
    media: str = _JSON


_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "source": ("src", "game", *FACETS),
    "place": ("src", "game", *FACETS, "fen", "play"),
    "rules": tuple(RULES),
}


def openapi(_request: Request) -> Response:
    """Answer `/openapi.json`: the description of all routes."""
    paths, used = dict[str, dict[str, Any]](), set[str]()
    for each in ENDPOINTS:
        names = [name for word in each.parameters.split() for name in _GROUPS.get(word, (word,))]
        used.update(names)
        in_path = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        query = [{"$ref": f"#/components/parameters/{name}"} for name in names]
        content = {each.media: {"schema": {"type": "object" if each.media == _JSON else "string"}}}
        paths.setdefault(each.path, {})[each.method.lower()] = {
            "summary": each.summary,
            "parameters": [*([in_path] if "{id}" in each.path else []), *query],
            "responses": {
                "200": {"description": "done", "content": content},
                "default": {"$ref": "#/components/responses/Error"},
            },
        }
    error = {"code": {"type": "string"}, "message": {"type": "string"}}
    whole = {"type": "object", "properties": {"error": {"type": "object", "properties": error}}}
    described = {
        "openapi": "3.1.0",
        "info": {
            "title": "bookbuilder explorer",
            "version": _core.CORE_VERSION,
            "description": "Counts are exact; ratios are null where undefined. Moves are UCI for chess, ICCS "
            "for xiangqi; sides are first (White, Red) and second (Black). Unknown names are ignored.",
        },
        "paths": paths,
        "components": {
            "parameters": {name: _described(name) for name in sorted(used)},
            "responses": {"Error": {"description": "refused", "content": {_JSON: {"schema": whole}}}},
        },
    }
    return JSONResponse(described)


# The fields of an `Endpoint` whose path stands below `API`.
_ROWS: Final[tuple[tuple[Any, ...], ...]] = (
    ("GET", "/sources", positions.sources, "The sources, rules and presets"),
    ("GET", "/health", positions.health, "Whether the server answers", "", "quick"),
    ("GET", "/openapi.json", openapi, "This description"),
    ("GET", "/position", positions.position, "A position and its moves", "place rules", "quick"),
    ("GET", "/tree", positions.tree, "Moves below a position", "place rules depth width kept_only", "slow"),
    ("GET", "/line", positions.line, "Typed text as moves, or openings of that name", "place text"),
    ("GET", "/games", games.games, "The best game of each move", "place limit"),
    ("GET", "/games/{id}.pgn", games.game_pgn, "A game as PGN, from its archive", "src", "slow", _PGN),
    ("GET", "/games/{id}", games.game, "A game, and where it leaves the book", "place rules", "slow"),
    ("GET", "/size", tuning.size, "The size of the book of these rules", "source rules", "heavy"),
    ("GET", "/curve", tuning.curve, "The size of the book by its margin, or by P", "source rules", "heavy"),
    ("GET", "/calibration", tuning.calibration, "P of earlier games against later results",
     "source split min_games max_ply", "heavy"),
    ("GET", "/reach", books.reach, "What a whole book is: reach, main replies, gaps", "src games", "slow"),
    ("GET", "/diff", books.diff, "The moves in which two books differ", "a b rows", "slow"),
    ("GET", "/follow", books.follow, "How far the games of a store follow a book", "src games", "slow"),
    ("GET", "/commands", commands.commands, "The command for a page", "what place rules"),
    ("GET", "/endgame", positions.endgame, "The value of a position, from tables", "game fen play"),
    ("GET", "/search", engine.search, "Lines of an engine", "place depth movetime multipv", "usual", _EVENTS),
    ("GET", "/values", engine.values, "Values of moves", "place nodes", "usual", _EVENTS),
    ("GET", "/builds", builds.builds, "The books that were built on the page", "src"),
    ("GET", "/builds/{id}/file", builds.build_file, "A built book in a format", "format", "usual",
     "application/octet-stream"),
    ("GET", "/edits", edits.edits, "The changes by hand of a store", "src"),
    ("GET", "/write-token", write_token, "The token that changes need"),
    ("POST", "/builds", builds.start_build, "Start to build a book", "source rules"),
    ("POST", "/edits", edits.add_edit, "Change a move by hand", "src"),
    ("POST", "/edits/undo", edits.undo_edit, "Undo one change", "src"),
    ("POST", "/imports", imports.add_import, "Count an archive, or open a book", "name"),
    ("POST", "/imports/filter", imports.filter_games, "Games by player, opening", "src player eco"),
    ("POST", "/imports/{id}/keep", imports.keep_import, "Keep what was imported"),
    ("POST", "/imports/{id}/remove", imports.remove_import, "Remove what was imported"),
)  # fmt: skip


ENDPOINTS: Final = (
    *(Endpoint(method, API + path, *facts) for method, path, *facts in _ROWS),
    *(
        Endpoint("GET", path, answer, f"As {path} of lichess", "", "slow" if "pgn" in path else "usual", kind)
        for path, answer, kind in lichess.ROUTES
    ),
)
"""All routes except the routes of the page."""


def _described(name: str) -> dict[str, Any]:
    """Return a parameter as OpenAPI describes it."""
    if name in RULES:
        option, schema = RULES[name], {"type": "string"}
        if option.words:
            schema["enum"] = list(option.words)  # type: ignore[assignment]
        elif not option.unset:
            schema["type"] = {int: "integer", bool: "boolean"}.get(option.kind, "string")
        meaning = option.meaning
    else:
        meaning, kind = PARAMETERS[name]
        schema = {"type": kind}
    return {"name": name, "in": "query", "description": meaning, "schema": schema}
