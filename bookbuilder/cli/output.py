"""Files and directories that a command writes: refused where they exist, and whole or not at all.

`--force` replaces a file. A directory that holds anything is refused in any case: nothing is deleted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bookbuilder.errors import ArchiveError, OutputExistsError

__all__ = ["require_empty", "require_free", "whole_directory", "whole_file"]


def require_free(path: Path | None, *, force: bool) -> None:
    """Refuse an output that exists, before any work is done for it.

    Raises:
        OutputExistsError: it exists and `force` is not given, or it is a directory.
        ArchiveError: the directory it is to be written to does not exist.
    """
    if path is None:
        return
    if path.is_dir():
        raise OutputExistsError(f"{path}: is a directory, expected the name of a file to write")
    if path.exists() and not force:
        raise OutputExistsError(f"{path}: exists already; give another name or --force")
    if not path.absolute().parent.is_dir():
        raise ArchiveError(f"{path}: there is no directory {path.parent} to write it to")


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary stream whose content becomes the file when the block ends, and never if it fails."""
    temporary = path.with_name(f".tmp-{os.getpid()}-{path.name}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def require_empty(directory: Path) -> None:
    """Refuse a directory to be written that exists and is not empty.

    Raises:
        OutputExistsError: it is not empty, or it is a file.
        ArchiveError: the directory it is to be written to does not exist.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise OutputExistsError(f"{directory}: exists already and is not empty; give another name")
    if not directory.absolute().parent.is_dir():
        raise ArchiveError(f"{directory}: there is no directory {directory.parent} to make it in")


@contextmanager
def whole_directory(path: Path) -> Iterator[Path]:
    """Yield an empty directory that gets its name when the block ends, and is removed if it fails."""
    temporary = path.absolute().with_name(f".tmp-{os.getpid()}-{path.name}")
    temporary.mkdir()
    try:
        yield temporary
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
