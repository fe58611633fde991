"""Add archives to a store: count, report, merge, publish. Resume an interrupted run if there is one.

A run works in the directory `.tmp-work` of the store. `plan.json` says what it counts, in which order, and
onto what. `run-<number>.run` are the finished stretches of the plan, each published by rename; finished parts
follow. If all fits in memory, there is no run file. A run of the same plan resumes after the last of these
files. If only the end of the list of archives differs, the runs that end before the difference are used. With
any other plan nothing is used. The bytes of the store do not depend on it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, TypeAlias

from bookbuilder import _core
from bookbuilder.archives.sources import Source, files_again, new_sources
from bookbuilder.errors import ArchiveError, StoreError
from bookbuilder.system import memory_bytes, peak_rss_bytes, sync
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import Stopwatch, TallyReport, add_figures, first_rejects, report_of
from bookbuilder.tally.store.layout import (
    WORK,
    Manifest,
    is_store,
    locked,
    read_manifest,
    remove_leftovers,
    write_json,
)
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.store.reduce import Inputs, count_repeats, publish

OnRuns: TypeAlias = Callable[[Sequence[_core.Run]], None]
"""Called once with the runs before they are merged, for their rejects."""

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

    The options are those of the store, if there is one. `on_runs` is called with the runs before they are
    merged. `force` replaces a store that exists.

    Raises:
        StoreError: the store is damaged or was counted with other options, another process writes to it, the
            disk is full; or archives must be read again, since with `dedupe="prefix"` a game of the store
            begins a new one, and one of them is missing or has changed.
        ArchiveError: an archive cannot be read.
    """
    watch = Stopwatch()
    with locked(directory):
        base = None if force or not is_store(directory) else read_manifest(directory)
        if base is not None:
            base.options.require(options, directory)
        known = base.sources if base else ()
        fresh, sources, skipped = new_sources(files, known)
        report = TallyReport(rows=base.rows if base else 0)
        growth = _Growth(directory, options, limits or RunLimits(), on_runs)
        if sources:
            report = growth.run(base, fresh, sources)
        if report.superseded:
            all_files, all_sources, _ = new_sources(files_again(known, sources), ())
            report = replace(growth.run(None, all_files, all_sources), superseded=report.superseded)
        # What an interrupted run left is of no use any more, unless it is of another list of archives, and
        # the store has not changed since.
        if sources or _read_plan(directory / WORK).get("base") != (sorted(base.files) if base else []):
            remove_leftovers(directory)
    return watch.stamp(replace(report, skipped=skipped))


@dataclass(frozen=True, slots=True)
class _Growth:
    directory: Path
    options: TallyOptions
    limits: RunLimits
    on_runs: OnRuns | None

    def run(self, base: Manifest | None, files: Sequence[Path], sources: Sequence[Source]) -> TallyReport:
        """Count archives onto a store and return the report. Its `rows` are 0 if no store was written.

        The work stays if the run is interrupted or the disk is full. It is removed if an archive cannot be
        read. No store is written if no game was counted, or if games of the store begin new ones.
        """
        work = self.directory / WORK
        plan = {
            "options": self.options.to_json(),
            "keep_rejected": self.limits.keep_rejected,
            "max_inflate": self.limits.max_inflate,
            "base": sorted(base.files) if base else [],
            "sources": [[source.source, source.size, source.blake3] for source in sources],
        }
        finished = _finished_runs(work, plan)
        work.mkdir(exist_ok=True)
        write_json(work / _PLAN, plan)
        known_games = None
        if base is not None and self.options.dedupe != "off":
            known_games = OpenStore(self.directory, base).games
        try:
            runs = _core.count_archives(
                list(map(str, files)),
                self.options,
                self.limits,
                directory=str(work),
                runs=list(map(str, finished)),
                memory=_room(self.limits.memory),
                known=known_games,
            )
            figures = add_figures(runs)
            report = report_of(figures, sources)
        except ArchiveError:
            shutil.rmtree(work, ignore_errors=True)
            raise
        if figures["superseded"]:
            return TallyReport(superseded=figures["superseded"])
        report = replace(report, first_rejects=first_rejects(runs))
        if self.on_runs is not None:
            self.on_runs(runs)
        if base is None and not report.observations:
            return report
        before = base.sources if base else ()
        names = [source.source for source in sources]
        inputs = Inputs(
            runs=runs,
            stores=[(self.directory, base)] if base else (),
            names=[*names, *sorted({source.source for source in before} - set(names))],
        )
        # A source has the figures of the run that read it.
        counted = [*before, *report.sources]
        manifest = publish(self.directory, inputs, work, self.options, counted, self.limits)
        parts = [self.directory / part["file"] for part in manifest.game_parts]
        repeats = count_repeats(parts, manifest.games, self.limits.memory)
        return replace(report, rows=manifest.rows, repeats=repeats)


def _read_plan(work: Path) -> dict[str, Any]:
    """Return the plan of an earlier process; without one, an empty plan."""
    try:
        return dict(json.loads((work / _PLAN).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _finished_runs(work: Path, plan: dict[str, Any]) -> list[Path]:
    """Return the runs of an earlier process that are valid for this plan; remove other files."""
    before = _read_plan(work)
    shared = 0
    if all(before.get(name) == plan[name] for name in plan if name != "sources"):
        pairs = zip(before["sources"], plan["sources"], strict=False)
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    runs: list[Path] = []
    while (path := work / f"run-{len(runs):05}.run").exists():
        try:
            end = _core.Run(str(path)).end_source
        except StoreError:
            break
        if before != plan and end >= shared:
            break
        runs.append(path)
    if work.exists():
        for entry in work.iterdir():
            if entry not in runs and not (before == plan and entry.suffix in {".parquet", ".json"}):
                entry.unlink()
        # A power loss must not bring them back beside the new plan.
        sync(work)
    return runs


def _room(memory: int | None) -> int:
    """Return the bytes that observations may take of the memory that a process may have.

    That is half of the machine's by default, at most 2 GiB. A quarter is left for the allocator and for
    tables of threads that are combined. With an eighth, 15 million observations within 512 MiB were measured
    to need 552.
    """
    memory = min(_DEFAULT_MEMORY, memory_bytes() // 2) if memory is None else memory
    return max((memory - peak_rss_bytes() - _BUFFERS) * 3 // 4, _LEAST_ROOM)
