"""Count archives in memory: one run of the core gives the TALLY, GAMES and REJECTS tables and a report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bookbuilder.archives.sources import Source, new_sources
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.report import TallyReport, peak_rss_bytes, report_of

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder.tally.lazy_rows import Rows


__all__ = ["Progress", "Run", "run_archives"]


Progress: TypeAlias = Callable[[int, int, int], None]
"""Called some times a second with (bytes read, games read, rejects) of the run so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Tables and report of one run: TALLY, GAMES and REJECTS.

    `rejected` holds the rejected games of text formats, one after the other and as they stand, if asked for.
    """

    rows: Rows
    games: pa.Table
    rejects: pa.Table
    report: TallyReport
    rejected: bytes = b""


def run_archives(
    paths: Sequence[Path],
    options: TallyOptions,
    *,
    known: Iterable[Source] = (),
    known_games: pa.Table | None = None,
    keep_rejected: bool = False,
    max_inflate: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Return what the core makes of the archives.

    Args:
        paths: archive files, as `find_archives` returns them.
        options: what is counted.
        known: sources that are not to be read again.
        known_games: schema GAMES; games that the archives' games may be copies of.
        keep_rejected: whether to keep the rejected games as they stand.
        max_inflate: bytes that each file's compressed data may become; None = 1 GiB or a hundred times
            the file's size, whichever is more.
        jobs: threads; None = one for each processor.
        progress: called some times a second.

    Raises:
        ArchiveError: no file can be read to its end, or one has gone. A file that cannot beside others that
            can is one of the report's `members_skipped`, bad games are rows of REJECTS.
    """
    from bookbuilder import _core
    from bookbuilder.schema import GAMES, REJECTS, TALLY, check, empty, from_native
    from bookbuilder.tally.lazy_rows import Rows

    started, cpu_started = time.perf_counter(), time.process_time()
    files, sources, skipped = new_sources(paths, known, may_wait=True)
    if not sources:
        return Run(
            rows=Rows(0, lambda: empty(TALLY)),
            games=empty(GAMES),
            rejects=empty(REJECTS),
            report=TallyReport(skipped=skipped),
        )
    native = _core.tally_archives(
        [str(path) for path in files],
        options.game,
        max_ply=options.max_ply,
        full_check=options.check == "full",
        on_error=options.on_error,
        variations=options.variations,
        custom_starts=options.custom_starts,
        fold=options.fold,
        filters=asdict(options.filters),
        dedupe=options.dedupe,
        known=known_games if options.dedupe != "off" else None,
        keep_rejected=keep_rejected,
        jobs=jobs or os.cpu_count() or 1,
        limit=options.limit,
        max_inflate=max_inflate,
        progress=progress,
    )
    report = replace(
        report_of(native.report(), sources),
        skipped=skipped,
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        peak_rss_bytes=peak_rss_bytes(),
    )
    return Run(
        rows=Rows(report.rows, lambda: from_native(native.rows())),
        games=check(from_native(native.games()), GAMES),
        rejects=check(from_native(native.rejects()), REJECTS),
        report=report,
        rejected=native.rejected_text() if keep_rejected else b"",
    )
