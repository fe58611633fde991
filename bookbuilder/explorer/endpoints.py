"""The routes of the explorer in one table, and the description of them as OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bookbuilder import _core
from bookbuilder.explorer import lichess
from bookbuilder.explorer.api import books, builds, commands, edits, games, imports, positions, search, tuning
from bookbuilder.explorer.guard import API
from bookbuilder.explorer.query import FACETS, PARAMETERS, RULES, write_token

Speed = Literal["quick", "usual", "slow", "heavy"]
"""Where an answer is made: quick ones in the event loop; a few slow ones and one heavy one at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A route and what it answers.

    Attributes:
        path: with `{names}`.
        answer: the function that answers.
        summary: what it answers.
        parameters: names in `PARAMETERS`, or of rules.
        method: GET, or POST for changes.
        speed: where the answer is made.
        media: type of the answer.
    """

    path: str
    answer: Callable[[Request], Any]
    summary: str
    parameters: tuple[str, ...] = ()
    method: Literal["GET", "POST"] = "GET"
    speed: Speed = "usual"
    media: str = "application/json"


_SOURCE: Final = ("src", "game", *FACETS)
_GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "source": _SOURCE,
    "place": (*_SOURCE, "fen", "play"),
    "rules": tuple(RULES),
    "sides": tuple(f"{side}_{name}" for side in "ab" for name in (*FACETS, *RULES)),
}


def _openapi(_request: Request) -> Response:
    """Answer `/openapi.json`."""
    return JSONResponse(openapi())


_Row: TypeAlias = "tuple[str, Callable[[Request], Any], str, str, Speed]"
# Path, answer, summary, parameters and groups of them, and where the answer is made.
_READING: Final[tuple[_Row, ...]] = (
    ("/sources", positions.sources, "The sources, the rules of selection and the presets", "", "usual"),
    ("/health", positions.health, "Whether the server answers", "", "quick"),
    ("/openapi.json", _openapi, "This description", "", "usual"),
    ("/position", positions.position, "A position, and its moves with verdicts", "place rules", "quick"),
    ("/compare", positions.compare, "The moves of two sources or selections", "a b fen play sides", "usual"),
    ("/tree", positions.tree, "The moves below a position", "place rules depth width kept_only", "slow"),
    ("/line", positions.line, "Typed or pasted text as a start and moves", "place text", "usual"),
    ("/openings", positions.openings, "Openings by name or code", "src game text", "usual"),
    ("/games", games.games, "For each move the sample game of the best rating", "place sort limit", "usual"),
    ("/games/{id}.pgn", games.game_pgn, "A game as PGN, from its archive", "src", "slow"),
    ("/games/{id}", games.game, "A game, and where it leaves the book", "place rules", "slow"),
    ("/size", tuning.size, "The size of the book of these rules", "source rules", "heavy"),
    ("/curve", tuning.curve, "The size of the book by its margin, or by P", "source rules", "heavy"),
    ("/calibration", tuning.calibration, "P of earlier games against later results",
     "source split min_games max_ply", "heavy"),
    ("/book", books.book, "Facts of a clustered book", "src verify", "slow"),
    ("/reach", books.reach, "What a whole book is: reach, main replies, gaps", "src games", "slow"),
    ("/diff", books.diff, "The moves in which two books differ", "a b rows", "slow"),
    ("/follow", books.follow, "How far the games of a store follow a book", "src build games", "slow"),
    ("/commands", commands.commands, "The command for a page", "what place rules", "usual"),
    ("/endgame", positions.endgame, "The value of a position, from tables", "game fen play", "usual"),
    ("/search", search.search, "Lines of the engine, as events", "place depth movetime multipv", "usual"),
    ("/values", search.values, "Values of moves by the engine, as events", "place nodes", "usual"),
    ("/builds", builds.builds, "The books that were built on the page", "src", "usual"),
    ("/builds/{id}/file", builds.build_file, "A built book in a format", "format", "usual"),
    ("/edits", edits.edits, "The changes by hand of a store", "src", "usual"),
    ("/edits/file", edits.edits_file, "The file of the changes by hand", "src", "usual"),
    ("/write-token", write_token, "The token that changes need", "", "usual"),
)  # fmt: skip
_WRITING: Final[tuple[_Row, ...]] = (
    ("/builds", builds.start_build, "Start to build a book", "source rules", "usual"),
    ("/edits", edits.add_edit, "Change a move by hand", "src", "usual"),
    ("/edits/undo", edits.undo_edit, "Undo one change", "src", "usual"),
    ("/imports", imports.add_import, "Count an archive, or open a book", "name", "usual"),
    ("/imports/{id}/keep", imports.keep_import, "Keep what was imported", "", "usual"),
    ("/imports/{id}/remove", imports.remove_import, "Remove what was imported", "", "usual"),
)
_MEDIA: Final = {
    "/games/{id}.pgn": "application/x-chess-pgn",
    "/search": "text/event-stream",
    "/values": "text/event-stream",
    "/builds/{id}/file": "application/octet-stream",
    "/edits/file": "application/jsonl",
}


def _endpoints(rows: Iterable[_Row], method: Literal["GET", "POST"]) -> Iterator[Endpoint]:
    for path, answer, summary, names, speed in rows:
        yield Endpoint(
            path=API + path,
            answer=answer,
            summary=summary,
            parameters=tuple(name for word in names.split() for name in _GROUPS.get(word, (word,))),
            method=method,
            speed=speed,
            media=_MEDIA.get(path, "application/json"),
        )


ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    *_endpoints(_READING, "GET"),
    *_endpoints(_WRITING, "POST"),
    *(
        Endpoint(
            path=path,
            answer=answer,
            summary=f"As {path} of lichess's explorer",
            speed="slow" if "pgn" in path else "usual",
            media=media,
        )
        for path, answer, media in lichess.ROUTES
    ),
)
"""All routes but those of the page."""


@cache
def openapi() -> Mapping[str, Any]:
    """Return the description of all routes."""
    paths: dict[str, dict[str, Any]] = {}
    for each in ENDPOINTS:
        in_path = [name for name in ("id",) if f"{{{name}}}" in each.path]
        query = [{"$ref": f"#/components/parameters/{name}"} for name in each.parameters]
        answered = {
            each.media: {"schema": {"type": "string" if each.media != "application/json" else "object"}}
        }
        paths.setdefault(each.path, {})[each.method.lower()] = {
            "summary": each.summary,
            "parameters": [
                *(
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    for name in in_path
                ),
                *query,
            ],
            "responses": {
                "200": {"description": "done", "content": answered},
                "default": {"$ref": "#/components/responses/Error"},
            },
        }
    error = {"code": {"type": "string"}, "message": {"type": "string"}}
    whole = {"type": "object", "properties": {"error": {"type": "object", "properties": error}}}
    used = sorted({name for each in ENDPOINTS for name in each.parameters})
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "bookbuilder explorer",
            "version": _core.CORE_VERSION,
            "description": "Counts are exact; ratios are null where undefined. Moves are UCI for chess, ICCS "
            "for xiangqi; sides are first (White, Red) and second (Black). Unknown names are ignored.",
        },
        "paths": paths,
        "components": {
            "parameters": {name: _described(name) for name in used},
            "responses": {
                "Error": {"description": "refused", "content": {"application/json": {"schema": whole}}}
            },
        },
    }


def _described(name: str) -> dict[str, Any]:
    """Return a parameter as OpenAPI describes it."""
    plain = name[2:] if name[:2] in ("a_", "b_") else name
    side = f"{name[0].upper()}: " if plain != name else ""
    if plain in RULES:
        option = RULES[plain]
        kinds: dict[Any, dict[str, Any]] = {int: {"type": "integer"}, bool: {"type": "boolean"}}
        schema = kinds.get(option.kind, {"type": "string"})
        schema = {"type": "string", "enum": list(option.words)} if option.words else schema
        schema = {"type": "string"} if option.unset and not option.words else schema
        return {"name": name, "in": "query", "description": side + option.meaning, "schema": schema}
    meaning, kind = PARAMETERS[plain]
    return {"name": name, "in": "query", "description": side + meaning, "schema": {"type": kind}}
