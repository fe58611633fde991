"""Archives in, a plan out: stretches of about equal work, in order, that tasks count one by one.

Small archives are put together, a large one is cut between blocks. Where a stretch begins within plain text,
its place in the file is known; in a compressed archive it is found by reading what lies before it, so such
an archive is cut into `MOST_CUTS` stretches at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bookbuilder.cluster.inputs import Archive
from bookbuilder.errors import StoreError
from bookbuilder.runner import Source, TallyOptions
from bookbuilder.store import Manifest, Stretch

__all__ = ["MOST_CUTS", "Looked", "Plan", "Shard", "distinct", "shards_of"]

MOST_CUTS: Final = 16
"""Stretches of a compressed archive: reading it to the middle costs a fraction of counting a stretch."""
_VERSION: Final = 1

Place = tuple[int, tuple[int, int] | None]
"""Blocks of an archive before a place, with its offset and line in plain text."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found of an archive: size, digest and, of a large one, its places."""

    size: int
    blake3: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Shard:
    """What one task counts.

    Attributes:
        stretch: of the plan's sources.
        bytes: of archives that it stands for.
        fetched: of a single plain text, the bytes that are read; None = archives are read whole.
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
    is_plain = bool(found.places) and all(mark is not None for _, mark in found.places)
    wanted = -(-found.size // task_bytes)
    cuts = min(wanted if is_plain else min(wanted, MOST_CUTS), len(found.places) + 1)
    chosen = [found.places[(len(found.places) + 1) * number // cuts - 1] for number in range(1, cuts)]
    start: Place = (0, None)
    for number, place in enumerate([*chosen, None]):
        end = (index + 1, 0) if place is None else (index, place[0])
        fetched = None
        if is_plain:
            last = found.size if place is None or place[1] is None else place[1][0]
            fetched = (0 if start[1] is None else start[1][0], last)
        size = found.size * (number + 1) // cuts - found.size * number // cuts
        yield Shard(((index, start[0]), start[1], end), size, fetched)
        start = place or start


def _as_stretch(data: Any) -> Stretch:  # noqa: ANN401 (JSON)
    start, mark, end = data
    return tuple(start), None if mark is None else tuple(mark), tuple(end)
