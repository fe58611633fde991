"""A whole run on a cluster. The store is, byte for byte, the one that a single process writes.

Tasks look at the archives and do the steps of `store.pipeline`. An interrupted run with the same plan is
resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from bookbuilder import _core
from bookbuilder.archives.sources import Source
from bookbuilder.errors import ArchiveError, OptionError, OutputExistsError
from bookbuilder.system import sync
from bookbuilder.tally.cluster import tasks
from bookbuilder.tally.cluster.client import Cluster, cluster_at
from bookbuilder.tally.cluster.plan import Looked, Plan, distinct, shards_of
from bookbuilder.tally.cluster.storage import Archive, Folder, scratch
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import Figures, Stopwatch, TallyReport, add_figures, report_of
from bookbuilder.tally.store.layout import (
    MANIFEST,
    WORK,
    Line,
    Manifest,
    base_manifest,
    json_text,
    locked,
    remove_leftovers,
)
from bookbuilder.tally.store.pipeline import OnRuns, run_steps
from bookbuilder.tally.store.reduce import Reducer, letters, sample_range

TASK_BYTES: Final = 64 << 20
"""Bytes of archives that a task counts, about: one or two minutes of a processor for compressed PGN."""
_TASK_MEMORY: Final = 1 << 30
"""Default bytes of memory of a task."""
_LOOKS: Final = 1000
"""Maximum number of tasks that look at archives, about."""
_MOST_REDUCES: Final = 1 << 10
"""Maximum number of tasks that write parts, a power of two: each reads the footers of all runs."""
_PROGRESS: Final = ("bytes", "games", "rejects")


def require_cluster_options(options: TallyOptions) -> None:
    """Refuse options whose effect on a game depends on the games of other tasks.

    Raises:
        OptionError: copies are skipped, or the number of games is limited.
    """
    if options.dedupe != "off":
        raise OptionError(
            f'dedupe "{options.dedupe}" needs all games in one place: count without --cluster, or without '
            "--dedupe; a content that comes twice is read once in any case"
        )
    if options.limit is not None:
        raise OptionError(
            "a limit counts games in their order: count without --cluster, or without --max-games"
        )


def grow_on_cluster(
    store: str,
    archives: Sequence[Archive],
    options: TallyOptions,
    limits: RunLimits | None = None,
    *,
    address: str,
    on_runs: OnRuns | None = None,
    force: bool = False,
    task_bytes: int = TASK_BYTES,
) -> TallyReport:
    """Do what `grow` does by the tasks of a cluster, and return the report.

    Args:
        store: the store, a path that all workers see or a URL. A store behind a URL is created, never grown.
        archives: as `find_everywhere` returns them.
        options: as for `grow`.
        limits: memory of one task; jobs of a cluster on this machine; progress is called when a task ends.
        address: address of a Dask scheduler, or `local` for worker processes on this machine.
        on_runs: as for `grow`.
        force: as for `grow`.
        task_bytes: bytes of archives that a task counts, about.

    Raises:
        ArchiveError: no archive can be read, or one is gone.
        OptionError: the cluster or a URL cannot be reached, or an option does not work on a cluster.
        OutputExistsError: there is a store behind the URL.
        StoreError: as `grow` raises it, or the storage fails.
    """
    watch = Stopwatch()
    require_cluster_options(options)
    limits = limits or RunLimits()
    place = Folder(store)
    where = store if place.path is None else str(place.path)
    with nullcontext() if place.path is None else locked(place.path):
        base = _base_of(place, options, force=force)
        with cluster_at(address, jobs=limits.jobs) as cluster:
            growth = _Growth(where, place, cluster, options, limits, base, on_runs)
            return watch.stamp(growth.run(archives, task_bytes))


def _base_of(place: Folder, options: TallyOptions, *, force: bool) -> Manifest | None:
    """Return the manifest of the store that is grown; None for a new store."""
    if place.path is not None:
        return base_manifest(place.path, options, force=force)
    if not force and MANIFEST in place.names():
        raise OutputExistsError("a store behind a URL is not grown: name another, or --force replaces it")
    return None


@dataclass(frozen=True, slots=True)
class _Growth:
    """One run: the store, the cluster and the options."""

    store: str
    folder: Folder
    cluster: Cluster
    options: TallyOptions
    limits: RunLimits
    base: Manifest | None
    on_runs: OnRuns | None

    @property
    def memory(self) -> int:
        """Bytes of memory of a task."""
        return self.limits.memory or _TASK_MEMORY

    def run(self, archives: Sequence[Archive], task_bytes: int) -> TallyReport:
        """Write the store and return the report."""
        known = self.base.sources if self.base else ()
        fresh, skipped = distinct(archives, self._looked(archives, task_bytes), known)
        if not fresh:
            return TallyReport(skipped=skipped, rows=self.base.rows if self.base else 0)
        plan = self._plan(fresh, task_bytes)
        steps = _Steps(self, plan, self._begun(plan))
        try:
            report = run_steps(steps, self.options, plan.sources, self.base, self.on_runs)
        except ArchiveError:
            self.clear()
            raise
        if not report.rows:
            self.clear()
        return replace(report, skipped=skipped)

    def _plan(self, fresh: Sequence[tuple[Archive, Looked]], task_bytes: int) -> Plan:
        return Plan(
            options=self.options,
            keep_rejected=self.limits.keep_rejected,
            max_inflate=self.limits.max_inflate,
            base=self.base,
            sources=tuple(
                Source(source=each.name, size=found.size, blake3=found.blake3) for each, found in fresh
            ),
            locations=tuple(archive.location for archive, _ in fresh),
            shards=tuple(shards_of([found for _, found in fresh], task_bytes)),
        )

    def _looked(self, archives: Sequence[Archive], task_bytes: int) -> list[Looked]:
        width = -(-len(archives) // _LOOKS)
        starts = range(0, len(archives), width)
        some = [
            (archives[start : start + width], self.options.game, task_bytes, self.limits.max_inflate)
            for start in starts
        ]
        return [found for each in self.cluster.run(tasks.look, some) for found in each]

    def _begun(self, plan: Plan) -> tasks.Desk:
        """Write the plan, and remove the files of other plans."""
        desk = tasks.Desk(self.store, plan.digest)
        old = {name for name in self.folder.names(WORK) if not name.startswith(plan.digest)}
        self.folder.remove(f"{WORK}/{name}" for name in old)
        self.folder.write(desk.name("plan.json"), json.dumps(plan.to_json()))
        return desk

    def clear(self) -> None:
        """Remove the work, and files that the store does not name."""
        if self.folder.path is None:
            self.folder.remove(self.folder.names() & {WORK})
        else:
            remove_leftovers(self.folder.path)


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of a run, done by tasks. Run files are named as in the store."""

    growth: _Growth
    plan: Plan
    desk: tasks.Desk

    def count(self) -> list[str]:
        """Count the shards of the plan."""
        growth, numbers = self.growth, range(len(self.plan.shards))
        done = [0, 0, 0]

        def tell(figures: dict[str, int]) -> None:
            done[:] = [have + figures[name] for have, name in zip(done, _PROGRESS, strict=True)]
            if growth.limits.progress is not None:
                growth.limits.progress(done[0], done[1], done[2])

        growth.cluster.run(
            tasks.count_shard, [(self.desk, number, growth.memory) for number in numbers], tell
        )
        return [self.desk.name(f"run-{number:05}.run") for number in numbers]

    @contextmanager
    def opened(self, runs: Sequence[str]) -> Iterator[Sequence[Figures]]:
        """Yield the figures and rejects of the shards.

        Raises:
            ArchiveError: no archive can be read.
        """
        with scratch() as local:
            texts = [self.growth.folder.fetch_run(run, local, _core.Run.text_extents) for run in runs]
            opened = list(numbered([_core.Run(str(text)) for text in texts], self.plan))
            require_some_read(report_of(add_figures(opened), self.plan.sources), self.plan.names)
            yield opened

    def merge(self, groups: Sequence[tuple[Sequence[str], str]]) -> list[str]:
        """Merge each group of runs by a task."""
        return self.growth.cluster.run(tasks.merge_runs, [(self.desk, *each) for each in groups])

    def reducer(self, runs: Sequence[str]) -> Reducer:
        """Return the reducer of the cluster."""
        return _ClusterReducer(self.growth, self.desk, runs)


@dataclass(slots=True)
class _ClusterReducer:
    """Reduces runs and the parts of the store by tasks."""

    growth: _Growth
    desk: tasks.Desk
    runs: Sequence[str]
    repeats: int = 0

    def count_sample(self) -> int:
        """Return the number of rows in the sample."""
        return self.growth.cluster.run(tasks.count_rows, [(self.desk, self.runs, *sample_range())])[0]

    def reduce(self, bits: int) -> list[Line]:
        """Write the parts of TALLY; each task reduces neighbouring ranges of keys."""
        width = -(-(1 << bits) // _MOST_REDUCES)
        ranges = [range(start, start + width) for start in range(0, 1 << bits, width)]
        parts = self.growth.cluster.run(
            tasks.reduce_parts, [(self.desk, self.runs, each, bits) for each in ranges]
        )
        return [line for lines in parts for line in lines if line is not None]

    def reduce_games(self) -> Sequence[Line]:
        """Write the parts of GAMES."""
        arguments = (self.desk, self.runs, self.growth.memory)
        [(lines, self.repeats)] = self.growth.cluster.run(tasks.reduce_all_games, [arguments])
        return lines

    def count_repeats(self, manifest: Manifest) -> int:
        """Return the number of games that are counted more than once."""
        return self.repeats

    def write(self, manifest: Manifest) -> None:
        """Write the manifest, and remove what it does not name."""
        folder = self.growth.folder
        if folder.path is not None:
            sync(folder.path)
        folder.write(MANIFEST, json_text(manifest.to_json()))
        self.growth.clear()
        if folder.path is None:
            ours = {name for name in folder.names() if name.startswith(("part-", "games-"))}
            folder.remove(ours - manifest.files)


def require_some_read(report: TallyReport, names: Sequence[str]) -> None:
    """Refuse archives if none of them can be read.

    Raises:
        ArchiveError: the reason why the first cannot be read.
    """
    whole = {each["source"]: each["reason"] for each in report.unreadable() if not each["member"]}
    if not report.games_read and all(name in whole for name in names):
        raise ArchiveError(whole[names[0]])


def numbered(runs: Sequence[_core.Run], plan: Plan) -> Iterator[Figures]:
    """Yield runs whose rejects are numbered from the start of each archive, not of its stretch."""
    read: dict[int, int] = {}
    for run, shard in zip(runs, plan.shards, strict=True):
        (first, blocks), _, _ = shard.stretch
        yield _Numbered(run, plan.names[first], read.get(first, 0) if blocks else 0)
        for index, source in add_figures([run])["sources"].items():
            read[index] = read.get(index, 0) + source["games_read"]


class _Numbered:
    """A run that began after some games of an archive."""

    def __init__(self, run: _core.Run, source: str, before: int) -> None:
        self._run, self._source, self._before = run, letters([source])[0], before

    def figures(self) -> Iterable[bytes]:
        return self._run.figures()

    def rejected_text(self) -> Iterable[bytes]:
        return self._run.rejected_text()

    def rejects(self) -> Iterable[bytes]:
        for piece in self._run.rejects():
            yield b"".join(map(self._line, piece.splitlines(keepends=True))) if self._before else piece

    def _line(self, line: bytes) -> bytes:
        reject = json.loads(line)
        if reject["source"] != self._source:
            return line
        reject["game"] += self._before
        return json.dumps(reject, ensure_ascii=False).encode() + b"\n"
