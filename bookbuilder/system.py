"""Calls of the operating system: locks, directories as files, processes, memory; for Linux and macOS."""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import resource
import sys
from pathlib import Path
from typing import Final

# The numbers of glibc for its limits (mallopt(3)): free memory that a heap keeps, blocks in it, and heaps.
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8
_LARGEST_BLOCK: Final = 32 << 20


def lock(handle: int, *, wait: bool) -> None:
    """Lock an open file or directory until its handle is closed.

    With `wait`, it waits for another process that has the lock.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: the file system has no locks.
    """
    fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def lock_directory(directory: Path) -> int | None:
    """Return a handle that locks a directory; None if the directory was removed meanwhile.

    A handle on a removed directory locks nothing.

    Raises:
        BlockingIOError: another process has the lock.
        OSError: the directory cannot be opened, or the file system has no locks.
    """
    try:
        handle = os.open(directory, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        lock(handle, wait=False)
        if is_still(handle, directory):
            return handle
    except FileNotFoundError:
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None


def is_still(handle: int, path: Path) -> bool:
    """Return whether a path still names what a handle has open, and not what took its place.

    Raises:
        FileNotFoundError: the path names nothing any more.
    """
    return os.path.samestat(os.fstat(handle), path.stat())


def sync(path: Path) -> None:
    """Flush a file, or the names in a directory, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(directory: Path) -> None:
    """Flush all files below a directory, and their names, to the disk."""
    for parent, *names in os.walk(directory):
        for name in (name for some in names for name in some):
            sync(Path(parent, name))
    sync(directory)


def is_running(process: int) -> bool:
    """Return whether a process with this number may be running."""
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def peak_rss_bytes() -> int:
    """Return the peak resident memory of this process."""
    # On Linux ru_maxrss begins with what the process that started it had; VmHWM does not (getrusage(2)).
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        status = ""
    if own := re.search(r"^VmHWM:\s*(\d+) kB$", status, re.MULTILINE):
        return int(own[1]) << 10
    # ru_maxrss counts KiB on Linux and bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def memory_bytes() -> int:
    """Return the memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def limit_heaps() -> bool:
    """Let all threads of this process and Arrow share two heaps, and return whether the C library is glibc.

    By default there are up to eight for each processor, and Arrow has one of its own for each thread. No heap
    uses what is freed in another. So the memory of a server with many threads grows to a multiple of what it
    needs. Call it before pyarrow is imported. A user's own choice of Arrow's memory is kept.
    """
    is_limited = _of_glibc("mallopt", _ARENA_MAX, 2)
    if is_limited:
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    return is_limited


def use_one_heap() -> None:
    """Let this process take its memory from one heap that keeps what is freed, if its C library is glibc.

    That is for a program that does one job and ends: its selection uses what the thread of its count freed.
    Threads do not wait for the heap, since a count asks it once in sixteen games. By default large blocks
    return to the system, which clears each page that it hands out again.
    """
    for name, number in (
        (_ARENA_MAX, 1),
        (_MMAP_THRESHOLD, _LARGEST_BLOCK),
        (_TRIM_THRESHOLD, 2**31 - 1),
    ):
        _of_glibc("mallopt", name, number)


def release_memory() -> bool:
    """Return freed memory to the system, if the C library is glibc, and return whether there was any."""
    return _of_glibc("malloc_trim", 0)


def _of_glibc(name: str, *arguments: int) -> bool:
    """Call a function that only glibc has, and return whether it was there and succeeded."""
    found = getattr(ctypes.CDLL(None), name, None)
    return found is not None and bool(found(*arguments))
