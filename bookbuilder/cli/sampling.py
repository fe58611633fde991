"""Count a sample of archives: how many games they hold, and how many positions.

A sample is the first games of the first archives. Archives that are read to their end give exact figures. The
figures of others grow with their bytes. Rows grow more slowly than games, as half the sample shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bookbuilder.tally.options import RunLimits, TallyOptions
    from bookbuilder.tally.report import TallyReport
    from bookbuilder.tally.tally import Tally

__all__ = ["Sample", "count_games", "read_sample"]

READ_BYTES: Final = 32 << 20
"""Bytes of archives that a sample reads at most."""
READ_GAMES: Final = 25_000
"""Games that a sample counts at most, in about 0.4 s."""
# Fewer games, for filters that few games pass: the sample would reach its limit of bytes first.
_FEWER: Final = (1, 40, 1_000)


class _EnoughError(Exception):
    """The sample has read its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample of archives.

    Attributes:
        total: bytes of all archives.
        read: bytes that the sample read.
        games: games that it read.
        is_whole: whether it read all archives to their end, so that its figures are exact.
        tally: what it counted; None if hardly any game passes the filters.
        half_rows: rows after half the games; 0 if the sample is whole or empty.
    """

    total: int
    read: int
    games: int
    is_whole: bool
    tally: Tally | None = None
    half_rows: int = 0

    @property
    def report(self) -> TallyReport | None:
        """The report of the run over the sample."""
        return None if self.tally is None else self.tally.report

    @property
    def ratio(self) -> float:
        """The size of all archives in samples."""
        return 1.0 if self.is_whole else max(1.0, self.total / max(1, self.read))

    def all_games(self) -> int:
        """Return the number of games of all archives."""
        return round(self.games * self.ratio)

    def all_used(self, limit: int | None = None) -> int:
        """Return the number of games of all archives that pass the filters, at most `limit`."""
        used = 0 if self.report is None else round(self.report.games_used * self.ratio)
        return used if limit is None else min(limit, used)

    def all_rows(self, limit: int | None = None) -> int:
        """Return the number of rows that a count of all archives has, of at most `limit` games."""
        return 0 if self.report is None else round(self.report.rows * self.growth(limit))

    def growth(self, limit: int | None = None) -> float:
        """Return how many times as many rows a count of all archives has as the sample.

        With twice the games, rows grow by a factor between 1 and 2. The same exponent holds for more games.
        """
        if self.report is None or not self.report.games_used:
            return 1.0
        factor = self.all_used(limit) / self.report.games_used
        if not self.half_rows or factor <= 1:
            return min(1.0, factor)
        exponent = math.log2(max(1.0, min(2.0, self.report.rows / self.half_rows)))
        return float(factor**exponent)


def read_sample(files: Sequence[Path], options: TallyOptions, limits: RunLimits) -> Sample:
    """Return a sample of archives, counted with these options but without facets.

    Args:
        files: archive files, as `find_archives` returns them.
        options: what is counted.
        limits: threads and the like.
    """
    total = sum(file.stat().st_size for file in files)
    chosen = list(_first(files))
    options = replace(options, facets=())
    read = games = 0
    for divisor in _FEWER:
        most = max(1, min(READ_GAMES, options.limit or READ_GAMES) // divisor)
        tally, read, games = _count(chosen, replace(options, limit=most), limits)
        if tally is None or tally.report is None:
            continue  # the sample took too many bytes
        used = tally.report.games_used
        if used < most:
            read, games = sum(file.stat().st_size for file in chosen), tally.report.games_read
        is_whole = len(chosen) == len(files) and (used < most or used == options.limit)
        return Sample(
            total=total,
            read=read,
            games=games,
            is_whole=is_whole,
            tally=tally,
            half_rows=0 if is_whole else _rows(chosen, replace(options, limit=used // 2 or 1), limits),
        )
    return Sample(total=total, read=read, games=games, is_whole=False)


def _rows(files: Sequence[Path], options: TallyOptions, limits: RunLimits) -> int:
    """Return the number of rows of a sample; 0 if it takes too many bytes."""
    tally, _, _ = _count(files, options, limits)
    return 0 if tally is None or tally.report is None else tally.report.rows


def count_games(files: Sequence[Path], options: TallyOptions) -> tuple[int, bool]:
    """Return the number of games of archives, and whether it is an estimate.

    Args:
        files: archive files, as `find_archives` returns them.
        options: what is counted; `max_ply` 1 is enough and quick.
    """
    from bookbuilder.tally.options import RunLimits

    sample = read_sample(files, options, RunLimits())
    return sample.all_games(), not sample.is_whole


def _first(files: Sequence[Path]) -> Iterator[Path]:
    """Yield the first files, up to the bytes of a sample; the first one whatever its size."""
    size = 0
    for number, file in enumerate(files):
        size += file.stat().st_size
        if number and size > READ_BYTES:
            return
        yield file


def _count(files: Sequence[Path], options: TallyOptions, limits: RunLimits) -> tuple[Tally | None, int, int]:
    """Return the tally of a sample, the bytes and the games read; no tally if it takes too many bytes."""
    from bookbuilder.tally.tally import Tally

    read = [0, 0]

    def note_progress(done: int, games: int, _rejects: int) -> None:
        read[:] = done, games
        if done > READ_BYTES:
            raise _EnoughError

    try:
        tally = Tally.empty(options).add_archives(
            *files, progress=note_progress, jobs=limits.jobs, max_inflate=limits.max_inflate
        )
    except _EnoughError:
        return None, read[0], read[1]
    return tally, read[0], read[1]
