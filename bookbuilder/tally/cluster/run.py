"""A whole run on a cluster: archives in, the store that one process would make of them out, byte for byte.

Steps are those of `store.work`, each done by tasks: look at the archives, plan, count, merge, count rows,
reduce, publish. What a broken-off run left under the same plan is taken up.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bookbuilder.archives.sources import Source
from bookbuilder.errors import ArchiveError, OptionError, OutputExistsError, StoreError
from bookbuilder.tally.cluster import tasks
from bookbuilder.tally.cluster.client import Crew, crew_at
from bookbuilder.tally.cluster.inputs import Archive
from bookbuilder.tally.cluster.plan import Looked, Plan, distinct, shards_of
from bookbuilder.tally.cluster.storage import Disk, Folder, folder_at, scratch
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import TallyReport, peak_rss_bytes
from bookbuilder.tally.store.grow import Addition
from bookbuilder.tally.store.layout import (
    MANIFEST,
    WORK,
    Manifest,
    is_store,
    json_text,
    locked,
    read_manifest,
    remove_leftovers,
    sync_directory,
)
from bookbuilder.tally.store.reduce import MOST_RUNS, bits_for, letters, manifest_of, sample_range
from bookbuilder.tally.store.spill import ToldRun, report_of_runs, take_figures

if TYPE_CHECKING:
    from bookbuilder import _core

__all__ = ["TASK_BYTES", "grow_on_cluster", "require_cluster_options"]

TASK_BYTES: Final = 64 << 20
"""Bytes of archives that a task counts, about: one or two minutes of a processor for compressed PGN."""
_TASK_MEMORY: Final = 1 << 30
"""Bytes that a task has if nothing is said."""
_LOOKS: Final = 1000
"""Tasks that look at archives, about; with fewer archives each has its own."""
_MOST_REDUCES: Final = 1 << 10
"""Tasks that make parts, a power of two: each reads the footers of all runs."""
_PROGRESS: Final = ("bytes", "games", "rejects")
_SAMPLES: Final = 16
"""Tasks that count the rows of the sample; chosen."""


def require_cluster_options(options: TallyOptions) -> None:
    """Refuse options whose effect on a game depends on games that other tasks count.

    Raises:
        OptionError: copies are to be left out, or a number of games is the limit.
    """
    if options.dedupe != "off":
        raise OptionError(
            f'dedupe "{options.dedupe}" needs all games in one place: count without --cluster, or without '
            "--dedupe; a content that comes twice is read once in any case"
        )
    if options.limit is not None:
        raise OptionError("a limit counts games in their order: count without --cluster, or without --limit")


def grow_on_cluster(
    store: str,
    archives: Sequence[Archive],
    options: TallyOptions,
    how: Addition,
    *,
    address: str,
    force: bool = False,
    task_bytes: int = TASK_BYTES,
) -> TallyReport:
    """Do what `grow` does, by the tasks of a cluster, and return what was read.

    Args:
        store: the store, a path that all workers see or a URL; one behind a URL is made, not grown.
        archives: as `find_everywhere` returns them.
        options: what is counted; those of the store, if there is one.
        how: as for `grow`; memory is that of one task, jobs that of a cluster on this machine, and progress
            is called when a task ends.
        address: of a Dask scheduler, or `local` for worker processes on this machine.
        force: make a store that is there anew.
        task_bytes: bytes of archives that a task counts, about.

    Raises:
        ArchiveError: no archive can be read, or one has gone.
        OptionError: the cluster or a URL cannot be reached, or an option does not go with it.
        OutputExistsError: there is a store behind the URL.
        StoreError: as `grow` raises it, or the storage fails.
    """
    started, cpu_started = time.perf_counter(), time.process_time()
    require_cluster_options(options)
    place = folder_at(store)
    where = str(place.path.absolute()) if isinstance(place, Disk) else store
    with locked(Path(where)) if isinstance(place, Disk) else nullcontext():
        base = _base_of(place, options, force=force)
        with crew_at(address, jobs=how.jobs) as crew:
            growth = _Growth(
                store=where, folder=folder_at(where), crew=crew, options=options, how=how, base=base
            )
            report = growth.run(archives, task_bytes, how.memory or _TASK_MEMORY)
    return replace(
        report,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )


def _base_of(place: Folder, options: TallyOptions, *, force: bool) -> Manifest | None:
    """Return what the store holds that is to be grown."""
    if not isinstance(place, Disk):
        if not force and MANIFEST in place.names():
            raise OutputExistsError("a store behind a URL is not grown: name another, or --force replaces it")
        return None
    if force or not is_store(place.path):
        return None
    base = read_manifest(place.path)
    if differences := base.options.differences(options):
        raise StoreError(f"{place.path}: was counted with other options: {'; '.join(differences)}")
    return base


@dataclass(frozen=True, slots=True, kw_only=True)
class _Growth:
    """One run: the store, the cluster, and what is asked for."""

    store: str
    folder: Folder
    crew: Crew
    options: TallyOptions
    how: Addition
    base: Manifest | None

    def run(self, archives: Sequence[Archive], task_bytes: int, memory: int) -> TallyReport:
        """Make the store and return what was read."""
        held = self.base.sources if self.base else ()
        fresh, skipped = distinct(archives, self._looked(archives, task_bytes), held)
        if not fresh:
            return TallyReport(skipped=skipped, rows=self.base.rows if self.base else 0)
        plan = Plan(
            options=self.options,
            keep_rejected=self.how.keep_rejected,
            max_inflate=self.how.max_inflate,
            base=self.base,
            sources=tuple(
                Source(source=each.name, size=found.size, blake3=found.blake3) for each, found in fresh
            ),
            locations=tuple(archive.location for archive, _ in fresh),
            shards=tuple(shards_of([found for _, found in fresh], task_bytes)),
        )
        desk = self._begun(plan)
        try:
            return replace(self._made(desk, plan, memory), skipped=skipped)
        except ArchiveError:
            self._clear()
            raise

    def _looked(self, archives: Sequence[Archive], task_bytes: int) -> list[Looked]:
        width = -(-len(archives) // _LOOKS)
        starts = range(0, len(archives), width)
        some = [
            (archives[start : start + width], self.options.game, task_bytes, self.how.max_inflate)
            for start in starts
        ]
        return [found for each in self.crew.run(tasks.look, some) for found in each]

    def _begun(self, plan: Plan) -> tasks.Desk:
        """Lay the plan out, and remove what other plans left."""
        desk = tasks.Desk(self.store, plan.digest)
        work = folder_at(f"{self.store}/{WORK}")
        work.remove(name for name in work.names() if not name.startswith(plan.digest))
        self.folder.write(desk.name("plan.json"), json.dumps(plan.to_json()))
        return desk

    def _clear(self) -> None:
        """Remove the work, and what the store does not name."""
        if isinstance(self.folder, Disk):
            remove_leftovers(self.folder.path)
            return
        self.folder.remove(self.folder.names() & {WORK})

    def _made(self, desk: tasks.Desk, plan: Plan, memory: int) -> TallyReport:
        numbers = range(len(plan.shards))
        done = [0, 0, 0]

        def tell(figures: dict[str, int]) -> None:
            done[:] = [have + figures[name] for have, name in zip(done, _PROGRESS, strict=True)]
            if self.how.progress is not None:
                self.how.progress(done[0], done[1], done[2])

        self.crew.run(tasks.count_shard, [(desk, number, memory) for number in numbers], tell)
        runs = [desk.name(f"run-{number:05}.run") for number in numbers]
        with scratch() as local:
            report = self._told(runs, plan, local)
        if self.base is None and not report.observations:
            self._clear()
            return report
        return self._published(desk, self._merged(desk, runs), plan, report, memory)

    def _told(self, runs: Sequence[str], plan: Plan, local: Path) -> TallyReport:
        """Return what runs say of their sources, and hand their rejects on."""
        from bookbuilder import _core

        texts = [self.folder.fetch_run(run, local, _core.RunFile.text_extents) for run in runs]
        opened = [_core.RunFile(str(text)) for text in texts]
        report = report_of_runs(take_figures(opened), plan.sources)
        require_some_read(report, plan.names)
        if self.how.told is not None:
            self.how.told(list(numbered(opened, plan)))
        return report

    def _merged(self, desk: tasks.Desk, runs: Sequence[str]) -> Sequence[str]:
        """Return runs that can be merged at once."""
        level = 0
        while len(runs) > MOST_RUNS:
            level += 1
            some = [runs[start : start + MOST_RUNS] for start in range(0, len(runs), MOST_RUNS)]
            targets = [f"merged-{level}-{number:05}.run" for number in range(len(some))]
            runs = self.crew.run(
                tasks.merge_runs, [(desk, *each) for each in zip(some, targets, strict=True)]
            )
        return runs

    def _published(
        self, desk: tasks.Desk, runs: Sequence[str], plan: Plan, report: TallyReport, memory: int
    ) -> TallyReport:
        samples = [(desk, runs, first, last) for first, last in _samples()]
        bits = bits_for(sum(self.crew.run(tasks.count_rows, samples)))
        width = -(-(1 << bits) // _MOST_REDUCES)
        ranges = [range(start, start + width) for start in range(0, 1 << bits, width)]
        made_parts = self.crew.run(tasks.reduce_parts, [(desk, runs, each, bits) for each in ranges])
        parts = [line for lines in made_parts for line in lines if line is not None]
        [(games, repeats)] = self.crew.run(tasks.reduce_all_games, [(desk, runs, memory)])
        held = self.base.sources if self.base else ()
        made = manifest_of(plan.options, [*held, *report.sources], bits, parts, games)
        if isinstance(self.folder, Disk):
            sync_directory(self.folder.path)
        self.folder.write(MANIFEST, json_text(made.to_json()))
        self._clear()
        if not isinstance(self.folder, Disk):
            ours = {name for name in self.folder.names() if name.startswith(("part-", "games-"))}
            self.folder.remove(ours - made.files)
        return replace(report, rows=made.rows, repeats=repeats)


def _samples() -> Iterator[tuple[int, int]]:
    """Yield ranges of keys that are the sample together."""
    first, last = sample_range()
    width = (last - first + 1) // _SAMPLES
    for start in range(first, last + 1, width):
        yield start, start + width - 1


def require_some_read(report: TallyReport, names: Sequence[str]) -> None:
    """Refuse archives of which none can be read, as one process does.

    Raises:
        ArchiveError: what is wrong with the first of them.
    """
    whole = {each["source"]: each["reason"] for each in report.unreadable() if not each["member"]}
    if not report.games_read and all(name in whole for name in names):
        raise ArchiveError(whole[names[0]])


def numbered(runs: Sequence[_core.RunFile], plan: Plan) -> Iterator[ToldRun]:
    """Yield runs whose rejects are numbered through each archive, not from where a stretch of it begins."""
    read: dict[int, int] = {}
    for run, shard in zip(runs, plan.shards, strict=True):
        (first, blocks), _, _ = shard.stretch
        yield _Numbered(run, plan.names[first], read.get(first, 0) if blocks else 0)
        for index, source in take_figures([run])["sources"].items():
            read[index] = read.get(index, 0) + source["games_read"]


class _Numbered:
    """A run that began behind some games of an archive."""

    def __init__(self, run: _core.RunFile, source: str, before: int) -> None:
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
