"""Shared parts of the comparisons: a plain copy of an archive, measured processes, ratios over rounds.

A run has its CPU time, user + system, and its peak memory. Contenders take turns, because the speed of a
shared machine changes: a ratio is the median over the rounds.

    python benches/contenders.py ARCHIVE TARGET [GAMES]

writes the plain copy; `plain_copy` calls it.
"""

from __future__ import annotations

import itertools
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One run of one contender."""

    cpu_seconds: float
    peak_bytes: int
    games: int
    answer: Any


def plain_copy(archive: Path, directory: Path, games: int | None = None) -> Path:
    """Return the first games of an archive without compression, which python-chess does not read."""
    target = directory / "games.pgn"
    # In its own process, because the peak memory of a child is at least that of its parent.
    limit = [] if games is None else [str(games)]
    waited([sys.executable, __file__, str(archive), str(target), *limit])
    return target


def write_plain(archive: Path, target: Path, games: int | None) -> None:
    """Decompress an archive, or its first games."""
    import pyarrow as pa

    codec = {".zst": "zstd", ".gz": "gzip", ".bz2": "bz2"}.get(archive.suffix)
    with pa.input_stream(str(archive), compression=codec) as stream, target.open("wb") as out:
        out.writelines(itertools.islice(split_games(stream.read()), games))


def split_games(text: bytes) -> Iterator[bytes]:
    """The games of a PGN file in which each begins with its Event tag."""
    start = text.find(b"[Event ")
    while start >= 0:
        end = text.find(b"\n[Event ", start)
        yield text[start : end + 1 if end >= 0 else len(text)]
        start = end + 1 if end >= 0 else -1


def environment() -> dict[str, str]:
    """Return the environment that contenders run in.

    Compiled modules are kept, as an installation has them. numpy starts no threads for matrices, which would
    wait at full load for a while; the command line sees to that by itself.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OPENBLAS_NUM_THREADS": "1"}


def waited(command: list[str]) -> tuple[bytes, resource.struct_rusage]:
    """Return the output and the resource usage of a process."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment())
    assert process.stdout is not None
    with process.stdout:
        stdout = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
    return stdout, usage


def cpu(usage: resource.struct_rusage) -> float:
    """User and system seconds."""
    return usage.ru_utime + usage.ru_stime


def peak(usage: resource.struct_rusage) -> int:
    """Peak resident memory in bytes; ru_maxrss is in KiB on Linux."""
    return usage.ru_maxrss * 1024


def ratio(theirs: Sequence[float], ours: Sequence[float]) -> float:
    """Return theirs / ours, the median over the rounds; a single figure of theirs is used for each round."""
    pairs = zip(theirs if len(theirs) > 1 else itertools.repeat(theirs[0]), ours, strict=False)
    return statistics.median(their / our for their, our in pairs)


if __name__ == "__main__":
    write_plain(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)
