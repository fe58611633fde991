"""Temporary folders. Their owner removes them, or, if it was killed, the next process that makes one.

The owner locks its folder, and a killed process loses its locks. So a folder that can be locked has no owner.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from bookbuilder.system import lock_directory

_PREFIX: Final = ".tmp-bookbuilder-"
# Nobody else names a folder like that.
_OURS: Final = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")


class TemporaryFolder:
    """An empty folder, removed at the end of a `with` block, by `remove`, or with its last reference.

    Attributes:
        path: the folder.
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        """Create the folder, and remove the folders of killed processes next to it.

        By default it is in the system's folder for temporary files.

        Raises:
            OSError: it cannot be created.
        """
        place = Path(tempfile.gettempdir() if parent is None else parent)
        self.path, handle = _create(place)
        self._end = weakref.finalize(self, _remove, self.path, handle)
        _remove_abandoned(place, self.path.stat().st_uid)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with all that is in it; it may be gone."""
        self._end()


def _create(place: Path) -> tuple[Path, int | None]:
    """Return a new folder, and the handle that locks it; None where the file system has no locks.

    Until it is locked, another process may take it for one that was left, and remove it.
    """
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        try:
            handle = lock_directory(path)
        except BlockingIOError:
            continue
        except OSError:
            return path, None
        if handle is not None:
            return path, handle


def _remove(path: Path, handle: int | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if handle is not None:
        os.close(handle)


def _remove_abandoned(place: Path, owner: int) -> None:
    """Remove the folders of a user whose makers are gone. Errors are ignored: a leftover does no harm."""
    with suppress(OSError):
        for entry in [each for each in os.scandir(place) if _OURS.fullmatch(each.name)]:
            with suppress(OSError):
                # A link, and what belongs to another user, stays.
                facts = entry.stat(follow_symlinks=False)
                is_ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == owner
                if is_ours and (handle := lock_directory(Path(entry))) is not None:
                    _remove(Path(entry), handle)
