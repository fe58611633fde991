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
from bookbuilder.explorer.query import asked_store, require_write_token
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.games.position import Game
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.store.grow import grow

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
    game: Game
    report: TallyReport | None  # what was counted; None for a book

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        report, facts = self.report, {"source": self.source, "name": self.name, "game": self.game}
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

    def __init__(self, sources: Sources) -> None:
        """Begin without any."""
        self._sources = sources
        self._lock = threading.Lock()
        self._number = 0
        self._all: dict[bytes, Import] = {}  # by the digest of what was asked for

    def add(self, name: str, content: bytes) -> Import:
        """Count an archive and serve its store, or serve a book; other content is refused."""

        def make(folder: Path) -> Import:
            file = folder / _file_name(name)
            file.write_bytes(content)
            try:
                kind = recognise(file)
                if kind is not None and kind.kind == "book":
                    source = self._sources.add(file)
                    return Import(file.name, file, source, self._sources.find(source).game, None)
                game = detect_game([file], _INFLATED)
                options = TallyOptions(game=game, facets=("year", "rating"))
                store = folder / f"{file.stem or 'games'}.store"
                return self._counted(file.name, store, [file], options)
            except BookBuilderError as error:
                message = str(error).replace(f"{file}: ", f"{file.name}: ")
                raise RefusedError(400, "archive", message) from error

        return self._served(content, make)

    def filter_games(self, of: StoreSource, player: str, eco: str) -> Import:
        """Count the games of a store's archives by a player or with an opening, and serve their store."""
        filters = {"player": (player,) if player else (), "eco": tuple(eco.split(",")) if eco else ()}
        facets = ("year", "rating", *(["player-side"] if player else []))
        options = of.store.options.changed({**filters, "facets": facets})
        archives = of.archives()

        def make(folder: Path) -> Import:
            name = _file_name(f"{of.path.stem} {player} {eco}")
            return self._counted(name, folder / f"{name}.store", archives, options)

        return self._served(repr((of.id, of.stamp, filters)).encode(), make)

    def _served(self, asked: bytes, make: Callable[[Path], Import]) -> Import:
        """Return what was asked for. If it is not served yet, it is made in a new folder, one at a time."""
        digest = blake2b(asked, digest_size=16).digest()
        with self._lock:
            if digest in self._all:
                return self._all[digest]
            if len(self._all) >= _MOST:
                raise RefusedError(409, "full", f"{_MOST} files were imported: remove one of them first")
            self._number += 1
            folder = self._sources.folder(str(self._number))
            try:
                found = make(folder)
            except BookBuilderError:
                shutil.rmtree(folder)
                raise
            if found.source is not None:
                self._all[digest] = found
            return found

    def _counted(self, name: str, store: Path, archives: list[Path], options: TallyOptions) -> Import:
        """Count archives into a store, and serve it if it has a game."""
        limits = RunLimits(memory=_MEMORY, max_inflate=_INFLATED, jobs=1)
        report = grow(store, archives, options, limits)
        source = self._sources.add(store) if store.is_dir() else None
        return Import(name, store, source, options.game, report)

    def _find(self, source: str) -> tuple[bytes, Import]:
        for digest, found in list(self._all.items()):
            if found.source == source:
                return digest, found
        raise RefusedError(404, "import", f'"{source[:40]}" was not imported here')

    def keep(self, source: str, folder: Path) -> Path:
        """Copy the store or the book of an import to a folder, never over a file, and return its place."""
        _, found = self._find(source)
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

    def remove(self, source: str) -> None:
        """Serve an import no longer, and delete its files."""
        with self._lock:
            digest, found = self._find(source)
            del self._all[digest]
            self._sources.remove(source)
            shutil.rmtree(found.target.parent, ignore_errors=True)


def _file_name(name: str) -> str:
    """Return the last part of a name, in characters that every file system takes."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^\w. -]+", "_", last).strip(". ")[-_NAME:] or "games.pgn"


async def add_import(request: Request) -> Response:
    """Answer `POST /imports`: count the archive in the body, or serve the book; `name` names its file."""
    imports = _imports(request)
    content = await request.body()
    if not content:
        raise RefusedError(400, "archive", "the body is empty: expected the content of an archive or a book")
    name = request.query_params.get("name") or "games.pgn"
    found = await run_in_threadpool(imports.add, name, content)
    return answer(found.to_json(), 201)


def filter_games(request: Request) -> Response:
    """Answer `POST /imports/filter`: count the games of the store `src` by `player`, with the codes `eco`."""
    imports, store, query = _imports(request), asked_store(request), request.query_params
    player, eco = ((query.get(name) or "").strip() for name in ("player", "eco"))
    if not player and not eco:
        raise RefusedError(400, "option", "expected a player, or codes of openings such as B90 or C60-C99")
    return answer(imports.filter_games(store, player, eco).to_json(), 201)


def keep_import(request: Request) -> Response:
    """Answer `POST /imports/{id}/keep`: copy it to the folder that the server was started in."""
    return answer({"path": str(_imports(request).keep(request.path_params["id"], Path.cwd()))})


def remove_import(request: Request) -> Response:
    """Answer `POST /imports/{id}/remove`: serve an import no longer."""
    _imports(request).remove(request.path_params["id"])
    return answer({"removed": request.path_params["id"]})


def _imports(request: Request) -> Imports:
    """Return the imports of the server, for a request that may change them."""
    require_write_token(request)
    found: Imports = request.app.state.imports
    return found
