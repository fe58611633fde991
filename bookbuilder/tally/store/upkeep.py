"""Write tables as a store; verify and merge stores, and remove sources from them.

Counts could be subtracted. The smallest ply, the years and the sample game of a row could not: a row does not
say which other games have them. So a source is removed by counting the other archives again. These must not
have moved or changed. The result is, byte for byte, the tally of the remaining archives. Stores that share an
archive, and stores without copies of games, are merged in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bookbuilder import _core
from bookbuilder.archives.sources import Source, require_unchanged
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.report import TallyReport
from bookbuilder.tally.store.grow import grow
from bookbuilder.tally.store.layout import (
    Line,
    Manifest,
    check_digest,
    fresh_work,
    locked,
    read_manifest,
    require_place,
)
from bookbuilder.tally.store.reduce import Inputs, publish

if TYPE_CHECKING:
    import pyarrow as pa

_SUMS = ("games", "first_wins", "draws", "second_wins")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of checking one file of a store."""

    file: str  # its name
    rows: int  # its rows
    bytes: int  # its size
    fault: str = ""  # what is wrong with it; empty if it is sound


def verify(path: Path) -> Iterator[Finding]:
    """Check digest, order, key range and sums of each part of a store, and the store as a whole.

    A part that the manifest does not name is a fault: programs that read parts by pattern count it.

    Raises:
        StoreError: the store is missing, or its manifest is damaged.
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
    for entry in sorted(path.iterdir()):
        if entry.name.startswith(("part-", "games-")) and entry.name not in manifest.files:
            fault = "is not named by the manifest; the next `tally` into the store removes it"
            yield Finding(file=entry.name, rows=0, bytes=entry.stat().st_size, fault=fault)
    games = sum(source.games for source in manifest.sources)
    fault = "" if games == manifest.games else f"sources have {games:,} games, GAMES has {manifest.games:,}"
    size = sum(part["bytes"] for part in (*manifest.parts, *manifest.game_parts))
    yield Finding(file="manifest.json", rows=manifest.rows, bytes=size, fault=fault)


def _fault_of_part(path: Path, part: Line, bits: int) -> str:
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


def merge_stores(
    paths: Sequence[Path], output: Path, limits: RunLimits, *, force: bool = False
) -> TallyReport:
    """Write the store that a tally of the archives of several stores gives, byte for byte.

    Stores that share no archive are merged from their parts. An archive of two stores counts once: then, and
    with `dedupe`, the archives are read again. The report says what was read.

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
        options.require(manifest.options, path)
    known: dict[tuple[int, str], Source] = {}
    for source in (source for manifest in manifests for source in manifest.sources):
        known.setdefault((source.size, source.blake3), source)
    sources = list(known.values())
    is_disjoint = len(sources) == sum(len(manifest.sources) for manifest in manifests)
    if not is_disjoint or options.dedupe != "off" or options.limit is not None:
        return _recounted(
            output, sources, manifests[0], limits, "the stores share archives or leave out copies"
        )
    stores = list(zip(paths, manifests, strict=True))
    inputs = Inputs(stores=stores, names=sorted({source.source for source in sources}))
    with locked(output), fresh_work(output) as work:
        merged = publish(output, inputs, work, options, sources, limits)
    return TallyReport(rows=merged.rows)


def remove_sources(
    path: Path, wanted: Sequence[Source], limits: RunLimits, *, output: Path | None = None
) -> TallyReport:
    """Remove sources from a store, or write the rest as another store; report what was read again.

    Sources are known by size and digest. Without an output the store itself changes.

    Raises:
        OutputExistsError: there is something at `output`.
        OptionError: a source is not one of the store's, or none would remain.
        StoreError: the store is damaged, or an archive that remains is missing or has changed.
    """
    if output is not None:
        require_place(output)
    manifest = read_manifest(path)
    gone = {(source.size, source.blake3) for source in wanted}
    known = {(source.size, source.blake3) for source in manifest.sources}
    if strange := [source.source for source in wanted if (source.size, source.blake3) not in known]:
        raise OptionError(f"{path}: does not hold {', '.join(strange)}; `info` names what it holds")
    rest = [source for source in manifest.sources if (source.size, source.blake3) not in gone]
    if not rest:
        raise OptionError(f"{path}: nothing would remain; remove the directory instead")
    return _recounted(output or path, rest, manifest, limits, "what remains is counted again")


def _recounted(
    output: Path, sources: Sequence[Source], manifest: Manifest, limits: RunLimits, why: str
) -> TallyReport:
    files = [require_unchanged(source, f"must be read again ({why})") for source in sources]
    return grow(output, sorted(files, key=str), manifest.options, limits, force=True)


def write_store(
    path: str | os.PathLike[str],
    rows: pa.Table,
    games: pa.Table,
    options: TallyOptions,
    sources: Sequence[Source],
    *,
    force: bool = False,
) -> Manifest:
    """Write tables as a store, whole or not at all.

    The tables have the schemas TALLY and GAMES, and are sorted. `force` allows to replace a store.

    Raises:
        OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
            holds other files than a store's.
        StoreError: another process writes to it, or the disk is full.
    """
    directory = Path(path)
    require_place(directory, force=force)
    with locked(directory), fresh_work(directory) as work:
        run = work / "run-00000.run"
        inputs = Inputs(names=sorted({source.source for source in sources}))
        _core.write_run(str(run), rows, games, inputs.letters)
        inputs = replace(inputs, runs=[_core.Run(str(run))])
        return publish(directory, inputs, work, options, sources, RunLimits())
