"""Files and directories that a command writes: refused where they exist, and whole or not at all.

`--force` replaces a file. A directory that holds anything is refused in any case: nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bookbuilder.disk import draft_file
from bookbuilder.errors import ArchiveError, OutputExistsError

__all__ = ["require_empty", "require_free", "whole_file"]


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
    with draft_file(path) as draft, draft.open("wb") as stream:
        yield stream


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
