"""Archives that the page sends: counted into a store in a folder that is deleted when the server ends."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.disk import draft_directory
from bookbuilder.errors import BookBuilderError, OutputExistsError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder.explorer.sources import Sources
    from bookbuilder.tally.report import TallyReport

__all__ = ["Import", "Imports"]

_MOST: Final = 12
_MEMORY: Final = 512 * 1024**2
_INFLATED: Final = 1024**3
_NAME: Final = 60
_REJECT: Final = ("game", "line", "ply", "token", "reason", "message")


@dataclass(frozen=True, slots=True)
class Import:
    """An archive that was sent.

    Attributes:
        archive: the file.
        store: its store; there is none if no game was counted.
        source: id of the store as a source; None without one.
        report: what was counted.
    """

    archive: Path
    store: Path
    source: str | None
    report: TallyReport

    def to_json(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        report = self.report
        return {
            "source": self.source,
            "name": self.archive.name,
            "games_read": report.games_read,
            "games_used": report.games_used,
            "filtered": report.filtered,
            "rejects": report.rejects,
            "first_rejects": [{name: row[name] for name in _REJECT} for row in report.first_rejects],
            "unreadable": [each["reason"] for each in report.unreadable()],
            "seconds": report.seconds,
        }


class Imports:
    """The archives that a server was sent."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = threading.Lock()
        self._number = 0
        self._all: dict[str, Import] = {}
        self._folder: TemporaryFolder | None = None

    def add(self, sources: Sources, name: str, content: bytes) -> Import:
        """Count an archive and serve its store as a source. Archives are counted one after the other.

        Raises:
            RefusedError: too many archives were sent, or the content is not an archive.
            OSError: a file cannot be written.
        """
        with self._lock:
            if len(self._all) >= _MOST:
                message = f"{_MOST} archives were imported: start the server again for more"
                raise RefusedError(409, "full", message)
            self._number += 1
            archive = self._place() / str(self._number) / _file_name(name)
            archive.parent.mkdir()
            archive.write_bytes(content)
            store = archive.parent / f"{archive.stem or 'games'}.store"
            try:
                report = _counted(archive, store)
            except BookBuilderError as error:
                shutil.rmtree(archive.parent)
                message = str(error).replace(f"{archive}: ", f"{archive.name}: ")
                raise RefusedError(400, "archive", message) from error
            found = Import(archive, store, sources.add(store) if store.is_dir() else None, report)
            if found.source is not None:
                self._all[found.source] = found
            return found

    def find(self, source: str) -> Import:
        """Return the archive whose store is a source.

        Raises:
            RefusedError: the source was not imported.
        """
        if source not in self._all:
            raise RefusedError(404, "import", f'"{source[:40]}" was not imported here')
        return self._all[source]

    def keep(self, source: str, folder: Path) -> Path:
        """Copy the store of an import to a folder, and return its place there.

        Raises:
            RefusedError: the source was not imported.
            OutputExistsError: the folder has a file of this name.
            OSError: it cannot be copied.
        """
        found = self.find(source)
        target = folder / found.store.name
        if target.exists():
            raise OutputExistsError(f"{target}: exists already; rename it, then keep the import again")
        with draft_directory(target) as draft:
            shutil.copytree(found.store, draft, dirs_exist_ok=True)
        return target

    def close(self) -> None:
        """Delete the files."""
        with self._lock:
            if self._folder is not None:
                self._folder.remove()
                self._folder = None

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = TemporaryFolder()
        return self._folder.path


def _counted(archive: Path, store: Path) -> TallyReport:
    from bookbuilder.archives.find import detect_game
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.store.grow import grow

    options = TallyOptions(game=detect_game([archive], _INFLATED), facets=("year",))
    return grow(store, [archive], options, RunLimits(memory=_MEMORY, max_inflate=_INFLATED, jobs=1))


def _file_name(name: str) -> str:
    """Return the last part of a name, in characters that every file system takes."""
    last = re.split(r"[\\/]", name)[-1]
    return re.sub(r"[^\w. -]+", "_", last).strip(". ")[-_NAME:] or "games.pgn"
