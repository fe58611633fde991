"""The figures and rejects of runs, as the core hands them over: JSON, from memory or from run files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from bookbuilder.archives.rejects import rejects_table
from bookbuilder.archives.sources import Source, skipped_members, unreadable
from bookbuilder.tally.report import TallyReport

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Figures", "add_figures", "first_rejects", "reject_pieces", "rejects_of", "report_of"]

# How many rejects a report shows.
_FIRST: Final = 3
_NUMBERS: Final = ("games_read", "games_used", "duplicates", "other_tags", "variations", "variations_cut")
_BY_REASON: Final = ("filtered", "variants", "rejects")
_NOTHING: Final[dict[str, Any]] = {
    **dict.fromkeys(_NUMBERS, 0),
    **{name: {} for name in _BY_REASON},
    "skipped": [],
}
"""The figures of a source that a run did not reach."""


class Figures(Protocol):
    """What a run says besides its rows and games."""

    def figures(self) -> Iterable[bytes]:
        """Return JSON objects: observations, superseded, and the figures of sources by index."""

    def rejects(self) -> Iterable[bytes]:
        """Return lines of JSON with the columns of REJECTS, in pieces of whole lines."""

    def rejected_text(self) -> Iterable[bytes]:
        """Return the text of rejected games, if it was kept."""


def add_figures(runs: Iterable[Figures]) -> dict[str, Any]:
    """Return the figures of runs, added up: observations, superseded, and the sources by index."""
    total: dict[str, Any] = {"observations": 0, "superseded": 0, "sources": {}}
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

    Args:
        figures: the result of `add_figures`.
        sources: the sources of the run, in order.

    Raises:
        ArchiveError: a source without a digest got none from the run either, and cannot be read any more.
    """
    each = [
        {**_NOTHING, **figures["sources"].get(index, {}), "path": source.source}
        for index, source in enumerate(sources)
    ]
    counted = [
        replace(
            _digested(source, found.get("digest")),
            games=found["games_used"],
            rejects=sum(found["rejects"].values()),
            filtered=sum(found["filtered"].values()),
            duplicates=found["duplicates"],
        )
        for source, found in zip(sources, each, strict=True)
        if found["games_read"] or not unreadable(skipped_members([found]))
    ]
    totals: dict[str, Any] = {name: sum(found[name] for found in each) for name in _NUMBERS}
    totals |= {name: _total(found[name] for found in each) for name in _BY_REASON}
    return TallyReport(
        sources=tuple(counted),
        members_skipped=skipped_members(each),
        bytes=sum(source.size for source in sources),
        observations=figures["observations"],
        superseded=figures["superseded"],
        **totals,
    )


def _total(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sum((Counter(each) for each in counts), Counter[str]()))


def _digested(source: Source, digest: Sequence[Any] | None) -> Source:
    """Return a source with its digest, if the run computed one."""
    if source.blake3:
        return source
    if digest is None:
        return Source.of_file(Path(source.source))
    return replace(source, size=digest[0], blake3=digest[1])


def reject_pieces(runs: Iterable[Figures], *, as_text: bool) -> Iterator[bytes]:
    """Yield the rejects of runs piece by piece: the text of the games, or lines of JSON."""
    for run in runs:
        yield from run.rejected_text() if as_text else run.rejects()


def first_rejects(runs: Iterable[Figures]) -> tuple[dict[str, Any], ...]:
    """Return the first few rejects of runs, with the columns of REJECTS."""
    lines = (line for piece in reject_pieces(runs, as_text=False) for line in piece.splitlines())
    return tuple(json.loads(line) for line in islice(lines, _FIRST))


def rejects_of(runs: Iterable[Figures]) -> pa.Table:
    """Return the rejects of runs, schema REJECTS."""
    return rejects_table(reject_pieces(runs, as_text=False))
