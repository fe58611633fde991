"""Atomic writes: a file or a directory appears whole or not at all.

The content is written under a draft name in the same directory, synced to the disk, then renamed. A draft is
called `.tmp-PROCESS-NAME`. A killed writer leaves its draft; the next writer of the same target removes it.

A power loss takes what is not synced: bytes of files, and names in directories. So directories are synced
too.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Final

from bookbuilder.errors import OutputExistsError
from bookbuilder.system import is_running, sync, sync_tree

# Process id and target; the native core uses the same names.
_DRAFT: Final = re.compile(r"\.tmp-(\d+)-(.+)", re.DOTALL)

_ERRNO: Final = re.compile(r"\[errno (\d+)\]")
_LONGEST_NAME: Final = 255
"""Bytes of a file's name that common file systems take."""
FULL: Final = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a disk or quota that is full."""
_NO_ROOM: Final = (*FULL, errno.EFBIG, errno.EIO)


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield the path of a draft. It becomes `path` when the block ends and is removed if the block fails.

    A symbolic link is followed: the draft becomes the file that it leads to.

    Raises:
        OutputExistsError: the path is a device, a pipe or a socket, which a file must not replace.
    """
    target = followed(path)
    require_regular(path)
    draft = _draft_of(target)
    try:
        yield draft
        publish(draft, target)
    except OSError as error:
        # Arrow writes its own sentence.
        if number := _ERRNO.search(str(error)):
            raise OSError(int(number[1]), os.strerror(int(number[1])), str(path)) from None
        # The system names no file when the disk is full, and users do not know the draft.
        if error.filename == str(draft) or (error.filename is None and error.errno in _NO_ROOM):
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def draft_directory(path: Path) -> Iterator[Path]:
    """Yield an empty directory. It becomes `path` when the block ends and is removed if the block fails."""
    draft = _draft_of(path)
    draft.mkdir()
    try:
        yield draft
        sync_tree(draft)
        publish(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def followed(path: Path) -> Path:
    """Return where a symbolic link leads; another path as it is."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def require_regular(path: Path) -> None:
    """Refuse an output that is a device, a pipe or a socket; a regular file, a folder and nothing are fine.

    Raises:
        OutputExistsError: it is one.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OutputExistsError(f"{path}: is not a regular file; expected the name of a file to write")


def publish(draft: Path, path: Path) -> None:
    """Sync a finished draft, rename it to `path`, and sync the directory."""
    require_regular(path)
    sync(draft)
    draft.replace(path)
    sync(path.absolute().parent)


def create_directory(path: Path) -> None:
    """Create a directory and its missing parents, durably; it may exist."""
    missing = [each for each in (path.absolute(), *path.absolute().parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync(each.parent)


def remove_file(path: Path) -> None:
    """Remove a file, durably; it may be missing."""
    with naming(path), suppress(FileNotFoundError):
        path.unlink()
        sync(path.absolute().parent)


def write_whole(file: FileIO, data: bytes | bytearray) -> None:
    """Write to a file that has no buffer. A buffer, when it is closed, writes again what failed."""
    rest = memoryview(data)
    with naming(file.name):
        while rest:
            rest = rest[file.write(rest) :]


def sync_file(file: FileIO) -> None:
    """Write what the system holds of a file to the disk."""
    with naming(file.name):
        os.fsync(file.fileno())


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Name a file in errors of the block. The system names none when a call has only its handle."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


class PacedSync:
    """Syncs a file that grows, at most once a second: a power loss then costs a second of work."""

    SECONDS: Final = 1.0

    def __init__(self, file: FileIO) -> None:
        """Take the file."""
        self._file = file
        self._next = time.monotonic() + self.SECONDS

    def wrote(self) -> bool:
        """Sync after a write, unless it is too early; return whether the file is synced."""
        is_due = time.monotonic() >= self._next
        if is_due:
            sync_file(self._file)
            self._next = time.monotonic() + self.SECONDS
        return is_due


def remove_drafts(folder: Path, name: str | None = None) -> None:
    """Remove the drafts of killed writers from a folder. Errors are ignored: a leftover does no harm.

    With a name, only the drafts of this target are removed.
    """
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            target, process = _target_of(entry.name)
            is_other = name is not None and target != _draft_name(process or 0, name).split("-", 2)[2]
            if process is None or is_other or is_running(process):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry, ignore_errors=True)
            else:
                Path(entry).unlink()


def _target_of(name: str) -> tuple[str, int | None]:
    """Return the target of a draft and the process that wrote it; None as the process of other files."""
    process = None
    while found := _DRAFT.fullmatch(name):  # the core writes a draft of a draft
        name, process = found[2], int(found[1])
    return name, process


def _draft_of(path: Path) -> Path:
    remove_drafts(path.absolute().parent, path.name)
    return path.absolute().with_name(_draft_name(os.getpid(), path.name))


def _draft_name(process: int, name: str) -> str:
    """Return the name of a draft, cut to the longest name that a file can have."""
    draft = f".tmp-{process}-{name}"
    long = os.fsencode(draft)
    return draft if len(long) <= _LONGEST_NAME else long[:_LONGEST_NAME].decode(errors="ignore")
