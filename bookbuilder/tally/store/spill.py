"""Count archives into run files of a bounded size, or into a run in memory if all fits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from bookbuilder import _core
from bookbuilder.system import memory_bytes, peak_rss_bytes
from bookbuilder.tally.options import RunLimits, TallyOptions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Run", "Stretch", "spill"]

_DEFAULT_MEMORY: Final = 1 << 31
"""Default bytes of a run: more makes it no faster, and an interrupted run loses more."""
_BUFFERS: Final = 96 << 20
"""Bytes for blocks of archives, merging and writing; measured on runs of two threads."""
_LEAST_ROOM: Final = 6 << 20
"""Minimum bytes for observations."""


Span: TypeAlias = tuple[int, int, tuple[int, int] | None, int | None]
"""A piece of a text: offset and line of its start, place of a frame and the text before it, its end."""
Stretch: TypeAlias = tuple[tuple[int, int], Span | None, tuple[int, int]]
"""A piece of a plan, as `_core.spill_archives` takes it."""


Run: TypeAlias = "Path | _core.HeldRun"
"""A run: a file, or the only run of its plan, in memory."""


def spill(
    files: Sequence[Path],
    options: TallyOptions,
    limits: RunLimits,
    *,
    directory: Path,
    runs: Sequence[Path] = (),
    hold: bool = False,
    known_games: pa.Table | None = None,
    names: Sequence[str] | None = None,
    stretch: Stretch | None = None,
    used: int | None = None,
) -> list[Run]:
    """Count archives into runs, each as large as memory allows.

    Args:
        files: archive files, in the order of the plan.
        options: what is counted.
        limits: memory, threads and the like.
        directory: where run files `run-<number>.run` are written.
        runs: finished run files of the same plan.
        hold: whether a run that has all games may stay in memory; else it is a file.
        known_games: schema GAMES; games that the archives' games may be copies of.
        names: of the archives; None = their paths.
        stretch: the piece of the plan to read; None = all.
        used: bytes of memory that the process uses already; None = its peak.

    Raises:
        StoreError: a run cannot be read or written.
    """
    made, held = _core.spill_archives(
        list(map(str, files)),
        options,
        limits,
        directory=str(directory),
        runs=list(map(str, runs)),
        memory=_room(limits.memory, used),
        hold=hold,
        known=known_games if options.dedupe != "off" else None,
        names=names,
        stretch=stretch,
    )
    return [*map(Path, made), *([] if held is None else [held])]


def default_memory() -> int:
    """Return the bytes that a process may have in memory by default: half of the machine's, at most 2 GiB."""
    machine = memory_bytes()
    return _DEFAULT_MEMORY if machine is None else min(_DEFAULT_MEMORY, machine // 2)


def _room(memory: int | None, used: int | None) -> int:
    """Return the bytes that observations may take of the memory that a process may have.

    A quarter is left for the allocator and for tables of threads that are combined. With an eighth, 15
    million observations within 512 MiB were measured to need 552.
    """
    memory = default_memory() if memory is None else memory
    used = peak_rss_bytes() if used is None else used
    return max((memory - used - _BUFFERS) * 3 // 4, _LEAST_ROOM)
