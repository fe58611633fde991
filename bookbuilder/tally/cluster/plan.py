"""The plan of a run on a cluster: stretches of about equal work, in order, one for each task.

Small archives are combined; a large archive is cut between blocks. A task reads plain text from the start of
its stretch, and a .zst from the frame before. Skipped text costs time, so an archive that must be read
from its start is cut into at most `MOST_CUTS` stretches.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bookbuilder.archives.sources import Source
from bookbuilder.tally.cluster.storage import Archive
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.grow import Stretch
from bookbuilder.tally.store.layout import Manifest

MOST_CUTS: Final = 16
"""Maximum number of stretches of an archive that is read from its start."""

Entry = tuple[int, int, tuple[int, int] | None, int]
"""Where to enter a text: offset and line; in a .zst the place of the last frame before and the text
before that; and the bytes of the file with the text before."""
Place = tuple[int, Entry | None]
"""Blocks of an archive before a place, and where to enter there; None = read the text before it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Facts about an archive: size, digest and, of a large one, the places where it can be cut."""

    size: int
    blake3: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Shard:
    """The work of one task.

    Attributes:
        stretch: piece of the plan's sources.
        bytes: bytes of archives, for the progress.
        fetched: the bytes that are read of a single text; None = archives are read whole.
    """

    stretch: Stretch
    bytes: int
    fetched: tuple[int, int] | None = None

    @property
    def sources(self) -> range:
        """Indices of the sources it reads."""
        (first, _), _, (last, blocks) = self.stretch
        return range(first, last + (blocks > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run counts, in which order, and onto what. Tasks read it as JSON.

    Attributes:
        options: what is counted.
        keep_rejected: whether the text of rejected games is kept.
        max_inflate: as in `RunLimits`.
        base: the store that is grown; None = none.
        sources: the archives that are counted.
        locations: where they are.
        shards: the work of the tasks.
    """

    options: TallyOptions
    keep_rejected: bool
    max_inflate: int | None
    base: Manifest | None
    sources: tuple[Source, ...]
    locations: tuple[str, ...]
    shards: tuple[Shard, ...]

    @property
    def names(self) -> list[str]:
        """Names of the sources."""
        return [source.source for source in self.sources]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        return {
            "options": self.options.to_json(),
            "keep_rejected": self.keep_rejected,
            "max_inflate": self.max_inflate,
            "base": None if self.base is None else self.base.to_json(),
            "sources": [[source.source, source.size, source.blake3] for source in self.sources],
            "locations": list(self.locations),
            "shards": [[shard.stretch, shard.bytes, shard.fetched] for shard in self.shards],
        }

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan from the text of its JSON."""
        data = json.loads(text)
        return cls(
            options=TallyOptions.from_json(data["options"]),
            keep_rejected=data["keep_rejected"],
            max_inflate=data["max_inflate"],
            base=None if data["base"] is None else Manifest.from_json(data["base"]),
            sources=tuple(Source(source=name, size=size, blake3=key) for name, size, key in data["sources"]),
            locations=tuple(data["locations"]),
            shards=tuple(
                Shard(_as_stretch(stretch), size, None if fetched is None else tuple(fetched))
                for stretch, size, fetched in data["shards"]
            ),
        )

    @property
    def digest(self) -> str:
        """A short digest of the whole plan."""
        return hashlib.blake2b(json.dumps(self.to_json()).encode(), digest_size=8).hexdigest()


def distinct(
    archives: Sequence[Archive], looked: Sequence[Looked], known: Sequence[Source]
) -> tuple[list[tuple[Archive, Looked]], tuple[str, ...]]:
    """Return the archives to count, and the names of archives whose content is known."""
    seen = {(source.size, source.blake3) for source in known}
    fresh: list[tuple[Archive, Looked]] = []
    skipped = []
    for archive, found in zip(archives, looked, strict=True):
        content = (found.size, found.blake3)
        if content in seen:
            skipped.append(archive.name)
        else:
            seen.add(content)
            fresh.append((archive, found))
    return fresh, tuple(skipped)


def shards_of(looked: Sequence[Looked], task_bytes: int) -> Iterator[Shard]:
    """Yield shards of about `task_bytes`: several archives together, or stretches of a large one."""
    first, size = 0, 0
    for index, found in enumerate(looked):
        if found.size <= task_bytes and size + found.size <= task_bytes:
            size += found.size
            continue
        if index > first:
            yield Shard(((first, 0), None, (index, 0)), size)
        first, size = index, found.size
        if found.size > task_bytes:
            yield from _stretches(index, found, task_bytes)
            first, size = index + 1, 0
    if first < len(looked):
        yield Shard(((first, 0), None, (len(looked), 0)), size)


def _stretches(index: int, found: Looked, task_bytes: int) -> Iterator[Shard]:
    """Cut one archive at evenly spread places."""
    starts = _starts(found.places or ((0, None),), -(-found.size // task_bytes))
    for number, (blocks, entry) in enumerate(starts):
        behind = starts[number + 1] if number + 1 < len(starts) else None
        end = (index + 1, 0) if behind is None else (index, behind[0])
        size = found.size * (number + 1) // len(starts) - found.size * number // len(starts)
        if entry is None:
            yield Shard(((index, blocks), None, end), size)
            continue
        offset, line, frame, _ = entry
        until, reach = None, found.size
        if behind is not None and behind[1] is not None:
            until, _, _, reach = behind[1]
        fetched = (offset if frame is None else frame[0], reach)
        yield Shard(((index, blocks), (offset, line, frame, until), end), size, fetched)


def _starts(places: Sequence[Place], wanted: int) -> list[Place]:
    """Choose the wanted number of places, or fewer if their cost is too high."""
    cuts = min(wanted, len(places))
    while True:
        chosen = [places[len(places) * number // cuts] for number in range(cuts)]
        if cuts <= MOST_CUTS or _is_cheap(chosen, places[-1]):
            return chosen
        cuts = max(MOST_CUTS, cuts * 7 // 8)


def _is_cheap(starts: Sequence[Place], last: Place) -> bool:
    """Return whether tasks skip at most as much text as with `MOST_CUTS` starts in a file of one frame."""
    passed = 0
    for _, entry in starts:
        if entry is None:
            return False
        offset, _, frame, _ = entry
        passed += 0 if frame is None else offset - frame[1]
    return last[1] is not None and 2 * passed <= (MOST_CUTS - 1) * last[1][0]


def _as_stretch(data: Any) -> Stretch:  # noqa: ANN401 (JSON)
    start, span, end = data
    if span is None:
        return tuple(start), None, tuple(end)
    offset, line, frame, until = span
    return tuple(start), (offset, line, None if frame is None else tuple(frame), until), tuple(end)
