"""`/imports`: archives and books that the page sends. Their files are deleted when the server ends."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.archives.find import detect_game
from bookbuilder.archives.kinds import recognise
from bookbuilder.disk import draft_directory, draft_file
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.query import asked_store, require_write_token, sources_of
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.store.grow import grow
from bookbuilder.temporary import TemporaryFolder

_MOST: Final = 12
_MEMORY: Final = 512 * 1024**2
_INFLATED: Final = 1024**3
_NAME: Final = 60
_REJECT: Final = ("game", "line", "ply", "token", "reason", "message")


class Import(NamedTuple):
    """What is served since a reader asked for it: the store of some games, or a book."""

    name: str  # of the file, for people
    target: Path  # the store or the book
    source: str | None  # id as a source; None if no game was counted
    digest: bytes  # of what was asked for
    report: TallyReport | None  # what was counted; None for a book

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        report, facts = self.report, {"source": self.source, "name": self.name}
        if report is None:
            return {**facts, "kind": "book"}
        return {
            **facts,
            "kind": "store",
            "games_read": report.games_read,
            "games_used": report.games_used,
            "filtered": report.filtered,
            "first_rejects": [{name: row[name] for name in _REJECT} for row in report.first_rejects],
            "unreadable": [each["reason"] for each in report.unreadable()],
        }


class Imports:
    """The archives and books that a server was sent, and the games that were filtered from its archives."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._number = 0
        self._all: dict[str, Import] = {}
        self._folder: TemporaryFolder | None = None

    def add(self, sources: Sources, name: str, content: bytes) -> Import:
        """Count an archive and serve its store, or serve a book.

        Raises:
            RefusedError: too many files were sent, or the content is not an archive or a book.
            OSError: a file cannot be written.
        """

        def make(folder: Path, digest: bytes) -> Import:
            file = folder / _file_name(name)
            file.write_bytes(content)
            try:
                kind = recognise(file)
                if kind is not None and kind.kind == "book":
                    return Import(file.name, file, sources.add(file), digest, None)
                game = detect_game([file], _INFLATED)
                options = TallyOptions(game=game, facets=("year", "rating"))
                store = folder / f"{file.stem or 'games'}.store"
                return _counted(sources, file.name, store, [file], options, digest)
            except BookBuilderError as error:
                message = str(error).replace(f"{file}: ", f"{file.name}: ")
                raise RefusedError(400, "archive", message) from error

        return self._served(content, make)

    def filter_games(self, sources: Sources, of: StoreSource, player: str, eco: str) -> Import:
        """Count the games of a store's archives by a player or with an opening, and serve their store.

        Raises:
            RefusedError: too many imports are served, or an archive is missing.
            OptionError: a filter is not valid.
        """
        filters = {"player": (player,) if player else (), "eco": tuple(eco.split(",")) if eco else ()}
        facets = ("year", "rating", *(["player-side"] if player else []))
        options = of.options.changed({**filters, "facets": facets})
        archives = [Path(each.source) for each in of.store.manifest.sources]
        missing = next((path for path in archives if not path.exists()), None)
        if missing is not None:
            message = f"{missing}: not found; the games of {of.id} are read from its archives"
            raise RefusedError(409, "no-archive", message)

        def make(folder: Path, digest: bytes) -> Import:
            name = _file_name(f"{of.path.stem} {player} {eco}")
            return _counted(sources, name, folder / f"{name}.store", archives, options, digest)

        return self._served(repr((of.id, of.stamp, filters)).encode(), make)

    def _served(self, asked: bytes, make: Callable[[Path, bytes], Import]) -> Import:
        """Return what was asked for. What is not served yet is made in a folder of its own, one at a time."""
        digest = blake2b(asked, digest_size=16).digest()
        with self._lock:
            for known in self._all.values():
                if known.digest == digest:
                    return known
            if len(self._all) >= _MOST:
                raise RefusedError(409, "full", f"{_MOST} files were imported: remove one of them first")
            self._number += 1
            self._folder = self._folder or TemporaryFolder()
            folder = self._folder.path / str(self._number)
            folder.mkdir()
            try:
                found = make(folder, digest)
            except BookBuilderError:
                shutil.rmtree(folder)
                raise
            if found.source is not None:
                self._all[found.source] = found
            return found

    def _find(self, source: str) -> Import:
        if source not in self._all:
            raise RefusedError(404, "import", f'"{source[:40]}" was not imported here')
        return self._all[source]

    def keep(self, source: str, folder: Path) -> Path:
        """Copy the store or the book of an import to a folder, and return its place there.

        Raises:
            RefusedError: the source was not imported, or the folder has a file of this name.
            OSError: it cannot be copied.
        """
        found = self._find(source)
        target = folder / found.target.name
        if target.exists():
            message = f"{target}: exists already; rename it, then keep the import again"
            raise RefusedError(409, "exists", message)
        if found.target.is_file():
            with draft_file(target) as draft:
                shutil.copyfile(found.target, draft)
        else:
            with draft_directory(target) as draft:
                shutil.copytree(found.target, draft, dirs_exist_ok=True)
        return target

    def remove(self, sources: Sources, source: str) -> None:
        """Serve an import no longer, and delete its files."""
        with self._lock:
            found = self._find(source)
            del self._all[source]
            sources.remove(source)
            shutil.rmtree(found.target.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None


def _counted(
    sources: Sources, name: str, store: Path, archives: list[Path], options: TallyOptions, digest: bytes
) -> Import:
    """Count archives into a store, and serve it if it has a game."""
    limits = RunLimits(memory=_MEMORY, max_inflate=_INFLATED, jobs=1)
    report = grow(store, archives, options, limits)
    return Import(name, store, sources.add(store) if store.is_dir() else None, digest, report)


def _file_name(name: str) -> str:
    """Return the last part of a name, in characters that every file system takes."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^\w. -]+", "_", last).strip(". ")[-_NAME:] or "games.pgn"


async def add_import(request: Request) -> Response:
    """Answer `POST /imports`: count the archive in the body, or serve the book; `name` names its file."""
    require_write_token(request)
    content = await request.body()
    if not content:
        raise RefusedError(400, "archive", "the body is empty: expected the content of an archive or a book")
    name = request.query_params.get("name") or "games.pgn"
    imports: Imports = request.app.state.imports
    found = await run_in_threadpool(imports.add, sources_of(request), name, content)
    return answer(found.to_json(), 201)


async def filter_games(request: Request) -> Response:
    """Answer `POST /imports/filter`: count the games of the store `src` by `player`, with the codes `eco`."""
    require_write_token(request)
    store, query = asked_store(request), request.query_params
    player, eco = ((query.get(name) or "").strip() for name in ("player", "eco"))
    if not player and not eco:
        raise RefusedError(400, "option", "expected a player, or codes of openings such as B90 or C60-C99")
    imports: Imports = request.app.state.imports
    found = await run_in_threadpool(imports.filter_games, sources_of(request), store, player, eco)
    return answer(found.to_json(), 201)


async def keep_import(request: Request) -> Response:
    """Answer `POST /imports/{id}/keep`: copy it to the folder that the server was started in."""
    require_write_token(request)
    imports: Imports = request.app.state.imports
    path = await run_in_threadpool(imports.keep, request.path_params["id"], Path.cwd())
    return answer({"path": str(path)})


async def remove_import(request: Request) -> Response:
    """Answer `POST /imports/{id}/remove`: serve an import no longer."""
    require_write_token(request)
    imports: Imports = request.app.state.imports
    await run_in_threadpool(imports.remove, sources_of(request), request.path_params["id"])
    return answer({"removed": request.path_params["id"]})
