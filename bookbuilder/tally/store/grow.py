"""Archives in, a store that holds them too out; and what a run that was broken off left for the next one.

A run works in the directory `.tmp-work` of the store: `plan.json` says what it counts, in which order, and
onto what;
`run-<number>.run` are the stretches of the plan that are done, each published by rename; finished parts
follow. A run of the same plan takes up behind the last of them; one whose list of archives only goes on
differently uses those that end before the difference; of any other plan nothing is used. The bytes that a
store ends with do not depend on it.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.archives.sources import Source, new_sources
from bookbuilder.errors import ArchiveError, StoreError
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import TallyReport, peak_rss_bytes
from bookbuilder.tally.run import Progress
from bookbuilder.tally.store.layout import (
    WORK,
    Manifest,
    is_store,
    locked,
    read_manifest,
    remove_leftovers,
    write_json,
)
from bookbuilder.tally.store.reduce import Inputs, as_run_inputs, publish
from bookbuilder.tally.store.spill import ToldRun, report_of_runs, require_unchanged, spill, take_figures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bookbuilder import _core

__all__ = ["Addition", "count_repeats", "grow"]

_PLAN: Final = "plan.json"
_PLAN_VERSION: Final = 1
_REPEATS_BYTES: Final = 24
"""Bytes that a game takes while games counted twice are looked for: its fingerprint, and that sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """How archives are to be added.

    Attributes:
        memory: bytes that the process may have in memory; None = half of the machine's, 2 GiB at most. What
            the program itself takes, about 150 MiB, is part of it; if less is left than a run needs to go on,
            16 MiB, it takes that.
        jobs: threads; None = one for each processor.
        max_inflate: bytes that each file's compressed data may become; None = 1 GiB or a hundred times the
            file's size, whichever is more.
        keep_rejected: keep the rejected games as they stand.
        progress: called some times a second with (bytes read, games, rejects).
        told: called once with the run files before they are merged, for what they say of rejects.
    """

    memory: int | None = None
    jobs: int | None = None
    max_inflate: int | None = None
    keep_rejected: bool = False
    progress: Progress | None = None
    told: Callable[[Sequence[ToldRun]], None] | None = None


def grow(
    directory: Path, files: Sequence[Path], options: TallyOptions, how: Addition, *, force: bool = False
) -> TallyReport:
    """Add archives to a store, or make it of them, and return what was read.

    Archives whose content the store holds are skipped; `report.skipped` names them. A run that is interrupted
    is taken up by the next one that is asked for the same. If no game was counted, no store is made.

    Args:
        directory: the store.
        files: archive files, as `find_archives` returns them.
        options: what is counted; those of the store, if there is one.
        how: memory, threads and what is told.
        force: make a store that is there anew.

    Raises:
        StoreError: the store is damaged or was counted with other options, another process writes to it, the
            disk is full; or archives must be read again, since with `dedupe="prefix"` a game that the store
            holds begins a new one, and one of them is missing or has changed.
        ArchiveError: an archive cannot be read.
    """
    started, cpu_started = time.perf_counter(), time.process_time()
    with locked(directory):
        base = read_manifest(directory) if is_store(directory) and not force else None
        if base is not None and (differences := base.options.differences(options)):
            raise StoreError(f"{directory}: was counted with other options: {'; '.join(differences)}")
        fresh, sources, skipped = new_sources(files, base.sources if base else ())
        report = TallyReport(skipped=skipped, rows=base.rows if base else 0)
        if sources:
            report = _grown(directory, base, fresh, sources, options, how)
        else:
            remove_leftovers(directory, keep_work=_is_begun(directory / WORK, base))
    return replace(
        report,
        skipped=skipped,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )


def _grown(
    directory: Path,
    base: Manifest | None,
    files: Sequence[Path],
    sources: Sequence[Source],
    options: TallyOptions,
    how: Addition,
) -> TallyReport:
    with _work_on(directory, base, sources, options, how) as (work, runs):
        runs = _spilled(directory, base, files, options, how, work=work, runs=runs)
        opened = _opened(runs)
        figures = take_figures(opened)
        if superseded := figures["superseded"]:
            assert base is not None
            paths = [
                require_unchanged(source, "is needed again, since a game of the tally begins a new one")
                for source in base.sources
            ]
            whole = sorted({*paths, *(Path(source.source) for source in sources)}, key=str)
        else:
            if how.told is not None:
                how.told(opened)
            report = report_of_runs(figures, sources)
            return _published(directory, base, runs, sources, options, how, work=work, report=report)
    fresh, all_sources, _ = new_sources(whole, ())
    report = _grown(directory, None, fresh, all_sources, options, how)
    return replace(report, superseded=superseded)


def _published(
    directory: Path,
    base: Manifest | None,
    runs: Sequence[Path],
    sources: Sequence[Source],
    options: TallyOptions,
    how: Addition,
    *,
    work: Path,
    report: TallyReport,
) -> TallyReport:
    if base is None and not report.observations:
        return report
    names = [source.source for source in sources]
    inputs = Inputs(
        runs=as_run_inputs(runs, names, work),
        names=names,
        parts=[(directory, part) for part in base.parts] if base else (),
        game_parts=[(directory, part) for part in base.game_parts] if base else (),
        bits=base.bits if base else None,
    )
    held = base.sources if base else ()
    # Figures of a source are those of the run that read it.
    made = publish(directory, inputs, options, [*held, *report.sources], work=work, jobs=how.jobs)
    return replace(
        report, rows=made.rows, repeats=count_repeats(_game_files(directory, made), made.games, how.memory)
    )


@contextmanager
def _work_on(
    directory: Path,
    base: Manifest | None,
    sources: Sequence[Source],
    options: TallyOptions,
    how: Addition,
) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the directory of a plan and the runs of it that are done.

    What is done stays if the run is interrupted or the disk is full, and goes if an archive cannot be read.
    """
    work = directory / WORK
    plan = {
        "version": _PLAN_VERSION,
        "options": options.to_json(),
        "keep_rejected": how.keep_rejected,
        "max_inflate": how.max_inflate,
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


def _done_before(work: Path, plan: dict[str, Any]) -> list[Path]:
    """Return the runs of an earlier process that hold for this plan; remove what does not."""
    from bookbuilder import _core

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
            end = _core.RunFile(str(path)).end_source
        except StoreError:
            break
        if not is_same and end >= shared:
            break
        runs.append(path)
    if work.exists():
        for entry in work.iterdir():
            if entry not in runs and not (is_same and entry.suffix in {".parquet", ".json"}):
                entry.unlink()
    return runs


def _is_begun(work: Path, base: Manifest | None) -> bool:
    """Return whether a broken-off run can be taken up: not if the store has changed since."""
    try:
        plan = json.loads((work / _PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(plan.get("base") == (sorted(base.files) if base else []))


def _shared(before: dict[str, Any], plan: dict[str, Any]) -> int:
    """How many archives two plans begin with that they treat alike."""
    if any(before.get(name) != plan[name] for name in plan if name != "sources"):
        return 0
    count = 0
    for one, two in zip(before["sources"], plan["sources"], strict=False):
        if one != two:
            break
        count += 1
    return count


def _spilled(
    directory: Path,
    base: Manifest | None,
    files: Sequence[Path],
    options: TallyOptions,
    how: Addition,
    *,
    work: Path,
    runs: Sequence[Path],
) -> list[Path]:
    known = None
    if base is not None and options.dedupe != "off":
        from bookbuilder.tally.store.reading import OpenStore

        known = OpenStore(directory, base).games()
    return spill(
        files,
        options,
        directory=work,
        runs=runs,
        memory=how.memory,
        known_games=known,
        keep_rejected=how.keep_rejected,
        max_inflate=how.max_inflate,
        jobs=how.jobs,
        progress=how.progress,
    )


def _opened(runs: Sequence[Path]) -> list[_core.RunFile]:
    from bookbuilder import _core

    return [_core.RunFile(str(run)) for run in runs]


def _game_files(directory: Path, manifest: Manifest) -> list[Path]:
    return [directory / part["file"] for part in manifest.game_parts]


def count_repeats(files: Sequence[Path], games: int, memory: int | None) -> int:
    """Return how many games have the fingerprint of another, looking at a share of them at a time.

    Shares that do not fit into memory together go to files beside the parts, removed again.

    Args:
        files: parts of GAMES.
        games: how many games they hold.
        memory: bytes that the process may have in memory; None = 2 GiB.

    Raises:
        StoreError: there is no room for the shares.
    """
    room = max((memory or 1 << 31) // 4, 1 << 24) // _REPEATS_BYTES
    shares = -(-games // room)
    if shares <= 1:
        return sum(_repeats_in(prints) for prints in _fingerprints(files, room))
    directory = files[0].parent
    try:
        with tempfile.TemporaryDirectory(prefix=".tmp-", dir=directory) as shared:
            return sum(map(_repeats_in, _dealt(_fingerprints(files, room), Path(shared), shares)))
    except OSError as error:
        raise StoreError(f"{directory}: cannot be written: {error.strerror or error}") from error


def _repeats_in(prints: npt.NDArray[np.uint64]) -> int:
    import numpy as np

    return int(prints.size - np.unique(prints).size)


def _dealt(
    pieces: Iterable[npt.NDArray[np.uint64]], directory: Path, shares: int
) -> Iterator[npt.NDArray[np.uint64]]:
    """Yield fingerprints share by share, equal ones in one share, by way of a file for each."""
    import numpy as np

    files = [directory / str(share) for share in range(shares)]
    for prints in pieces:
        of = prints % np.uint64(shares)
        order = np.argsort(of)
        ends = np.searchsorted(of[order], np.arange(shares, dtype=np.uint64), side="right")
        for path, share in zip(files, np.split(prints[order], ends[:-1]), strict=True):
            with path.open("ab") as stream:
                share.tofile(stream)
    return (np.fromfile(path, np.uint64) for path in files)


def _fingerprints(files: Sequence[Path], room: int) -> Iterator[npt.NDArray[np.uint64]]:
    """Yield the fingerprints of parts of GAMES, so many at a time or somewhat more."""
    import numpy as np
    import pyarrow.parquet as pq

    held: list[npt.NDArray[np.uint64]] = []
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["fingerprint"]):
                held.append(batch.column(0).to_numpy())
                if sum(each.size for each in held) >= room:
                    yield np.concatenate(held)
                    held = []
    if held:
        yield np.concatenate(held)
