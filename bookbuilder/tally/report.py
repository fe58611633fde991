"""The report of a counting run: what was read, used, filtered, skipped and rejected, and its cost.

The core returns figures and rejects of a run as JSON; `add_figures` and `report_of` add them up.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.archives.sources import Source, skipped_members, unreadable
from bookbuilder.system import peak_rss_bytes

if TYPE_CHECKING:
    from bookbuilder import _core

# How many rejects a report shows.
_FIRST: Final = 3
_NUMBERS: Final = (
    "games_read",
    "games_used",
    "duplicates",
    "other_tags",
    "contradicted",
    "ignored_words",
    "marks",
    "variations",
    "variations_cut",
)
_BY_REASON: Final = ("filtered", "variants", "rejects")
_NOTHING: Final[dict[str, Any]] = {
    **dict.fromkeys(_NUMBERS, 0),
    **{name: {} for name in _BY_REASON},
    "skipped": [],
}
"""The figures of a source that a run did not reach."""

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
        repeats: games counted whose counted moves, players, date and result are those of an earlier one.
        rejects: games that could not be used, by reason.
        first_rejects: the first of them, with the columns of REJECTS.
        other_tags: games counted whose result tag differs from the result at the end of their moves, which is
            the one that counts.
        contradicted: games counted whose result contradicts a mate or stalemate at their end; known if whole
            games are checked.
        ignored_words: words among moves that were ignored, such as `resigns`.
        marks: moves of the games counted with an annotation: `!`, `$1`, or a comment that begins with praise
            or blame.
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
    contradicted: int = 0
    ignored_words: int = 0
    marks: int = 0
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
        return {"schema": _SCHEMA, **asdict(self)}


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


def add_figures(runs: Iterable[_core.Run], before: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the figures of runs, added up: observations, superseded, and the sources by index.

    The figures `before`, those of runs before these, change.
    """
    total = before or {"observations": 0, "superseded": 0, "sources": {}}
    for text in (text for run in runs for text in run.figures()):
        figures = json.loads(text)
        for name in ("observations", "superseded"):
            total[name] += figures[name]
        for source in figures["sources"]:
            known = total["sources"].setdefault(source["index"], source)
            if known is not source:
                _add_source(known, source)
    return total


def _add_source(total: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name in _NUMBERS:
        total[name] += more[name]
    for name in _BY_REASON:
        total[name] = dict(Counter(total[name]) + Counter(more[name]))
    skipped = more["skipped"]
    # Two stretches that meet in a member both report it.
    total["skipped"] += skipped[1:] if total["skipped"][-1:] == skipped[:1] else skipped


def report_of(figures: Mapping[str, Any], sources: Sequence[Source]) -> TallyReport:
    """Return figures as a report.

    Raises:
        ArchiveError: a source without a digest got none from the run either, and cannot be read any more.
    """
    each = [
        {**_NOTHING, **figures["sources"].get(index, {}), "path": source.source}
        for index, source in enumerate(sources)
    ]
    counted = [
        replace(
            source if source.blake3 else _digested(source, found.get("digest")),
            games=found["games_used"],
            rejects=sum(found["rejects"].values()),
            filtered=sum(found["filtered"].values()),
            duplicates=found["duplicates"],
        )
        for source, found in zip(sources, each, strict=True)
        if found["games_read"] or not unreadable(skipped_members([found]))
    ]
    totals: dict[str, Any] = {name: sum(found[name] for found in each) for name in _NUMBERS}
    for name in _BY_REASON:
        totals[name] = dict(sorted(sum((Counter(found[name]) for found in each), Counter()).items()))
    return TallyReport(
        sources=tuple(counted),
        members_skipped=skipped_members(each),
        bytes=sum(source.size for source in sources),
        observations=figures["observations"],
        superseded=figures["superseded"],
        **totals,
    )


def _digested(source: Source, digest: Sequence[Any] | None) -> Source:
    """Return a source with its digest, which the run may have computed."""
    if digest is None:
        return Source.of_file(Path(source.source))
    return replace(source, size=digest[0], blake3=digest[1])


def reject_pieces(runs: Iterable[_core.Run], *, as_text: bool) -> Iterator[bytes]:
    """Yield the rejects of runs piece by piece: the text of the games, or lines of JSON."""
    for run in runs:
        yield from run.rejected_text() if as_text else run.rejects()


def first_rejects(runs: Iterable[_core.Run]) -> tuple[dict[str, Any], ...]:
    """Return the first few rejects of runs, with the columns of REJECTS."""
    lines = (line for piece in reject_pieces(runs, as_text=False) for line in piece.splitlines())
    return tuple(json.loads(line) for line in islice(lines, _FIRST))
