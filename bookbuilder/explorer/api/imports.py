"""`/imports`: archives and books that the page sends. Their files are deleted when the server ends."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.archives.find import detect_game
from bookbuilder.archives.kinds import recognise
from bookbuilder.disk import draft_directory, draft_file
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.query import require_write_token, sources_of
from bookbuilder.explorer.sources import Sources
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.store.grow import grow
from bookbuilder.temporary import TemporaryFolder

_MOST: Final = 12
_MEMORY: Final = 512 * 1024**2
_INFLATED: Final = 1024**3
_NAME: Final = 60
_REJECT: Final = ("game", "line", "ply", "token", "reason", "message")


@dataclass(frozen=True, slots=True)
class Import:
    """An archive or a book that was sent.

    Attributes:
        file: the file.
        target: what is served: the store of an archive, or the book.
        source: id as a source; None if no game was counted.
        digest: of the content.
        report: what was counted; None for a book.
    """

    file: Path
    target: Path
    source: str | None
    digest: bytes
    report: TallyReport | None

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        report, facts = self.report, {"source": self.source, "name": self.file.name}
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
    """The archives and books that a server was sent."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._number = 0
        self._all: dict[str, Import] = {}
        self._folder: TemporaryFolder | None = None

    def add(self, sources: Sources, name: str, content: bytes) -> Import:
        """Count an archive and serve its store, or serve a book. Files are read one after the other.

        A content that was sent before is served already.

        Raises:
            RefusedError: too many files were sent, or the content is not an archive or a book.
            OSError: a file cannot be written.
        """
        digest = blake2b(content, digest_size=16).digest()
        with self._lock:
            for known in self._all.values():
                if known.digest == digest:
                    return known
            if len(self._all) >= _MOST:
                message = f"{_MOST} files were imported: remove one of them first"
                raise RefusedError(409, "full", message)
            self._number += 1
            if self._folder is None:
                self._folder = TemporaryFolder()
            file = self._folder.path / str(self._number) / _file_name(name)
            file.parent.mkdir()
            file.write_bytes(content)
            try:
                found = _opened(sources, file, digest)
            except BookBuilderError as error:
                shutil.rmtree(file.parent)
                message = str(error).replace(f"{file}: ", f"{file.name}: ")
                raise RefusedError(400, "archive", message) from error
            if found.source is not None:
                self._all[found.source] = found
            return found

    def find(self, source: str) -> Import:
        """Return the file that is served as a source.

        Raises:
            RefusedError: the source was not imported.
        """
        if source not in self._all:
            raise RefusedError(404, "import", f'"{source[:40]}" was not imported here')
        return self._all[source]

    def keep(self, source: str, folder: Path) -> Path:
        """Copy the store or the book of an import to a folder, and return its place there.

        Raises:
            RefusedError: the source was not imported, or the folder has a file of this name.
            OSError: it cannot be copied.
        """
        found = self.find(source)
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
        """Serve an import no longer, and delete its files.

        Raises:
            RefusedError: the source was not imported.
        """
        with self._lock:
            found = self.find(source)
            del self._all[source]
            sources.remove(source)
            shutil.rmtree(found.file.parent, ignore_errors=True)

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None


def _opened(sources: Sources, file: Path, digest: bytes) -> Import:
    known = recognise(file)
    if known is not None and known.kind == "book":
        return Import(file, file, sources.add(file), digest, None)
    store = file.parent / f"{file.stem or 'games'}.store"
    options = TallyOptions(game=detect_game([file], _INFLATED), facets=("year", "rating"))
    limits = RunLimits(memory=_MEMORY, max_inflate=_INFLATED, jobs=1)
    report = grow(store, [file], options, limits)
    return Import(file, store, sources.add(store) if store.is_dir() else None, digest, report)


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
