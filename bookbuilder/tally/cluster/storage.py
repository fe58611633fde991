"""Archives, run files and stores in a directory that all machines see, or in storage behind a URL.

A file behind a URL is copied to a local file. Only the needed bytes are copied, each to its own offset, so
readers of local files can read the copy.
"""

from __future__ import annotations

import glob
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from bookbuilder.archives.find import ARCHIVE_SUFFIXES, find_archives
from bookbuilder.archives.sources import STDIN
from bookbuilder.disk import publish
from bookbuilder.errors import ArchiveError, OptionError, StoreError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder import _core

__all__ = [
    "Archive",
    "Disk",
    "Folder",
    "Remote",
    "filesystem",
    "find_everywhere",
    "folder_at",
    "is_url",
    "local_archive",
    "plain_path",
    "reason_of",
    "scratch",
    "storage_errors",
]

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//|:)")
_ON_DISK: Final = "file://"
_PIECE_BYTES: Final = 16 << 20
"""Bytes fetched at a time; chosen, not tuned."""
_TAIL_BYTES: Final = 1 << 18
"""Bytes fetched from the end of a run file: enough for the footer of a run of 30 million rows."""

_ERRORS: Final = {
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "aiohttp.client_exceptions": ("ClientError",),
}

Extents = Iterable[tuple[int, int]]
"""Offset and length of pieces of a file."""


class Folder(Protocol):
    """Files under names, on storage that all workers see."""

    def fetch(self, name: str, into: Path) -> Path:
        """Return a local file with the content of a file. If it is a copy, it lies in `into`."""

    def fetch_run(self, name: str, into: Path, wanted: Callable[[_core.Run], Extents]) -> Path:
        """Return a local file with the footer and the wanted blocks of a run file."""

    def put(self, file: Path, name: str) -> None:
        """Store a local file under a name."""

    def write(self, name: str, text: str) -> None:
        """Store a text under a name, and replace what was there."""

    def read(self, name: str) -> str | None:
        """Return a text; None if it does not exist."""

    def names(self) -> set[str]:
        """Return the names of all files."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""


def is_url(text: str) -> bool:
    """Return whether a word of a command line is a URL.

    Example:
        >>> is_url("s3://games/2024.pgn.zst"), is_url("games/2024.pgn.zst")
        (True, False)
    """
    return _URL.match(text) is not None


def folder_at(location: str) -> Folder:
    """Return the folder at a path or URL.

    Raises:
        OptionError: the URL's scheme is unknown, or a package that it needs is missing.
    """
    location = plain_path(location)
    return Remote(location) if is_url(location) else Disk(Path(location))


def plain_path(location: str) -> str:
    """Return the path of a `file://` URL; anything else unchanged.

    Example:
        >>> plain_path("file:///data/chess.store"), plain_path("s3://games")
        ('/data/chess.store', 's3://games')
    """
    return location.removeprefix(_ON_DISK)


def filesystem(url: str) -> tuple[Any, str]:
    """Return the fsspec filesystem of a URL, and the path in it.

    Raises:
        OptionError: the scheme is unknown, or a package that it needs is missing.
    """
    try:
        import fsspec
    except ImportError as error:
        raise OptionError(f"{url}: URLs need fsspec: pip install 'bookbuilder[cluster]'") from error
    try:
        return fsspec.core.url_to_fs(url)  # type: ignore[no-any-return]
    except (ImportError, ValueError) as error:
        raise OptionError(f"{url}: cannot be opened: {error}") from error


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty local directory, removed at the end; in a task it lies in its worker's directory.

    Dask removes the directory of a killed worker when it next starts a worker there.
    """
    with TemporaryFolder(_worker_directory()) as folder:
        yield folder


def _worker_directory() -> str | None:
    from distributed import get_worker

    try:
        return str(get_worker().local_directory)
    except ValueError:  # this is no task
        return None


def local_archive(location: str, into: Path, wanted: tuple[int, int] | None = None) -> Path:
    """Return a local file with the content of an archive, or with the bytes in the range `wanted`.

    Raises:
        ArchiveError: the archive cannot be fetched.
        OptionError: as `filesystem`.
    """
    if not is_url(location):
        return Path(location)
    files, path = filesystem(location)
    target = into / f"archive-{uuid.uuid4().hex}"
    try:
        start, end = (0, files.size(path)) if wanted is None else wanted
        if end is None:  # the server does not say the size
            files.get_file(path, str(target))
        else:
            _copy_pieces(files, path, target, [(start, end - start)])
    except storage_errors() as error:
        raise ArchiveError(f"{location}: cannot be read: {reason_of(error)}") from error
    return target


def storage_errors() -> tuple[type[Exception], ...]:
    """Return the errors that storages raise, with those of botocore and aiohttp if these are loaded."""
    found: list[type[Exception]] = [OSError, RuntimeError]
    for module, names in _ERRORS.items():
        if module in sys.modules:
            found += [getattr(sys.modules[module], name) for name in names]
    return tuple(found)


def reason_of(error: Exception) -> str:
    """Return what an error of a storage says, as one line."""
    if isinstance(error, FileNotFoundError) and not error.strerror:
        return f"not found ({error})"  # storage packages name the file only
    return " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())


class Disk:
    """A directory, on this machine's disk or on a disk that all machines mount under the same name."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fetch(self, name: str, into: Path) -> Path:  # noqa: D102
        return self.path / name

    def fetch_run(  # noqa: D102
        self, name: str, into: Path, wanted: Callable[[_core.Run], Extents]
    ) -> Path:
        return self.path / name

    def put(self, file: Path, name: str) -> None:  # noqa: D102
        self._publish(name, lambda draft: shutil.copyfile(file, draft))

    def write(self, name: str, text: str) -> None:  # noqa: D102
        self._publish(name, lambda draft: draft.write_text(text, encoding="utf-8", errors="backslashreplace"))

    def _publish(self, name: str, fill: Callable[[Path], object]) -> None:
        """Write a file and rename it when it is complete; a task that runs twice has two drafts."""
        where = self.path / name
        draft = where.with_name(f".tmp-{uuid.uuid4().hex}")
        try:
            where.parent.mkdir(exist_ok=True)
            fill(draft)
            publish(draft, where)
        except OSError as error:
            raise StoreError(f"{where}: cannot be written: {error.strerror or error}") from error
        finally:
            draft.unlink(missing_ok=True)

    def read(self, name: str) -> str | None:  # noqa: D102
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def names(self) -> set[str]:  # noqa: D102
        return {entry.name for entry in self.path.iterdir()} if self.path.is_dir() else set()

    def remove(self, names: Iterable[str]) -> None:  # noqa: D102
        for name in names:
            (self.path / name).unlink(missing_ok=True)


class Remote:
    """The files below a URL, in any storage that fsspec knows."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.files, root = filesystem(self.url)
        self.root = root.rstrip("/")
        self._made: set[str] = set()

    def fetch(self, name: str, into: Path) -> Path:  # noqa: D102
        target = into / Path(name).name
        with self._wrapped(name):
            self.files.get_file(self._path(name), str(target))
        return target

    def fetch_run(  # noqa: D102
        self, name: str, into: Path, wanted: Callable[[_core.Run], Extents]
    ) -> Path:
        from bookbuilder import _core

        target, path = into / Path(name).name, self._path(name)
        with self._wrapped(name):
            size = self.files.size(path)
            footer = _core.run_index(self.files.cat_file(path, start=max(0, size - _TAIL_BYTES), end=size))
            if footer is None:
                raise StoreError(f"{self.url}/{name}: is damaged: expected a run file")
            _copy_pieces(self.files, path, target, [(footer, size - footer)])
            _copy_pieces(self.files, path, target, _joined(wanted(_core.Run(str(target)))))
        return target

    def put(self, file: Path, name: str) -> None:  # noqa: D102
        with self._wrapped(name):
            self._make_folders(name)
            self.files.put_file(str(file), self._path(name))

    def write(self, name: str, text: str) -> None:  # noqa: D102
        with self._wrapped(name):
            self._make_folders(name)
            self.files.pipe_file(self._path(name), text.encode("utf-8", errors="backslashreplace"))

    def read(self, name: str) -> str | None:  # noqa: D102
        with self._wrapped(name):
            try:
                return bytes(self.files.cat_file(self._path(name))).decode("utf-8")
            except FileNotFoundError:
                return None

    def names(self) -> set[str]:  # noqa: D102
        with self._wrapped(""):
            self.files.invalidate_cache()
            try:
                listed = self.files.ls(self.root, detail=False)
            except FileNotFoundError:
                return set()
        return {str(path).rstrip("/").rpartition("/")[2] for path in listed}

    def remove(self, names: Iterable[str]) -> None:  # noqa: D102
        for name in names:
            with self._wrapped(name):
                self.files.rm(self._path(name), recursive=True)

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _make_folders(self, name: str) -> None:
        """Create the folder at the URL and that of a file in it, but no bucket: its name may be mistyped."""
        for folder in (self.root, self._path(name).rpartition("/")[0]):
            if folder not in self._made:
                try:
                    with suppress(FileExistsError):
                        self.files.mkdir(folder, create_parents=False)
                except FileNotFoundError as error:
                    raise StoreError(f"{self.url}: cannot be created: {reason_of(error)}") from error
                self._made.add(folder)

    @contextmanager
    def _wrapped(self, name: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except storage_errors() as error:
            raise StoreError(f"{self.url}/{name}: storage failed: {reason_of(error)}") from error


def _joined(extents: Extents) -> Iterator[tuple[int, int]]:
    """Yield pieces in order, neighbouring ones joined."""
    start = end = 0
    for offset, length in sorted(extents):
        if offset != end:
            if end > start:
                yield start, end - start
            start = offset
        end = offset + length
    if end > start:
        yield start, end - start


def _copy_pieces(files: Any, path: str, target: Path, extents: Extents) -> None:  # noqa: ANN401 (fsspec has no types)
    """Copy pieces of a file to their offsets in a local file, which may have holes between them."""
    target.touch()
    with target.open("r+b") as stream:
        for offset, length in extents:
            for start in range(offset, offset + length, _PIECE_BYTES):
                stream.seek(start)
                stream.write(
                    files.cat_file(path, start=start, end=min(start + _PIECE_BYTES, offset + length))
                )


@dataclass(frozen=True, slots=True, order=True)
class Archive:
    """An archive: its name, and the absolute path or URL where workers find it."""

    name: str
    location: str


def find_everywhere(inputs: Sequence[str]) -> list[Archive]:
    """Return the archives that inputs name, sorted by name, each once.

    Args:
        inputs: inputs of `find_archives`, and URLs of files, of directories, or with patterns.

    Raises:
        ArchiveError: an input does not exist, cannot be listed, or holds no archive.
        OptionError: an input is standard input, or a URL whose scheme is unknown.
    """
    if STDIN in inputs:
        raise OptionError("a cluster cannot read standard input: with --cluster, name files or URLs")
    paths = find_archives([word for word in inputs if not is_url(word)])
    found = {Archive(str(path), str(path.absolute())) for path in paths}
    for word in inputs:
        if is_url(word):
            found |= {Archive(url, url) for url in _below(word)}
    return sorted(found)


def _below(url: str) -> list[str]:
    files, path = filesystem(url)
    try:
        if glob.has_magic(path):
            found = files.glob(path)
        elif files.isdir(path) and not files.isfile(path):
            found = [each for each in files.find(path) if Path(each).suffix.lower() in ARCHIVE_SUFFIXES]
        else:
            files.info(path)
            return [url]
    except storage_errors() as error:
        raise ArchiveError(f"{url}: cannot be read: {reason_of(error)}") from error
    if not found:
        raise ArchiveError(f"{url}: no archive found")
    return [str(files.unstrip_protocol(each)) for each in found]
