"""Archives, run files and stores in a directory that all machines see, or in storage behind a URL.

A file behind a URL is copied to a local file. Only the needed bytes are copied, each to its own offset, so
readers of local files can read the copy.
"""

from __future__ import annotations

import glob
import re
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.archives.find import ARCHIVE_SUFFIXES, find_archives
from bookbuilder.archives.sources import STDIN
from bookbuilder.disk import publish
from bookbuilder.errors import ArchiveError, OptionError, StoreError
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder import _core

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(//|:)")
_ON_DISK: Final = "file://"
_PIECE_BYTES: Final = 16 << 20
"""Bytes fetched at a time; chosen, not tuned."""
_TRAILER_BYTES: Final = 24
"""Bytes at the end of a run file that say where its index begins."""

_ERRORS: Final = {
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "aiohttp.client_exceptions": ("ClientError",),
}

Extents = Iterable[tuple[int, int]]
"""Offset and length of pieces of a file."""


def is_url(text: str) -> bool:
    """Return whether a word of a command line is a URL."""
    return _URL.match(text) is not None


def plain_path(location: str) -> str:
    """Return the path of a `file://` URL; anything else unchanged."""
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


class Folder:
    """Files under names, in a directory that all workers see or in storage behind a URL.

    Attributes:
        location: the path or URL.
        path: the directory; None = it is behind a URL.
    """

    def __init__(self, location: str) -> None:
        """Take the location.

        Raises:
            OptionError: the URL's scheme is unknown, or a package that it needs is missing.
        """
        self.location = plain_path(location).rstrip("/")
        self.path = None if is_url(self.location) else Path(self.location).absolute()
        files, root = filesystem(self.location if self.path is None else str(self.path))
        from fsspec.implementations.dirfs import DirFileSystem

        self._files: Any = DirFileSystem(root.rstrip("/"), files)
        self._made: set[str] = set()

    def fetch(self, name: str, into: Path) -> Path:
        """Return a local file with the content of a file. If it is a copy, it lies in `into`."""
        if self.path is not None:
            return self.path / name
        target = into / Path(name).name
        with self._wrapped(name):
            self._files.get_file(name, str(target))
        return target

    def fetch_run(self, name: str, into: Path, wanted: Callable[[_core.Run], Extents]) -> Path:
        """Return a local file with the index and the wanted blocks of a run file."""
        from bookbuilder import _core

        if self.path is not None:
            return self.path / name
        target = into / Path(name).name
        with self._wrapped(name):
            size = self._files.size(name)
            tail = self._files.cat_file(name, start=max(0, size - _TRAILER_BYTES), end=size)
            index = _core.run_index(tail)
            if index is None:
                raise StoreError(f"{self.location}/{name}: is damaged: expected a run file")
            _copy_pieces(self._files, name, target, [(index, size - index)])
            _copy_pieces(self._files, name, target, _joined(wanted(_core.Run(str(target)))))
        return target

    def put(self, file: Path, name: str) -> None:
        """Store a local file under a name."""
        self._store(name, lambda target: self._files.put_file(str(file), target))

    def write(self, name: str, text: str) -> None:
        """Store a text under a name, and replace what was there."""
        content = text.encode("utf-8", errors="backslashreplace")
        self._store(name, lambda target: self._files.pipe_file(target, content))

    def _store(self, name: str, put: Callable[[str], object]) -> None:
        """Write a file; on a disk under a draft's name first, of which a task that runs twice has two."""
        parent = name.rpartition("/")[0]
        with self._wrapped(name):
            self._make_folders("", parent)
            if self.path is None:
                put(name)
                return
            draft = f"{parent}/.tmp-{uuid.uuid4().hex}".lstrip("/")
            try:
                put(draft)
                publish(self.path / draft, self.path / name)
            finally:
                (self.path / draft).unlink(missing_ok=True)

    def read(self, name: str) -> str | None:
        """Return a text; None if it does not exist."""
        with self._wrapped(name):
            try:
                return bytes(self._files.cat_file(name)).decode("utf-8")
            except FileNotFoundError:
                return None

    def names(self, folder: str = "") -> set[str]:
        """Return the names of all files, or of all in a folder."""
        with self._wrapped(folder):
            self._files.invalidate_cache()
            try:
                listed = self._files.ls(folder, detail=False)
            except FileNotFoundError:
                return set()
        return {str(path).rstrip("/").rpartition("/")[2] for path in listed}

    def remove(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            with self._wrapped(name), suppress(FileNotFoundError):
                self._files.rm(name, recursive=True)

    def _make_folders(self, *folders: str) -> None:
        """Create folders, but no bucket: its name may be mistyped."""
        for folder in folders:
            if folder not in self._made:
                try:
                    with suppress(FileExistsError):
                        self._files.mkdir(folder, create_parents=False)
                except FileNotFoundError as error:
                    raise StoreError(f"{self.location}: cannot be created: {reason_of(error)}") from error
                self._made.add(folder)

    @contextmanager
    def _wrapped(self, name: str) -> Iterator[None]:
        try:
            yield
        except StoreError:
            raise
        except storage_errors() as error:
            raise StoreError(f"{self.location}/{name}: storage failed: {reason_of(error)}") from error


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
