"""The report of a counting run: what was read, used, filtered, skipped and rejected, and its cost."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from bookbuilder.archives.sources import Source, skipped_members, unreadable

__all__ = ["TallyReport", "peak_rss_bytes", "report_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyReport:
    """What one run read and made; the JSON contract of `tally --json` and `games check --json`.

    Attributes:
        sources: the archives read, with their own figures; without those of which nothing could be read.
        skipped: archives left out because their content was in the tally already or came twice.
        members_skipped: members of containers, and archives (with an empty member), that were left out, or
            from where they could not be read on: source, member, code, reason. With `foreign`, `empty`,
            `special` and `other-game` no game of this run is lost.
        games_read: games found in the archives.
        games_used: games that were counted.
        filtered: games left out on purpose, by reason.
        variants: those that were left out as variants of the game, by the variant's name as tagged.
        duplicates: games left out as copies of others; each source has its own number.
        superseded: games of the tally that turned out to begin new ones; if there are any, all archives were
            read again, and the figures are those of all.
        repeats: games counted whose moves, players, date and result are those of an earlier game counted.
        rejects: games that could not be used, by reason.
        other_tags: games counted whose result tag names another result than the moves end with (those hold).
        variations: variations that were followed; 0 unless they were asked for.
        variations_cut: variations that hold a move that is not legal, and were followed up to it at most.
        bytes: bytes of the archives read, compressed as they are.
        observations: (position, move, game) triples counted.
        rows: rows of the tally after the run.
        seconds: wall-clock time.
        cpu_seconds: processor time of this process, all threads.
        peak_rss_bytes: largest resident memory of this process so far.
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
        """Return the archives and members that could not be read, or not to their end."""
        return unreadable(self.members_skipped)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data, with the schema version."""
        from bookbuilder.schema import SCHEMA_VERSION

        answer = asdict(self)
        answer["sources"] = [asdict(source) for source in self.sources]
        answer["skipped"] = list(self.skipped)
        answer["members_skipped"] = list(self.members_skipped)
        return {"schema": SCHEMA_VERSION, **answer}


def report_of(figures: Mapping[str, Any], sources: Sequence[Source]) -> TallyReport:
    """Return the core's figures as a report.

    Args:
        figures: those of all sources, by the names of the report, and in `sources` those of each.
        sources: the sources, in the same order.

    Raises:
        ArchiveError: a source without a digest got none from the run either, and cannot be read any more.
    """
    counted = [
        replace(
            _digested(source, each.get("digest")),
            games=each["games_used"],
            rejects=sum(each["rejects"].values()),
            filtered=sum(each["filtered"].values()),
            duplicates=each["duplicates"],
        )
        for source, each in zip(sources, figures["sources"], strict=True)
        if each["games_read"] or not unreadable(skipped_members([each]))
    ]
    names = {each.name for each in fields(TallyReport)} & figures.keys()
    members_skipped = skipped_members(figures["sources"])
    totals = {name: figures[name] for name in names - {"sources"}}
    size = sum(source.size for source in sources)
    return TallyReport(sources=tuple(counted), members_skipped=members_skipped, bytes=size, **totals)


def peak_rss_bytes() -> int:
    """Return the largest resident memory that this process has had so far."""
    # On Linux ru_maxrss begins with what the process that started it had; VmHWM does not (getrusage(2)).
    own = re.search(r"^VmHWM:\s*(\d+) kB$", _status(), re.MULTILINE)
    if own is not None:
        return int(own[1]) << 10
    # ru_maxrss counts KiB on Linux and bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status() -> str:
    """What Linux tells of this process; nothing elsewhere, or where no handle is left to read it."""
    try:
        return Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _digested(source: Source, digest: tuple[int, str] | None) -> Source:
    """Return a source with the digest that the run made of it."""
    if source.blake3:
        return source
    if digest is None:
        return Source.of_file(Path(source.source))
    return replace(source, size=digest[0], blake3=digest[1])
