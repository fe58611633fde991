"""`/imports` and `/follow`: archives that the page sends, and how far games follow a book."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.api.books import require_write_token
from bookbuilder.explorer.imports import Imports
from bookbuilder.explorer.query import read_word, sources_of
from bookbuilder.explorer.sources import StoreSource

if TYPE_CHECKING:
    from bookbuilder.book.open import AnyBook

__all__ = ["add_import", "follow", "keep_import"]

_SIDES: Final[tuple[Literal["both", "first", "second"], ...]] = ("both", "first", "second")


def _imports_of(request: Request) -> Imports:
    found: Imports = request.app.state.imports
    return found


async def add_import(request: Request) -> Response:
    """Answer `POST /imports`: count the archive in the body; `name` is the name of its file."""
    require_write_token(request)
    content = await request.body()
    if not content:
        raise RefusedError(400, "archive", "the body is empty: expected the content of an archive")
    name = request.query_params.get("name") or "games.pgn"
    found = await run_in_threadpool(_imports_of(request).add, sources_of(request), name, content)
    return answer(found.to_json(), 201)


async def keep_import(request: Request) -> Response:
    """Answer `POST /imports/{id}/keep`: copy the store to the folder that the server was started in."""
    require_write_token(request)
    path = await run_in_threadpool(_imports_of(request).keep, request.path_params["id"], Path.cwd())
    return answer({"path": str(path)})


def follow(request: Request) -> Response:
    """Answer `/follow`: how far the games of a source's archives follow the book `src`, or a build."""
    from bookbuilder.analysis.coverage import coverage

    query = request.query_params
    side = read_word(query, "side", _SIDES)
    games = sources_of(request).find_store(query.get("games"))
    files = _archives(games)
    with_book = _book(request)
    if with_book.game != games.game:
        raise RefusedError(409, "other-game", f"the book is of {with_book.game}, {games.id} of {games.game}")
    found = coverage(with_book, *files, side=None if side == "both" else side)
    plies = found.by_ply().to_dict("records")
    return answer({"games_of": games.id, "side": side, **found.figures(), "plies": plies})


def _archives(source: StoreSource) -> list[Path]:
    files = [Path(each.source) for each in source.store.manifest.sources]
    missing = next((path for path in files if not path.is_file()), None)
    if missing is not None:
        message = f"{missing}: not found; the games of {source.id} are read from its archives"
        raise RefusedError(409, "archive", message)
    return files


def _book(request: Request) -> AnyBook:
    query = request.query_params
    if query.get("build"):
        from bookbuilder.book.open import open_book

        builds = request.app.state.builds
        return open_book(builds.file(builds.find(query["build"]), "book"))
    found = sources_of(request).find(query.get("src"))
    if isinstance(found, StoreSource):
        message = f"{found.id} is a store: games follow a book, name one, or a build"
        raise RefusedError(409, "not-a-book", message)
    return found.book
