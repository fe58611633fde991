"""The report of a counting run: what was read, used, filtered, skipped and rejected, and its cost."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from bookbuilder.archives.sources import Source, unreadable
from bookbuilder.system import peak_rss_bytes

__all__ = ["Stopwatch", "TallyReport"]

# Version of the JSON answer, which does not follow that of the tables.
_SCHEMA: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyReport:
    """What one run read and counted; the JSON contract of `tally --json` and `games check --json`.

    Attributes:
        sources: the archives read, with their own figures. Archives that could not be read at all are
            missing.
        skipped: archives skipped because the tally already has their content, or because they came twice.
        members_skipped: members of containers, and archives (with an empty member), that were skipped or
            could not be read to their end: source, member, code, reason. With the codes `foreign`, `empty`,
            `special` and `other-game` no game of this run is lost.
        games_read: games found in the archives.
        games_used: games that were counted.
        filtered: games skipped by a filter, by reason.
        variants: games skipped as variants of the game, by the variant's name as tagged.
        duplicates: games skipped as copies of others; each source has its own number.
        superseded: games of the tally that begin new ones. If there are any, all archives were read again,
            and the figures are those of all.
        repeats: games counted whose moves, players, date and result are those of an earlier game counted.
        rejects: games that could not be used, by reason.
        first_rejects: the first of them, with the columns of REJECTS.
        other_tags: games counted whose result tag differs from the result at the end of their moves, which is
            the one that counts.
        variations: variations that were followed; 0 unless they were asked for.
        variations_cut: variations with a move that is not legal, followed up to it at most.
        bytes: bytes of the archives read, compressed as they are.
        observations: (position, move, game) triples counted.
        rows: rows of the tally after the run.
        seconds: wall-clock time.
        cpu_seconds: processor time of this process, all threads.
        peak_rss_bytes: largest resident memory of this process so far.

    Example:
        >>> report = bb.Tally.from_archives("games.pgn").report
        >>> report.games_read, report.games_used, report.rejects
        (6, 6, {})
    """

    sources: tuple[Source, ...] = ()
    skipped: tuple[str, ...] = ()
    members_skipped: tuple[dict[str, str], ...] = ()
    games_read: int = 0
    games_used: int = 0
    filtered: dict[str, int] = field(default_factory=dict)
    variants: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    superseded: int = 0
    repeats: int = 0
    rejects: dict[str, int] = field(default_factory=dict)
    first_rejects: tuple[dict[str, Any], ...] = ()
    other_tags: int = 0
    variations: int = 0
    variations_cut: int = 0
    bytes: int = 0
    observations: int = 0
    rows: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_rss_bytes: int = 0

    def unreadable(self) -> tuple[dict[str, str], ...]:
        """Return the archives and members that could not be read, or not to their end.

        Example:
            >>> report = bb.Tally.from_archives("games.pgn").report
            >>> report.unreadable()
            ()
        """
        return unreadable(self.members_skipped)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data, with the schema version.

        Example:
            >>> report = bb.Tally.from_archives("games.pgn").report
            >>> answer = report.to_json()
            >>> answer["schema"], answer["games_used"], answer["sources"][0]["source"]
            (1, 6, 'games.pgn')
        """
        answer = asdict(self)
        answer["sources"] = [asdict(source) for source in self.sources]
        answer["skipped"] = list(self.skipped)
        answer["first_rejects"] = list(self.first_rejects)
        answer["members_skipped"] = list(self.members_skipped)
        return {"schema": _SCHEMA, **answer}


class Stopwatch:
    """Measures the cost of a run from its construction on."""

    def __init__(self) -> None:
        self._seconds, self._cpu_seconds = time.perf_counter(), time.process_time()

    def stamp(self, report: TallyReport) -> TallyReport:
        """Return the report with the cost of the run up to now."""
        return replace(
            report,
            seconds=time.perf_counter() - self._seconds,
            cpu_seconds=time.process_time() - self._cpu_seconds,
            peak_rss_bytes=peak_rss_bytes(),
        )
