"""What operating systems do differently: locks, directories as files, processes, memory.

Linux and macOS have POSIX calls, and Windows has its own. Only this module and `core/src/disk.rs` know which.
What stands here for Windows follows the documentation of its calls; nobody has run it yet.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import resource

__all__ = [
    "is_running",
    "is_still",
    "limit_heaps",
    "lock",
    "memory_bytes",
    "open_directory",
    "peak_rss_bytes",
    "release_memory",
    "remove_locked",
    "sync",
    "sync_tree",
]

# From this number of files on, the whole file system is flushed. For 2,000 small files that took 0.02 s, and
# 0.5 to 7 s one by one.
_MANY: Final = 16
# Windows locks at places of 31 bits.
_FAR: Final = 2**31 - 2
# The number of glibc for the limit of heaps (mallopt(3)).
_ARENA_MAX: Final = -8


def lock(handle: int, *, wait: bool) -> None:
    """Lock an open file, or what `open_directory` opened, until its handle is closed.

    Args:
        handle: the handle.
        wait: whether to wait for another process that has the lock.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: the file system has no locks.
    """
    if sys.platform == "win32":
        # Nobody else may read a locked byte, so it is one far behind the content.
        place = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, "another process has the lock") from error
        finally:
            os.lseek(handle, place, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def open_directory(directory: Path) -> int:
    """Return a handle by which a directory can be locked.

    Raises:
        FileNotFoundError: the directory is missing.
    """
    if sys.platform == "win32":
        handle = os.open(_lock_of(directory), os.O_RDWR | os.O_CREAT)
    else:
        handle = os.open(directory, os.O_RDONLY)
    return handle


def is_still(handle: int, path: Path) -> bool:
    """Return whether a path still names what a handle has open, and not what took its place.

    Raises:
        FileNotFoundError: the path names nothing any more.
    """
    named = _lock_of(path) if sys.platform == "win32" and path.is_dir() else path
    return os.path.samestat(os.fstat(handle), named.stat())


def remove_locked(directory: Path, handle: int) -> None:
    """Remove a directory with all that is in it, as far as possible, and close the handle that locks it."""
    if sys.platform == "win32":
        os.close(handle)  # Windows removes no open file
        shutil.rmtree(directory, ignore_errors=True)
    else:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(handle)


def _lock_of(directory: Path) -> Path:
    """Return the file that is locked in place of a directory, which Windows does not open."""
    return directory / ".lock"


def sync(path: Path) -> None:
    """Flush a file, or the names in a directory, to the disk; Windows flushes names by itself."""
    how = os.O_RDONLY
    if sys.platform == "win32":
        if path.is_dir():
            return
        how = os.O_RDWR
    handle = os.open(path, how)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(directory: Path) -> None:
    """Flush all files below a directory, and their names, to the disk."""
    inside = [Path(parent, name) for parent, *names in os.walk(directory) for some in names for name in some]
    if len(inside) < _MANY or not _sync_file_system(directory):
        for path in (*inside, directory):
            sync(path)


def _sync_file_system(path: Path) -> bool:
    """Flush the file system of a path, and return whether that was possible; only Linux has such a call."""
    is_flushed = False
    if sys.platform == "linux":
        import ctypes

        handle = os.open(path, os.O_RDONLY)
        # Libraries without it lack the name.
        with suppress(AttributeError):
            is_flushed = ctypes.CDLL(None).syncfs(handle) == 0
        os.close(handle)
    return is_flushed


def is_running(process: int) -> bool:
    """Return whether a process with this number may be running."""
    if sys.platform == "win32":
        # A signal 0 would end the process there.
        synchronize = 0x0010_0000
        found = ctypes.windll.kernel32.OpenProcess(synchronize, False, process)
        if found:
            ctypes.windll.kernel32.CloseHandle(found)
        is_found = bool(found)
    else:
        try:
            os.kill(process, 0)
            is_found = True
        except PermissionError:
            is_found = True
        except (ProcessLookupError, OverflowError):
            is_found = False
    return is_found


def peak_rss_bytes() -> int:
    """Return the peak resident memory of this process; 0 where the system does not tell."""
    # On Linux ru_maxrss begins with what the process that started it had; VmHWM does not (getrusage(2)).
    own = re.search(r"^VmHWM:\s*(\d+) kB$", _status(), re.MULTILINE)
    if own is not None:
        return int(own[1]) << 10
    peak = 0
    if sys.platform != "win32":
        # ru_maxrss counts KiB on Linux and bytes on macOS.
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return peak


def limit_heaps() -> bool:
    """Let all threads of this process share two heaps, if its C library is glibc; Arrow uses them too.

    By default there are up to eight for each processor, and Arrow has one of its own for each thread. What is
    freed in one is not used by the others, so the memory of a server with many threads grows to a multiple of
    what it needs. Call it before pyarrow is imported. A user's own choice of Arrow's memory is kept.

    Returns:
        Whether the C library has taken the limit.
    """
    is_limited = _of_glibc("mallopt", _ARENA_MAX, 2)
    if is_limited:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return is_limited


def release_memory() -> bool:
    """Return freed memory to the system, if the C library is glibc.

    Returns:
        Whether there was any.
    """
    return _of_glibc("malloc_trim", 0)


def _of_glibc(name: str, *arguments: int) -> bool:
    """Call a function that only glibc has, and return whether it was there and succeeded."""
    if not sys.platform.startswith("linux"):
        return False
    found = getattr(ctypes.CDLL(None), name, None)
    return found is not None and bool(found(*arguments))


def _status() -> str:
    """Return what Linux says of this process; nothing on other systems, or if no file handle is left."""
    try:
        return Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def memory_bytes() -> int | None:
    """Return the memory of the machine; None where the system does not tell."""
    total = None
    if sys.platform != "win32":
        names = ("SC_PAGE_SIZE", "SC_PHYS_PAGES")
        if all(name in os.sysconf_names for name in names):
            total = os.sysconf(names[0]) * os.sysconf(names[1])
    return total
