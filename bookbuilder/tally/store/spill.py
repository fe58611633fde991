"""Archives in, run files of a bounded size out; and what run files say of their sources, as a report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from bookbuilder.archives.sources import Source
from bookbuilder.errors import ArchiveError, StoreError
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import TallyReport, peak_rss_bytes, report_of
from bookbuilder.tally.run import Progress

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Stretch",
    "ToldRun",
    "rejects_of",
    "report_of_runs",
    "require_unchanged",
    "spill",
    "take_figures",
    "take_runs",
]

_DEFAULT_MEMORY: Final = 1 << 31
"""Bytes that a run has if nothing is said: more makes it no faster, and an interrupted run loses more."""
_BUFFERS: Final = 96 << 20
"""Bytes for blocks of archives on their way, merging and writing; measured on runs of two threads."""
_LEAST_ROOM: Final = 16 << 20
"""Bytes that observations get in any case."""


Span = tuple[int, int, tuple[int, int] | None, int | None]
"""What of a text is read: offset and line of its start, place of a frame and the text before it, its end."""
Stretch = tuple[tuple[int, int], Span | None, tuple[int, int]]
"""What of a plan is read, as `_core.spill_archives` takes it."""


class ToldRun(Protocol):
    """What a run file says beside its rows and games."""

    def figures(self) -> Iterable[bytes]:
        """Return objects of JSON: observations, superseded, and the figures of sources by index."""

    def rejects(self) -> Iterable[bytes]:
        """Return lines of JSON with the columns of REJECTS, in pieces of whole lines."""

    def rejected_text(self) -> Iterable[bytes]:
        """Return rejected games as they stand."""


def spill(
    files: Sequence[Path],
    options: TallyOptions,
    *,
    directory: Path,
    runs: Sequence[Path] = (),
    memory: int | None = None,
    known_games: pa.Table | None = None,
    keep_rejected: bool = False,
    max_inflate: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    names: Sequence[str] | None = None,
    stretch: Stretch | None = None,
    held: int | None = None,
) -> list[Path]:
    """Return the run files that the core makes of archives, each as large as memory allows.

    Args:
        files: archive files; their order is the plan that runs are stretches of.
        options: what is counted.
        directory: where run files are written, `run-<number>.run`.
        runs: those of the same plan that are done.
        memory: bytes that the process may have; None = half of the machine's, 2 GiB at most.
        known_games: schema GAMES; games that the archives' games may be copies of.
        keep_rejected: whether to keep the rejected games as they stand.
        max_inflate: as in `run_archives`.
        jobs: threads; None = one for each processor.
        progress: called some times a second.
        names: what the archives are called, if not as their paths say.
        stretch: what of the plan is read; None = all.
        held: bytes of `memory` that the process has taken; None = the most it ever had.

    Raises:
        ArchiveError: a file cannot be read or is of no known format.
        StoreError: a run cannot be read or written.
    """
    from bookbuilder import _core

    made = _core.spill_archives(
        [str(file) for file in files],
        options.game,
        {
            "max_ply": options.max_ply,
            "full_check": options.check == "full",
            "on_error": options.on_error,
            "variations": options.variations,
            "custom_starts": options.custom_starts,
            "fold": options.fold,
            "filters": asdict(options.filters),
            "facets": list(options.facets),
            "dedupe": options.dedupe,
            "limit": options.limit,
        },
        directory=str(directory),
        runs=[str(run) for run in runs],
        memory=_room(memory, peak_rss_bytes() if held is None else held),
        known=known_games if options.dedupe != "off" else None,
        keep_rejected=keep_rejected,
        jobs=jobs or os.cpu_count() or 1,
        max_inflate=max_inflate,
        progress=progress,
        names=names,
        stretch=stretch,
    )
    return [Path(run) for run in made]


def _room(memory: int | None, held: int) -> int:
    """Return the bytes that observations may take of the memory that a process may have.

    A quarter is left for what the allocator keeps and for tables of threads that are put together: with an
    eighth, 15 million observations within 512 MiB were measured to need 552.
    """
    if memory is None:
        memory = min(_DEFAULT_MEMORY, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    return max((memory - held - _BUFFERS) * 3 // 4, _LEAST_ROOM)


def require_unchanged(source: Source, why: str) -> Path:
    """Return the path of a source that is where and what it was.

    Args:
        source: as a tally knows it.
        why: what it is needed for, as the message says it behind the name.

    Raises:
        StoreError: it is missing or has changed.
    """
    path = Path(source.source)
    try:
        found = Source.of_file(path)
    except ArchiveError as error:
        raise StoreError(f"{path}: {why}, but: {error}") from error
    if (found.size, found.blake3) != (source.size, source.blake3):
        raise StoreError(f"{path}: {why}, but it has changed")
    return path


_OF_A_SOURCE: Final[dict[str, int | dict[str, int]]] = {
    "games_read": 0,
    "games_used": 0,
    "duplicates": 0,
    "other_tags": 0,
    "variations": 0,
    "variations_cut": 0,
    "filtered": {},
    "variants": {},
    "rejects": {},
}
"""What runs count of each source; a source that a run did not come to has nothing."""


def report_of_runs(figures: Mapping[str, Any], sources: Sequence[Source]) -> TallyReport:
    """Return the figures of run files as a report.

    Args:
        figures: observations and superseded of all runs, and what they count of each source, by its index.
        sources: the sources of the plan, in order.
    """
    each = [
        {**_OF_A_SOURCE, "skipped": [], "path": source.source, **figures["sources"].get(index, {})}
        for index, source in enumerate(sources)
    ]
    totals: dict[str, Any] = {
        name: _total([entry[name] for entry in each], none) for name, none in _OF_A_SOURCE.items()
    }
    plain = {name: figures[name] for name in ("observations", "superseded")}
    return report_of({**plain, **totals, "sources": each}, sources)


def _total(values: Sequence[Any], none: int | dict[str, int]) -> Any:  # noqa: ANN401 (a number, or one for each reason)
    if not isinstance(none, dict):
        return sum(values)
    total: dict[str, int] = {}
    for reason, count in (pair for value in values for pair in value.items()):
        total[reason] = total.get(reason, 0) + count
    return total


def take_runs(runs: Sequence[ToldRun], *, as_text: bool) -> Iterator[bytes]:
    """Yield the rejects of run files piece by piece: lines of JSON, or the games as they stand."""
    for run in runs:
        yield from run.rejected_text() if as_text else run.rejects()


def rejects_of(runs: Sequence[ToldRun]) -> pa.Table:
    """Return the rejects of run files, schema REJECTS."""
    import pyarrow as pa

    from bookbuilder.schema import REJECTS

    lines = b"".join(take_runs(runs, as_text=False)).splitlines()
    return pa.Table.from_pylist([json.loads(line) for line in lines], schema=REJECTS)


def take_figures(runs: Sequence[ToldRun]) -> dict[str, Any]:
    """Return the figures of runs, added up: those of each source by its index, and of all."""
    total: dict[str, Any] = {"observations": 0, "superseded": 0, "sources": {}}
    for text in (text for run in runs for text in run.figures()):
        figures = json.loads(text)
        for name in ("observations", "superseded"):
            total[name] += figures[name]
        for source in figures["sources"]:
            held = total["sources"].setdefault(source["index"], source)
            if held is not source:
                _add_source(held, source)
    return total


def _add_source(held: dict[str, Any], more: dict[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, dict):
            for reason, count in value.items():
                held[name][reason] = held[name].get(reason, 0) + count
        elif isinstance(value, list):
            # A member that a stretch ends in is told by both; it is one.
            held[name] += value[1:] if held[name][-1:] == value[:1] else value
        elif name != "index":
            held[name] += value
