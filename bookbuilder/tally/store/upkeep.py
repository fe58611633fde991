"""What is done to stores as a whole: verify, compact, merge, remove sources.

Counts could be subtracted; the smallest ply, the years and the sample game of a row could not, for they do
not say who else had them. So a source is removed by counting the others again, from their archives, which
must be where and what they were: what remains is, byte for byte, the tally of what remains. The same holds
where two stores that share an archive are merged, and where copies of games are left out.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bookbuilder.archives.sources import Source
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.store.grow import Addition, grow
from bookbuilder.tally.store.layout import (
    WORK,
    Line,
    Manifest,
    locked,
    read_manifest,
    remove_leftovers,
    require_place,
)
from bookbuilder.tally.store.reading import check_digest
from bookbuilder.tally.store.reduce import Inputs, publish
from bookbuilder.tally.store.spill import require_unchanged

__all__ = ["Finding", "compact", "merge_stores", "remove_sources", "verify"]

_SUMS = ("games", "first_wins", "draws", "second_wins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found of one file of a store.

    Attributes:
        file: its name.
        rows: rows that it holds.
        bytes: its size.
        fault: what is wrong with it; empty if nothing is.
    """

    file: str
    rows: int
    bytes: int
    fault: str = ""


def verify(path: Path) -> Iterator[Finding]:
    """Yield what is found of each part of a store: digest, order, key range and sums; and of all together.

    Raises:
        StoreError: there is no store, or its manifest cannot be used.
    """
    manifest = read_manifest(path)
    last = -1
    for part in manifest.parts:
        fault = _fault_of_part(path, part, manifest.bits)
        if not fault and int(part["first_key"], 16) <= last:
            fault = f"begins at {part['first_key']}, within the part before it"
        last = int(part["last_key"], 16)
        yield Finding(file=part["file"], rows=part["rows"], bytes=part["bytes"], fault=fault)
    for part in manifest.game_parts:
        try:
            check_digest(path / part["file"], part)
            fault = ""
        except StoreError as error:
            fault = str(error)
        yield Finding(file=part["file"], rows=part["rows"], bytes=part["bytes"], fault=fault)
    held = sum(source.games for source in manifest.sources)
    fault = "" if held == manifest.games else f"sources have {held:,} games, GAMES has {manifest.games:,}"
    size = sum(part["bytes"] for part in (*manifest.parts, *manifest.game_parts))
    yield Finding(file="manifest.json", rows=manifest.rows, bytes=size, fault=fault)


def _fault_of_part(path: Path, part: Line, bits: int) -> str:
    from bookbuilder import _core

    try:
        check_digest(path / part["file"], part)
        found = _core.check_part(str(path / part["file"]))
    except StoreError as error:
        return str(error)
    first, last = int(part["first_key"], 16), int(part["last_key"], 16)
    if (found["first_key"], found["last_key"]) != (first, last):
        return (
            f"has keys 0x{found['first_key']:016x} to 0x{found['last_key']:016x}, the manifest says otherwise"
        )
    if first >> (64 - bits) != last >> (64 - bits):
        return f"reaches over a range of keys, expected {1 << bits} ranges"
    wrong = [name for name in ("rows", *_SUMS) if found[name] != part[name]]
    return f"{', '.join(wrong)} add up to other numbers than the manifest says" if wrong else ""


def compact(path: Path, *, jobs: int | None = None) -> tuple[int, int]:
    """Write all parts of a store anew and remove what is left over; return its bytes before and after.

    The store then is what a new one of the same archives would be, byte for byte; leftovers of runs that were
    broken off, which such a run would be taken up from, are gone.

    Raises:
        StoreError: the store is damaged, another process writes to it, or the disk is full.
    """
    with locked(path):
        manifest = read_manifest(path)
        before = _bytes_in(path)
        inputs = Inputs(
            parts=[(path, part) for part in manifest.parts],
            game_parts=[(path, part) for part in manifest.game_parts],
        )
        _publish(path, inputs, manifest, manifest.sources, jobs=jobs)
        return before, _bytes_in(path)


def merge_stores(paths: Sequence[Path], output: Path, how: Addition, *, force: bool = False) -> TallyReport:
    """Make a store of the archives of several; return what had to be read again.

    It is the store that a tally of all their archives would be, byte for byte. Stores that share no archive
    are merged from their parts. An archive that two of them hold counts once: then, and where copies of games
    are left out, the archives are read again.

    Raises:
        OutputExistsError: there is a store at `output` and `force` is not given, or something else.
        OptionError: `output` is one of the stores.
        StoreError: the stores were counted with other options, one is damaged, or an archive that must be
            read again is missing or has changed.
    """
    require_place(output, force=force)
    if output.exists() and any(output.samefile(path) for path in paths):
        raise OptionError(f"{output}: is one of the stores that are merged, expected another directory")
    manifests = [read_manifest(path) for path in paths]
    options = manifests[0].options
    for path, manifest in zip(paths, manifests, strict=True):
        if differences := options.differences(manifest.options):
            raise StoreError(f"{path}: was counted with other options: {'; '.join(differences)}")
    sources = _united(manifests)
    is_disjoint = len(sources) == sum(len(manifest.sources) for manifest in manifests)
    if not is_disjoint or options.dedupe != "off" or options.limit is not None:
        return _recounted(output, sources, manifests[0], how, "the stores share archives or leave out copies")
    inputs = Inputs(
        parts=[(path, part) for path, held in zip(paths, manifests, strict=True) for part in held.parts],
        game_parts=[
            (path, part) for path, held in zip(paths, manifests, strict=True) for part in held.game_parts
        ],
    )
    with locked(output):
        made = _publish(output, inputs, manifests[0], sources, jobs=how.jobs)
    return TallyReport(rows=made.rows)


def remove_sources(
    path: Path, wanted: Sequence[Source], how: Addition, *, output: Path | None = None
) -> TallyReport:
    """Take sources out of a store, or write what remains as another; return what had to be read again.

    Args:
        path: the store.
        wanted: sources of the store, known by size and digest.
        how: memory, threads and what is told.
        output: the store to write; None = in place.

    Raises:
        OutputExistsError: there is something at `output`.
        OptionError: a source is not one of the store's, or none would remain.
        StoreError: the store is damaged, or an archive that remains is missing or has changed.
    """
    if output is not None:
        require_place(output)
    manifest = read_manifest(path)
    gone = {(source.size, source.blake3) for source in wanted}
    held = {(source.size, source.blake3) for source in manifest.sources}
    if strange := [source.source for source in wanted if (source.size, source.blake3) not in held]:
        raise OptionError(f"{path}: does not hold {', '.join(strange)}; `tally info` names what it holds")
    rest = [source for source in manifest.sources if (source.size, source.blake3) not in gone]
    if not rest:
        raise OptionError(f"{path}: nothing would remain; remove the directory instead")
    return _recounted(output or path, rest, manifest, how, "what remains is counted again")


def _recounted(
    output: Path, sources: Sequence[Source], manifest: Manifest, how: Addition, why: str
) -> TallyReport:
    files = [require_unchanged(source, f"must be read again ({why})") for source in sources]
    return grow(output, sorted(files, key=str), manifest.options, how, force=True)


def _united(manifests: Sequence[Manifest]) -> list[Source]:
    found: dict[tuple[int, str], Source] = {}
    for source in (source for manifest in manifests for source in manifest.sources):
        found.setdefault((source.size, source.blake3), source)
    return list(found.values())


def _publish(
    directory: Path, inputs: Inputs, like: Manifest, sources: Sequence[Source], *, jobs: int | None
) -> Manifest:
    work = directory / WORK
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        return publish(directory, inputs, like.options, sources, work=work, jobs=jobs)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        remove_leftovers(directory)


def _bytes_in(path: Path) -> int:
    return sum(entry.stat().st_size for entry in path.rglob("*") if entry.is_file())
