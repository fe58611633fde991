"""Files and directories that appear whole or not at all: a name in, the name of a draft of it out.

A draft stands beside its target under a hidden name that has the number of the process that writes it; when
it is whole and on the disk, it is renamed. A writer that is killed leaves its draft, which goes with the next
one that writes the same target.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

__all__ = ["draft_directory", "draft_file", "remove_drafts"]

# Ours, and those of the native core: the number of the process and the name of the target, or the reverse.
_DRAFT: Final = re.compile(r"\.tmp-(\d+)-(.+)|\.(.+)\.(\d+)-\d+\.partial", re.DOTALL)

_NO_ROOM: Final = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield the name of a file that becomes `path` when the block ends, and never if it fails."""
    draft = _draft_of(path)
    try:
        yield draft
        _sync(draft)
        draft.replace(path)
        _sync(path.absolute().parent)
    except OSError as error:
        # A disk that is full tells no name, and that of a draft tells the user nothing.
        if error.filename == str(draft) or (error.filename is None and error.errno in _NO_ROOM):
            error.filename = str(path)
        raise
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def draft_directory(path: Path) -> Iterator[Path]:
    """Yield an empty directory that gets its name when the block ends, and is removed if it fails."""
    draft = _draft_of(path)
    draft.mkdir()
    try:
        yield draft
        for entry in (*draft.iterdir(), draft):
            _sync(entry)
        draft.replace(path)
        _sync(path.absolute().parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def remove_drafts(folder: Path, name: str | None = None) -> None:
    """Remove what killed writers left in a folder: the drafts of one name, or all.

    What cannot be removed stays: it is only untidy.
    """
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            target, process = _target_of(entry.name)
            if process is None or name not in (None, target) or _runs(process):
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry, ignore_errors=True)
            else:
                Path(entry).unlink()


def _target_of(name: str) -> tuple[str, int | None]:
    """What a file is the draft of, and the number of the process that wrote it; None if it is none."""
    process = None
    # The core makes a draft of a draft.
    while found := _DRAFT.fullmatch(name):
        name, process = found[2] or found[3], int(found[1] or found[4])
    return name, process


def _draft_of(path: Path) -> Path:
    remove_drafts(path.absolute().parent, path.name)
    return path.absolute().with_name(f".tmp-{os.getpid()}-{path.name}")


def _runs(process: int) -> bool:
    """Whether a process of that number may be at work."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _sync(path: Path) -> None:
    """Have the system write a file, or the names in a directory, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
