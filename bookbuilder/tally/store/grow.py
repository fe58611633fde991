"""Add archives to a store in this process, and resume an interrupted run if there is one.

A run works in the directory `.tmp-work` of the store. `plan.json` says what it counts, in which order, and
onto what. `run-<number>.run` are the finished stretches of the plan, each published by rename; finished parts
follow. If all fits in memory, there is no run file. A run of the same plan resumes after the last of these
files. If only the end of the list of archives differs, the runs that end before the difference are used. With
any other plan nothing is used. The bytes of the store do not depend on it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bookbuilder import _core
from bookbuilder.archives.sources import Source, files_again, new_sources
from bookbuilder.errors import ArchiveError, StoreError
from bookbuilder.system import memory_bytes, peak_rss_bytes, sync
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import Figures, Stopwatch, TallyReport
from bookbuilder.tally.store.layout import WORK, Manifest, base_manifest, locked, remove_leftovers, write_json
from bookbuilder.tally.store.pipeline import OnRuns, run_steps
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.store.reduce import Inputs, LocalReducer, Reducer, merge_groups

if TYPE_CHECKING:
    import pyarrow as pa

Span: TypeAlias = tuple[int, int, tuple[int, int] | None, int | None]
"""A piece of a text: offset and line of its start, place of a frame and the text before it, its end."""
Stretch: TypeAlias = tuple[tuple[int, int], Span | None, tuple[int, int]]
"""A piece of a plan, as `_core.count_archives` takes it."""

_DEFAULT_MEMORY: Final = 1 << 31
"""Default bytes of a run: more makes it no faster, and an interrupted run loses more."""
_BUFFERS: Final = 96 << 20
"""Bytes for blocks of archives, merging and writing; measured on runs of two threads."""
_LEAST_ROOM: Final = 6 << 20
"""Minimum bytes for observations."""
_PLAN: Final = "plan.json"


def grow(
    directory: Path,
    files: Sequence[Path],
    options: TallyOptions,
    limits: RunLimits | None = None,
    *,
    on_runs: OnRuns | None = None,
    force: bool = False,
) -> TallyReport:
    """Count archives into a store, which is created or grown, and return the report.

    Archives whose content the store already has are skipped; `report.skipped` names them. An interrupted run
    is resumed by the next run with the same plan. If no game was counted, no store is created.

    Args:
        directory: the store.
        files: archive files, as `find_archives` returns them.
        options: what is counted; the options of the store, if there is one.
        limits: memory, threads and the like.
        on_runs: called with the run files before they are merged.
        force: replace a store that exists.

    Raises:
        StoreError: the store is damaged or was counted with other options, another process writes to it, the
            disk is full; or archives must be read again, since with `dedupe="prefix"` a game of the store
            begins a new one, and one of them is missing or has changed.
        ArchiveError: an archive cannot be read.
    """
    watch = Stopwatch()
    with locked(directory):
        base = base_manifest(directory, options, force=force)
        fresh, sources, skipped = new_sources(files, base.sources if base else ())
        report = TallyReport(rows=base.rows if base else 0)
        if sources:
            growth = _Growth(directory, options, limits or RunLimits(), on_runs)
            report = growth.run(base, fresh, sources)
        else:
            remove_leftovers(directory, keep_work=_is_begun(directory / WORK, base))
    return watch.stamp(replace(report, skipped=skipped))


@dataclass(frozen=True, slots=True)
class _Growth:
    directory: Path
    options: TallyOptions
    limits: RunLimits
    on_runs: OnRuns | None

    def run(self, base: Manifest | None, files: Sequence[Path], sources: Sequence[Source]) -> TallyReport:
        """Count archives onto a store. If games of the store begin new ones, count all archives again."""
        with self._work_on(base, sources) as (work, runs):
            steps = _Steps(self, base, files, [source.source for source in sources], work, runs)
            report = run_steps(steps, self.options, sources, base, self.on_runs)
        if not report.superseded:
            return report
        again = files_again(base.sources if base else (), sources)
        all_files, all_sources, _ = new_sources(again, ())
        return replace(self.run(None, all_files, all_sources), superseded=report.superseded)

    @contextmanager
    def _work_on(self, base: Manifest | None, sources: Sequence[Source]) -> Iterator[tuple[Path, list[Path]]]:
        """Yield the work directory of a plan and its finished runs.

        They stay if the run is interrupted or the disk is full. They are removed if an archive cannot be
        read.
        """
        work = self.directory / WORK
        plan = {
            "options": self.options.to_json(),
            "keep_rejected": self.limits.keep_rejected,
            "max_inflate": self.limits.max_inflate,
            "base": sorted(base.files) if base else [],
            "sources": [[source.source, source.size, source.blake3] for source in sources],
        }
        runs = _done_before(work, plan)
        work.mkdir(exist_ok=True)
        write_json(work / _PLAN, plan)
        try:
            yield work, runs
        except ArchiveError:
            shutil.rmtree(work, ignore_errors=True)
            raise
        shutil.rmtree(work, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of a run, done in this process."""

    growth: _Growth
    base: Manifest | None
    files: Sequence[Path]
    names: Sequence[str]
    work: Path
    runs: Sequence[Path]

    def count(self) -> list[_core.Run]:
        """Count the archives that finished runs do not cover."""
        growth, known_games = self.growth, None
        if self.base is not None and growth.options.dedupe != "off":
            known_games = OpenStore(growth.directory, self.base).games
        return spill(
            self.files,
            growth.options,
            growth.limits,
            directory=self.work,
            runs=self.runs,
            hold=True,
            known_games=known_games,
        )

    @contextmanager
    def opened(self, runs: Sequence[_core.Run]) -> Iterator[Sequence[Figures]]:
        """Yield the runs."""
        yield runs

    def merge(self, groups: Sequence[tuple[Sequence[_core.Run], str]]) -> list[_core.Run]:
        """Merge groups of runs one after the other."""
        return merge_groups(groups, self.names, self.work)

    def reducer(self, runs: Sequence[_core.Run]) -> Reducer:
        """Return the reducer of this process."""
        directory, base = self.growth.directory, self.base
        inputs = Inputs(
            runs=runs,
            names=self.names,
            parts=[(directory, part) for part in base.parts] if base else (),
            game_parts=[(directory, part) for part in base.game_parts] if base else (),
            bits=base.bits if base else None,
            others=[source.source for source in base.sources] if base else (),
        )
        has_cells = bool(self.growth.options.facets)
        return LocalReducer(directory, inputs, self.work, has_cells=has_cells, limits=self.growth.limits)


def _done_before(work: Path, plan: dict[str, Any]) -> list[Path]:
    """Return the runs of an earlier process that are valid for this plan; remove other files."""
    try:
        before = json.loads((work / _PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    shared = _shared(before, plan)
    is_same = before == plan
    runs: list[Path] = []
    for number in range(len(list(work.glob("run-*.run")))):
        path = work / f"run-{number:05}.run"
        try:
            end = _core.Run(str(path)).end_source
        except StoreError:
            break
        if not is_same and end >= shared:
            break
        runs.append(path)
    if work.exists():
        for entry in work.iterdir():
            if entry not in runs and not (is_same and entry.suffix in {".parquet", ".json"}):
                entry.unlink()
        # A power loss must not bring them back beside the new plan.
        sync(work)
    return runs


def _is_begun(work: Path, base: Manifest | None) -> bool:
    """Return whether an interrupted run can be resumed: not if the store has changed since."""
    try:
        plan = json.loads((work / _PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(plan.get("base") == (sorted(base.files) if base else []))


def _shared(before: dict[str, Any], plan: dict[str, Any]) -> int:
    """Return the number of archives that both plans begin with and treat alike."""
    if any(before.get(name) != plan[name] for name in plan if name != "sources"):
        return 0
    count = 0
    for one, two in zip(before["sources"], plan["sources"], strict=False):
        if one != two:
            break
        count += 1
    return count


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
) -> list[_core.Run]:
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
    return _core.count_archives(
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


def default_memory() -> int:
    """Return the bytes that a process may have in memory by default: half of the machine's, at most 2 GiB."""
    return min(_DEFAULT_MEMORY, memory_bytes() // 2)


def _room(memory: int | None, used: int | None) -> int:
    """Return the bytes that observations may take of the memory that a process may have.

    A quarter is left for the allocator and for tables of threads that are combined. With an eighth, 15
    million observations within 512 MiB were measured to need 552.
    """
    memory = default_memory() if memory is None else memory
    used = peak_rss_bytes() if used is None else used
    return max((memory - used - _BUFFERS) * 3 // 4, _LEAST_ROOM)
