"""The directory of a store: its manifest, the names of its files, and the lock for its only writer.

Parts are named by number and content, so a growing store never overwrites a file of its manifest. A killed
run leaves the old store or the new one. Files that the manifest does not name are leftovers.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.archives.sources import Source
from bookbuilder.disk import create_directory, draft_file
from bookbuilder.errors import OptionError, OutputExistsError, StoreError
from bookbuilder.system import lock_directory
from bookbuilder.tally.options import TallyOptions

MANIFEST: Final = "manifest.json"
"""Name of the file that describes a store."""
WORK: Final = ".tmp-work"
"""Name of the directory in a store for the unfinished files of a run."""
_KIND: Final = "bookbuilder tally store"
_VERSION: Final = 1
"""Version of the manifest."""
_OURS: Final = ("part-", "games-", ".tmp-")
_ENTRIES: Final = frozenset(
    ("kind", "schema", "game", "options", "sources", "rows", "games", "bits", "digest", "parts", "game_parts")
)
_REPAIR: Final = "restore the file, or count the archives again"

Line = Mapping[str, Any]
"""The facts about one part in a manifest."""


class Manifest(NamedTuple):
    """The description of a store."""

    options: TallyOptions  # what was counted
    sources: tuple[Source, ...]  # its archives, sorted by name
    bits: int  # parts are ranges of this number of top bits of the key; empty ranges have no part
    # For each part of TALLY: file, rows, bytes, blake3, first_key, last_key, sums of its counts, the
    # newest year, and where its checksums begin with their own checksum.
    parts: tuple[Line, ...]
    game_parts: tuple[Line, ...]  # for each part of GAMES: file, rows, bytes, blake3

    @property
    def rows(self) -> int:
        """Rows of TALLY."""
        return sum(part["rows"] for part in self.parts)

    @property
    def games(self) -> int:
        """Rows of GAMES."""
        return sum(part["rows"] for part in self.game_parts)

    @property
    def files(self) -> set[str]:
        """Names of all files of the store except the manifest."""
        return {part["file"] for part in (*self.parts, *self.game_parts)}

    @property
    def newest_year(self) -> int:
        """The newest year of a game; 0 if no year is known."""
        return max((part["newest_year"] for part in self.parts), default=0)

    @property
    def has_results(self) -> bool:
        """Whether a game has a result."""
        return any(part[name] for part in self.parts for name in ("first_wins", "draws", "second_wins"))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the manifest from the result of `to_json`.

        Raises:
            KeyError: an entry is missing.
            TypeError: an entry has the wrong type.
        """
        return cls(
            options=TallyOptions.from_json(data["options"]),
            sources=tuple(Source(**source) for source in data["sources"]),
            bits=data["bits"],
            parts=tuple(data["parts"]),
            game_parts=tuple(data["game_parts"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the manifest as JSON data, with a digest of everything else in it."""
        data = {
            "kind": _KIND,
            "schema": _VERSION,
            "game": self.options.game,
            "options": self.options.to_json(),
            "rows": self.rows,
            "games": self.games,
            "bits": self.bits,
            "sources": [asdict(source) for source in self.sources],
            "parts": list(self.parts),
            "game_parts": list(self.game_parts),
        }
        return {**data, "digest": _digest(data)}


def _digest(data: Mapping[str, Any]) -> str:
    """Return the digest of a manifest without its digest; spaces and the order of entries do not count."""
    import hashlib  # it loads OpenSSL

    text = json.dumps({name: data[name] for name in data if name != "digest"}, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def is_store(path: str | os.PathLike[str]) -> bool:
    """Return whether the path is a directory with a manifest."""
    return Path(path, MANIFEST).is_file()


def require_place(path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Refuse a path where no store can be written.

    `force` allows to replace an existing store.

    Raises:
        OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
            holds other files than a store's.
    """
    directory = Path(path)
    if directory.exists() and not directory.is_dir():
        raise OutputExistsError(f"{directory}: is a file, expected a directory or nothing")
    if is_store(directory) and not force:
        raise OutputExistsError(
            f"{directory}: a tally store is there already; give another name or --force (force=True)"
        )
    for entry in directory.iterdir() if directory.exists() else ():
        if entry.name != MANIFEST and not entry.name.startswith(_OURS):
            raise OutputExistsError(
                f"{directory}: holds {entry.name}, expected a tally store or an empty directory"
            )


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Return the manifest of a store, and check that its files exist and have the right sizes.

    Raises:
        StoreError: the store does not exist or has another version, or a file is missing or has another size.
    """
    directory = Path(path)
    data = _read_json(directory)
    where = directory / MANIFEST
    if unknown := sorted(data.keys() - _ENTRIES):
        raise StoreError(f'{where}: is damaged: entry "{unknown[0]}" is unknown; {_REPAIR}')
    if data.get("digest") != _digest(data):
        raise StoreError(f"{where}: is damaged: its digest is not that of its entries; {_REPAIR}")
    try:
        manifest = Manifest.from_json(data)
        for part in (*manifest.parts, *manifest.game_parts):
            _check_size(directory / part["file"], part["bytes"])
        said, found = (data["rows"], data["games"]), (manifest.rows, manifest.games)
    except StoreError:
        raise  # of a file of the store, which it names
    except (KeyError, TypeError, ValueError, OptionError) as error:
        raise StoreError(f"{where}: entry missing or of the wrong kind: {error}; {_REPAIR}") from error
    if said != found:
        raise StoreError(
            f"{where}: parts hold {found[0]} rows and {found[1]} games, "
            f"the manifest says {said[0]} and {said[1]}; {_REPAIR}"
        )
    return manifest


def store_parts(path: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files with the rows of a store, in the order of their keys.

    A killed run can leave other parts beside them, which a pattern such as `part-*.parquet` finds too.

    Raises:
        StoreError: as `read_manifest`.

    Example:
        >>> store = bb.Tally.from_archives("games.pgn").save("games.store", force=True)
        >>> [part.suffix for part in bb.store_parts(store)]
        ['.parquet']
    """
    return [Path(path, part["file"]) for part in read_manifest(path).parts]


def _check_size(where: Path, size: int) -> None:
    try:
        found = where.stat().st_size
    except OSError as error:
        raise StoreError(f"{where}: is missing: {error.strerror or error}; {_REPAIR}") from error
    if found != size:
        raise StoreError(f"{where}: has {found} bytes, the manifest says {size}; {_REPAIR}")


def _require_letters(directory: Path) -> None:
    """Refuse a directory whose name is not UTF-8: Arrow cannot open it."""
    try:
        os.fspath(directory).encode()
    except UnicodeEncodeError as error:
        raise StoreError(f"{directory}: the name of a tally store must be UTF-8; give another") from error


def _read_json(directory: Path) -> dict[str, Any]:
    _require_letters(directory)
    where = directory / MANIFEST
    try:
        manifest = json.loads(where.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreError(
            describe_mistake(directory, "store")
            or f"{directory}: is not a tally store, "
            + (f"{MANIFEST} is missing" if directory.exists() else "there is no such directory")
        ) from error
    except OSError as error:
        raise StoreError(f"{where}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "its text"
        raise StoreError(f"{where}: is damaged: {place} is not valid JSON; {_REPAIR}") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != _KIND:
        raise StoreError(f'{where}: is of another kind, expected "kind": "{_KIND}"')
    if manifest.get("schema") != _VERSION:
        found = f"schema version {manifest.get('schema')}, expected {_VERSION}"
        raise StoreError(f"{where}: {found}; count the archives again")
    return manifest


def check_digest(where: Path, part: Line) -> None:
    """Refuse a part whose content has changed.

    Raises:
        StoreError: it is missing or damaged.
    """
    try:
        found = _core.file_digest(str(where))
    except OSError as error:
        raise StoreError(f"{where}: is missing: {error.strerror or error}; open the store again") from error
    if found != (part["bytes"], part["blake3"]):
        raise StoreError(f"{where}: is damaged: its digest is not that of the manifest; {_REPAIR}")


@contextmanager
def with_remedy() -> Iterator[None]:
    """Say in the error of a look-up in a damaged store what to do."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{error}; {_REPAIR}") from error


def write_json(where: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file whole or not at all."""
    # Names of files need not be UTF-8: other bytes become JSON escapes, and are read back unchanged.
    with draft_file(where) as draft, draft.open("w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def remove_leftovers(directory: Path) -> None:
    """Remove the files of a store that its manifest does not name: all if there is none.

    If the manifest is damaged, nothing is removed.
    """
    try:
        named = read_manifest(directory).files if is_store(directory) else set()
    except StoreError:
        return
    for leftover in directory.iterdir():
        if leftover.name not in named and leftover.name.startswith(_OURS):
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


@contextmanager
def fresh_work(directory: Path) -> Iterator[Path]:
    """Yield an empty work directory of a locked store; remove it and other leftovers at the end."""
    work = directory / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        remove_leftovers(directory)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Lock a directory, which is created if needed, for one writer while the block lasts.

    A killed process loses the lock. A new directory that stays empty is removed again.

    Raises:
        StoreError: another process writes to it, or its name is not UTF-8.
    """
    _require_letters(directory)
    is_new = not directory.exists()
    handle = _lock(directory)
    try:
        yield
    finally:
        # While the directory is locked: no other process can have begun to write here.
        if is_new and directory.exists() and not any(directory.iterdir()):
            directory.rmdir()
        os.close(handle)


def _lock(directory: Path) -> int:
    """Return a handle that locks the directory, which is created if needed."""
    # Another process may remove the empty directory at any moment.
    while True:
        create_directory(directory)
        try:
            handle = lock_directory(directory)
        except OSError as error:
            if not isinstance(error, BlockingIOError) and error.errno != errno.EACCES:
                raise
            raise StoreError(
                f"{directory}: another process is writing this store; wait until it has ended, then try again"
            ) from error
        if handle is not None:
            return handle
