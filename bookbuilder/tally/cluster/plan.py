"""Archives in, a plan out: stretches of about equal work, in order, that tasks count one by one.

Small archives are put together, a large one is cut between blocks. Plain text is entered where a stretch
begins, a .zst at the frame before. How much text is passed over on the way bounds the number of stretches: an
archive that must be read from its start is cut into `MOST_CUTS` at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bookbuilder.archives.sources import Source
from bookbuilder.errors import StoreError
from bookbuilder.tally.cluster.inputs import Archive
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.layout import Manifest
from bookbuilder.tally.store.spill import Stretch

__all__ = ["MOST_CUTS", "Looked", "Plan", "Shard", "distinct", "shards_of"]

MOST_CUTS: Final = 16
"""Stretches of an archive that is read from its start: reading it costs a fraction of counting a stretch."""
_VERSION: Final = 2

Entry = tuple[int, int, tuple[int, int] | None, int]
"""How text is entered: offset and line, in a .zst the place of the last frame before and the text before
that, and the bytes of the file that hold the text before."""
Place = tuple[int, Entry | None]
"""Blocks of an archive before a place, and how to get there; None = by reading what lies before it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of an archive: size, digest and, of a large one, its places, the start among them."""

    size: int
    blake3: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Shard:
    """What one task counts.

    Attributes:
        stretch: of the plan's sources.
        bytes: of archives that it stands for.
        fetched: of a single text that is entered, the bytes that are read; None = archives are read whole.
    """

    stretch: Stretch
    bytes: int
    fetched: tuple[int, int] | None = None

    @property
    def sources(self) -> range:
        """Which sources it reads."""
        (first, _), _, (last, blocks) = self.stretch
        return range(first, last + (blocks > 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run counts, in which order, and onto what; its JSON is what tasks read.

    Attributes:
        options: what is counted.
        keep_rejected: whether rejected games are kept as they stand.
        max_inflate: as `Addition` has it.
        base: the store that is grown; None = none.
        sources: the archives that are counted.
        locations: where they are.
        shards: what tasks count.
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
        """What the sources are called."""
        return [source.source for source in self.sources]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON data."""
        return {
            "cluster": _VERSION,
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
        """Return the plan that `to_json` gave, as text.

        Raises:
            StoreError: it is the plan of another version.
        """
        data = json.loads(text)
        if data["cluster"] != _VERSION:
            raise StoreError(f"the plan is of version {data['cluster']}, expected {_VERSION}: workers differ")
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
        """What the plan is known by: whatever it says, in few letters."""
        return hashlib.blake2b(json.dumps(self.to_json()).encode(), digest_size=8).hexdigest()


def distinct(
    archives: Sequence[Archive], looked: Sequence[Looked], known: Sequence[Source]
) -> tuple[list[tuple[Archive, Looked]], tuple[str, ...]]:
    """Return the archives that are to be counted, and the names of others, whose content is known."""
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
    """Yield what tasks count: archives up to so many bytes together, larger ones in stretches."""
    first, held = 0, 0
    for index, found in enumerate(looked):
        if found.size <= task_bytes and held + found.size <= task_bytes:
            held += found.size
            continue
        if index > first:
            yield Shard(((first, 0), None, (index, 0)), held)
        first, held = index, found.size
        if found.size > task_bytes:
            yield from _stretches(index, found, task_bytes)
            first, held = index + 1, 0
    if first < len(looked):
        yield Shard(((first, 0), None, (len(looked), 0)), held)


def _stretches(index: int, found: Looked, task_bytes: int) -> Iterator[Shard]:
    """Cut one archive at places that are spread evenly."""
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
    """Choose places, as many as are wanted or as many as their cost allows."""
    cuts = min(wanted, len(places))
    while True:
        chosen = [places[len(places) * number // cuts] for number in range(cuts)]
        if cuts <= MOST_CUTS or _is_cheap(chosen, places[-1]):
            return chosen
        cuts = max(MOST_CUTS, cuts * 7 // 8)


def _is_cheap(starts: Sequence[Place], last: Place) -> bool:
    """Return whether no more text is passed over than for `MOST_CUTS` starts in a file of one frame."""
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
