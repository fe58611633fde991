"""Merge run files and parts into the parts of a store: one task for each range of keys, then one publication.

A task reads its range of every run and of the existing parts, and writes one Parquet file whose name only
depends on the range. Tasks share nothing else, so each can be repeated.

The number of ranges depends on the rows alone. The rows in the first 64th of the key space are counted. Keys
are spread evenly, so a 64th of all rows lies there. A range gets about `ROWS_PER_PART` rows.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bookbuilder import _core
from bookbuilder.archives.sources import Source
from bookbuilder.disk import draft_file
from bookbuilder.errors import StoreError
from bookbuilder.system import sync
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store.layout import MANIFEST, Line, Manifest, check_digest, write_json

ROWS_PER_PART: Final = 1 << 22
"""Rows of a part, at most twice as many: about 110 MB on disk; chosen, not tuned."""
_SAMPLE_BITS: Final = 6
_KEY_BITS: Final = 64
_MOST_RUNS: Final = 64
"""Runs that are merged at once. Each takes a file handle and half a megabyte for a block of rows."""
_REPEATS_BYTES: Final = 24
"""Bytes of memory for a game: its fingerprint, and that sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The files that a store is merged from."""

    runs: Sequence[_core.Run] = ()  # run files in the order of the plan, or one run in memory
    stores: Sequence[tuple[Path, Manifest]] = ()  # directory and manifest of stores whose parts are merged
    # Names of all sources. Those of the runs come first, since the games of the runs index them.
    names: Sequence[str]

    @property
    def letters(self) -> list[str]:
        """The names as tables have them: bytes that are not UTF-8 become U+FFFD."""
        return [os.fsencode(name).decode(errors="replace") for name in self.names]

    def meeting(self, first: int, last: int) -> list[tuple[Path, Line]]:
        """Return the file and the line of each part of TALLY that meets a range of keys."""
        return [
            (directory / line["file"], line)
            for directory, manifest in self.stores
            for line in manifest.parts
            if int(line["first_key"], 16) <= last and first <= int(line["last_key"], 16)
        ]


def publish(
    directory: Path,
    inputs: Inputs,
    work: Path,
    options: TallyOptions,
    sources: Sequence[Source],
    limits: RunLimits,
) -> Manifest:
    """Replace a store by the result of runs and parts, and return its manifest.

    The store is locked; files of other stores stay as they are. `work` is a directory in the store for
    unfinished files.

    Raises:
        StoreError: a file is damaged, or the disk is full. The old store is then unchanged.
    """
    inputs = _mergeable(inputs, work)
    first, last = key_range(0, _SAMPLE_BITS)
    bits = bits_for(_core.count_rows(inputs.runs, _checked(inputs.meeting(first, last)), first, last))
    # Few ranges leave threads idle. Those pack columns.
    jobs = max(1, limits.threads >> bits)

    def reduced(number: int) -> tuple[Path, dict[str, Any]] | None:
        return _reduce_range(inputs, number, bits, work, has_cells=bool(options.facets), jobs=jobs)

    with ThreadPoolExecutor(max_workers=limits.threads) as pool:
        games = pool.submit(_reduce_games, inputs, work)
        parts = [(n, *part) for n, part in enumerate(pool.map(reduced, range(1 << bits))) if part]
    named = [(part, _named("part", number, line)) for number, part, line in parts]
    named_games = [
        (part, _named("games", number, line)) for number, (part, line) in enumerate(games.result())
    ]
    manifest = Manifest(
        options=options,
        sources=tuple(sorted(sources, key=lambda source: (source.source, source.blake3))),
        bits=bits,
        parts=tuple(line for _, line in named),
        game_parts=tuple(line for _, line in named_games),
    )
    for part, line in (*named, *named_games):
        _move(part, directory / line["file"])
    sync(directory)
    write_json(directory / MANIFEST, manifest.to_json())
    return manifest


def _mergeable(inputs: Inputs, work: Path) -> Inputs:
    """Merge neighbouring runs until there are few enough to be merged at once."""
    runs, level = inputs.runs, 0
    while len(runs) > _MOST_RUNS:
        level += 1
        merged = []
        for start in range(0, len(runs), _MOST_RUNS):
            target = work / f"merged-{level}-{start // _MOST_RUNS:05}.run"
            _core.merge_runs(runs[start : start + _MOST_RUNS], inputs.letters, str(target))
            merged.append(_core.Run(str(target)))
        runs = merged
    return replace(inputs, runs=runs)


def bits_for(sampled: int) -> int:
    """Return log2 of the number of key ranges for a store with this many rows in the sample."""
    rows = sampled << _SAMPLE_BITS
    return max(0, (rows - 1).bit_length() - (ROWS_PER_PART - 1).bit_length())


def key_range(number: int, bits: int) -> tuple[int, int]:
    """Return the first and the last key of a range."""
    width = 1 << (_KEY_BITS - bits)
    return number * width, (number + 1) * width - 1


def _checked(parts: Iterable[tuple[Path, Line]]) -> list[str]:
    """Return the files of parts, whose digests are checked: the core trusts what it reads of a whole part."""
    found = []
    for path, line in parts:
        check_digest(path, line)
        found.append(str(path))
    return found


def _reduce_range(
    inputs: Inputs, number: int, bits: int, work: Path, *, has_cells: bool, jobs: int
) -> tuple[Path, dict[str, Any]] | None:
    """Merge one range of keys: return its part and the part's unnamed line; None if the range is empty.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder.schema import TALLY, TALLY_CELLS

    first, last = key_range(number, bits)
    runs, parts = inputs.runs, inputs.meeting(first, last)
    # A range without new rows keeps the part of the only store.
    is_kept = [manifest.bits for _, manifest in inputs.stores] == [bits] and len(parts) == 1
    if runs and is_kept and not _core.runs_hold(runs, first, last):
        [(path, line)] = parts
        return path, dict(line)
    target = work / f"part-{number:05}-of-{1 << bits:05}.parquet"
    note = target.with_suffix(".json")
    if target.exists() and note.exists():
        return target, json.loads(note.read_text(encoding="utf-8"))
    metadata = _metadata(TALLY_CELLS if has_cells else TALLY)
    summary = _core.reduce_rows(runs, _checked(parts), first, last, str(target), has_cells, metadata, jobs)
    if summary is None:
        return None
    size, digest = _core.file_digest(str(target))
    checksums_at, checksums_xxh3 = summary["checksums"]
    made = {
        "rows": summary["rows"],
        "bytes": size,
        "blake3": digest,
        "first_key": f"0x{summary['first_key']:016x}",
        "last_key": f"0x{summary['last_key']:016x}",
        **{name: summary[name] for name in ("games", "first_wins", "draws", "second_wins", "newest_year")},
        "checksums_at": checksums_at,
        "checksums_xxh3": f"0x{checksums_xxh3:016x}",
    }
    write_json(note, made)
    return target, made


def _reduce_games(inputs: Inputs, work: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Merge the games of the inputs: return their parts and the unnamed line of each.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder.schema import GAMES

    parts = _checked(
        (directory / line["file"], line)
        for directory, manifest in inputs.stores
        for line in manifest.game_parts
    )
    if not inputs.runs and not parts:
        return []
    made = _core.reduce_games(inputs.runs, parts, inputs.letters, str(work / "games"), _metadata(GAMES))
    lines = []
    for path, games in made:
        size, digest = _core.file_digest(str(path))
        lines.append((Path(path), {"rows": games, "bytes": size, "blake3": digest}))
    return lines


def _named(kind: str, number: int, line: Line) -> dict[str, Any]:
    """Return the line of a part with its name in a store, which follows from its number and content."""
    name = f"{kind}-{number:05}-{line['blake3'][:16]}.parquet"
    return {"file": name, **{key: value for key, value in line.items() if key != "file"}}


def _move(part: Path, where: Path) -> None:
    """Move a part from the work directory into the store, or copy a part of another store."""
    if part == where:
        return
    try:
        if part.parent.parent == where.parent:
            part.replace(where)
            return
        with draft_file(where) as draft:
            # A part never changes, so two stores can share one file.
            try:
                draft.hardlink_to(part)
            except OSError:
                shutil.copyfile(part, draft)
    except OSError as error:
        raise StoreError(f"{where}: cannot be written: {error.strerror or error}") from error


def _metadata(schema: Any) -> list[tuple[str, str]]:  # noqa: ANN401 (pyarrow's stub knows no bytes of a schema)
    """Return the Arrow schema for a Parquet file, with the meaning and unit of each column."""
    return [("ARROW:schema", base64.b64encode(schema.serialize().to_pybytes()).decode())]


def count_repeats(files: Sequence[Path], games: int, memory: int | None) -> int:
    """Return the number of games that have the fingerprint of an earlier game.

    If the fingerprints do not fit into memory together, they are read several times, a share each time.

    The files are parts of GAMES and hold `games` games. The process may take `memory` bytes; None = 2 GiB.
    """
    room = max((memory or 1 << 31) // 4, 1 << 24) // _REPEATS_BYTES
    shares = max(1, -(-games // room))
    return sum(_repeats_in(files, share, shares) for share in range(shares))


def _repeats_in(files: Sequence[Path], share: int, shares: int) -> int:
    """Return the number of repeats among the fingerprints of a share; equal ones are in one share."""
    import numpy as np
    import pyarrow.parquet as pq

    from bookbuilder.columns import values

    prints = [np.empty(0, np.uint64)]
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(columns=["fingerprint"]):
                some = values(batch.column(0))
                prints.append(some if shares == 1 else some[some % np.uint64(shares) == share])
    # numpy finds different values by a hash table, which takes ten times as long as sorting.
    known = np.sort(np.concatenate(prints))
    return int(np.count_nonzero(known[1:] == known[:-1]))
