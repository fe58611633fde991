"""Outputs of commands: refuse existing ones before any work is done, and write files atomically.

`--force` replaces a file. A directory that is not empty is always refused: nothing is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bookbuilder.disk import draft_file
from bookbuilder.errors import ArchiveError, OutputExistsError

__all__ = ["require_empty", "require_free", "require_parent", "whole_file"]


def require_free(path: Path | None, *, force: bool) -> None:
    """Refuse to write a file that exists.

    Raises:
        OutputExistsError: it exists and `force` is not given, or it is a directory.
        ArchiveError: its directory does not exist.
    """
    if path is None:
        return
    if path.is_dir():
        raise OutputExistsError(f"{path}: is a directory, expected the name of a file to write")
    if path.exists() and not force:
        raise OutputExistsError(f"{path}: exists already; give another name or --force")
    require_parent(path)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a binary stream. Its content becomes the file when the block ends, unless the block fails."""
    with draft_file(path) as draft, draft.open("wb") as stream:
        yield stream


def require_empty(directory: Path) -> None:
    """Refuse to write a directory that exists and is not empty.

    Raises:
        OutputExistsError: it is not empty, or it is a file.
        ArchiveError: its parent directory does not exist.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise OutputExistsError(f"{directory}: exists already and is not empty; give another name")
    require_parent(directory)


def require_parent(path: Path) -> None:
    """Refuse to write where no directory is.

    Raises:
        ArchiveError: the directory of the output does not exist.
    """
    if not path.absolute().parent.is_dir():
        raise ArchiveError(f"{path}: directory {path.parent} does not exist")
