"""Atomic writes: a file or a directory appears whole or not at all.

The content is written under a draft name in the same directory, synced to the disk, then renamed. A draft is
called `.tmp-PROCESS-NAME`. A killed writer leaves its draft; the next writer of the same target removes it.
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

from bookbuilder.system import is_running, sync

__all__ = ["draft_directory", "draft_file", "publish", "remove_drafts"]

# Process id and target; the native core uses the same names.
_DRAFT: Final = re.compile(r"\.tmp-(\d+)-(.+)", re.DOTALL)

_NO_ROOM: Final = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)


@contextmanager
def draft_file(path: Path) -> Iterator[Path]:
    """Yield the path of a draft. It becomes `path` when the block ends and is removed if the block fails."""
    draft = _draft_of(path)
    try:
        yield draft
        publish(draft, path)
    except OSError as error:
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
        for entry in draft.iterdir():
            sync(entry)
        publish(draft, path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def publish(draft: Path, path: Path) -> None:
    """Sync a finished draft, rename it to `path`, and sync the directory."""
    sync(draft)
    draft.replace(path)
    sync(path.absolute().parent)


def remove_drafts(folder: Path, name: str | None = None) -> None:
    """Remove the drafts of killed writers from a folder. Errors are ignored: a leftover does no harm.

    Args:
        folder: the folder.
        name: remove only drafts of this target; None = all.
    """
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            target, process = _target_of(entry.name)
            if process is None or name not in (None, target) or is_running(process):
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
    return path.absolute().with_name(f".tmp-{os.getpid()}-{path.name}")
