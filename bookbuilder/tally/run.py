"""Count archives in memory: one run of the core gives rows, games, rejects and a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from bookbuilder import _core
from bookbuilder.archives.sources import Source, new_sources
from bookbuilder.schema import GAMES, REJECTS, TALLY, empty, from_native
from bookbuilder.tally.figures import add_figures, first_rejects, rejects_of, report_of
from bookbuilder.tally.memory_rows import MemoryRows
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import Stopwatch, TallyReport

if TYPE_CHECKING:
    from bookbuilder.tally.rows import RowSource

__all__ = ["Run", "run_archives"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The result of a run in memory.

    Attributes:
        rows: rows and games.
        rejects: schema REJECTS.
        rejected: text of the rejected games, if it was kept.
        report: figures of the run.
    """

    rows: RowSource
    rejects: pa.Table
    rejected: bytes
    report: TallyReport


def run_archives(
    paths: Sequence[Path],
    options: TallyOptions,
    limits: RunLimits | None = None,
    *,
    known: Iterable[Source] = (),
    known_games: pa.Table | None = None,
) -> Run:
    """Count archives in memory.

    Args:
        paths: archive files, as `find_archives` returns them.
        options: what is counted.
        limits: threads and the like; memory is not limited.
        known: sources to skip.
        known_games: schema GAMES; games that the archives' games may be copies of.

    Raises:
        ArchiveError: no file can be read.
    """
    watch = Stopwatch()
    files, sources, skipped = new_sources(paths, known, may_wait=True)
    if not sources:
        nothing = MemoryRows(0, partial(empty, TALLY), partial(empty, GAMES))
        return Run(rows=nothing, rejects=empty(REJECTS), rejected=b"", report=TallyReport(skipped=skipped))
    others = known_games if options.dedupe != "off" else None
    native = _core.tally_archives(list(map(str, files)), options, limits or RunLimits(), known=others)
    report = report_of(add_figures([native]), sources)
    report = replace(
        report,
        skipped=skipped,
        rows=len(native),
        first_rejects=first_rejects([native]),
        filtered=dict(sorted(report.filtered.items())),
        variants=dict(sorted(report.variants.items())),
        rejects=dict(sorted(report.rejects.items())),
    )
    return _run_of(native, watch.stamp(report))


def _run_of(native: _core.TallyRun, report: TallyReport) -> Run:
    rows = MemoryRows(
        len(native),
        lambda: from_native(native.rows()),
        lambda: from_native(native.games()),
        frequent=native.frequent,
    )
    return Run(
        rows=rows,
        rejects=rejects_of([native]),
        rejected=b"".join(native.rejected_text()),
        report=report,
    )
