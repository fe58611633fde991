"""Merge run files and parts into the parts of a store: one task for each range of keys, then one publication.

A task reads its range of every run and of the existing parts, and writes one Parquet file whose name only
depends on the range. Tasks share nothing else, so each can be repeated, here or on another machine.

The number of ranges depends on the rows alone. The rows in the first 64th of the key space are counted. Keys
are spread evenly, so a 64th of all rows lies there. A range gets about `ROWS_PER_PART` rows.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from bookbuilder import _core
from bookbuilder.archives.sources import Source
from bookbuilder.disk import draft_file
from bookbuilder.errors import StoreError
from bookbuilder.system import sync
from bookbuilder.tally.options import RunLimits, TallyOptions
from bookbuilder.tally.store.layout import (
    Line,
    Manifest,
    check_digest,
    remove_leftovers,
    write_json,
    write_manifest,
)

R = TypeVar("R")

ROWS_PER_PART: Final = 1 << 22
"""Rows of a part, at most twice as many: about 110 MB on disk; chosen, not tuned."""
_SAMPLE_BITS: Final = 6
_KEY_BITS: Final = 64
MOST_RUNS: Final = 64
"""Runs that are merged at once. Each takes a file handle and half a megabyte for a block of rows."""
_REPEATS_BYTES: Final = 24
"""Bytes of memory for a game: its fingerprint, and that sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The files that a store is merged from.

    Attributes:
        runs: run files, or one run in memory.
        names: names of the runs' sources; the runs' games index them.
        parts: directory and manifest line of each part of TALLY.
        game_parts: the same of GAMES.
        bits: log2 of the number of key ranges of `parts`, if all are of one store.
        others: names of further sources, which `game_parts` may name.
    """

    runs: Sequence[_core.Run] = ()
    names: Sequence[str] = ()
    parts: Sequence[tuple[Path, Line]] = ()
    game_parts: Sequence[tuple[Path, Line]] = ()
    bits: int | None = None
    others: Sequence[str] = ()

    @property
    def all_names(self) -> list[str]:
        """The names of all sources. The sources of the runs come first, since their games index them."""
        return [*self.names, *sorted(set(self.others) - set(self.names))]


def letters(names: Sequence[str]) -> list[str]:
    """Return names of files as tables have them: bytes that are not UTF-8 become U+FFFD."""
    return [os.fsencode(name).decode(errors="replace") for name in names]


def mergeable(
    runs: Sequence[R], merge: Callable[[Sequence[tuple[Sequence[R], str]]], Sequence[R]]
) -> Sequence[R]:
    """Return runs that can be merged at once: these runs, or merged ones if there are too many.

    Args:
        runs: run files in the order of the plan.
        merge: merges groups of neighbouring runs, each into a file of the given name, and returns the files.
    """
    level = 0
    while len(runs) > MOST_RUNS:
        level += 1
        groups = [runs[start : start + MOST_RUNS] for start in range(0, len(runs), MOST_RUNS)]
        names = [f"merged-{level}-{number:05}.run" for number in range(len(groups))]
        runs = merge(list(zip(groups, names, strict=True)))
    return runs


def merge_groups(
    groups: Sequence[tuple[Sequence[_core.Run], str]], names: Sequence[str], work: Path
) -> list[_core.Run]:
    """Merge groups of runs into files of the work directory. Files of an earlier process are kept."""
    merged = []
    for runs, name in groups:
        target = work / name
        if not target.exists():
            _core.merge_runs(runs, letters(names), str(target))
        merged.append(_core.Run(str(target)))
    return merged


class Reducer(Protocol):
    """The second half of a run, done in this process or by the tasks of a cluster."""

    def count_sample(self) -> int:
        """Return the number of rows in the sample."""

    def reduce(self, bits: int) -> Sequence[Line]:
        """Write the parts of a store that is cut into 2**bits ranges of keys, and return their lines."""

    def reduce_games(self) -> Sequence[Line]:
        """Write the parts of GAMES, and return their lines."""

    def write(self, manifest: Manifest) -> None:
        """Write the manifest, and remove what it does not name."""

    def count_repeats(self, manifest: Manifest) -> int:
        """Return the number of games of the written store that are counted more than once."""


def publish(reducer: Reducer, options: TallyOptions, sources: Sequence[Source]) -> Manifest:
    """Replace a store by the result of runs and parts, and return its manifest.

    Args:
        reducer: what does the work.
        options: what was counted.
        sources: the archives that were counted.

    Raises:
        StoreError: a file is damaged, or the disk is full. The old store is then unchanged.
    """
    bits = bits_for(reducer.count_sample())
    parts = tuple(reducer.reduce(bits))
    manifest = Manifest(
        options=options,
        sources=tuple(sorted(sources, key=lambda source: (source.source, source.blake3))),
        bits=bits,
        parts=parts,
        game_parts=tuple(reducer.reduce_games()),
    )
    reducer.write(manifest)
    return manifest


class LocalReducer:
    """Reduces runs and parts in this process."""

    def __init__(
        self,
        directory: Path,
        inputs: Inputs,
        work: Path,
        *,
        has_cells: bool = False,
        limits: RunLimits | None = None,
    ) -> None:
        """Take the work.

        Args:
            directory: the store, locked.
            inputs: runs, and parts of stores. Files of other directories stay as they are.
            work: a directory in the store for unfinished files.
            has_cells: whether the store has facets.
            limits: threads and memory.
        """
        self._directory, self._inputs, self._work = directory, inputs, work
        self._has_cells, self._limits = has_cells, limits or RunLimits()
        self._files: list[tuple[Path, str]] = []

    def count_sample(self) -> int:
        """Return the number of rows in the sample."""
        return count_range(self._inputs, *sample_range())

    def reduce(self, bits: int) -> list[Line]:
        """Write the parts of TALLY, and beside them those of GAMES. Return the lines of those of TALLY."""
        pool = ThreadPoolExecutor(max_workers=self._limits.threads)
        self._games = pool.submit(reduce_games, self._inputs, self._work)
        # Few ranges leave threads idle. Those pack columns.
        jobs = max(1, self._limits.threads >> bits)
        try:
            tasks = [
                pool.submit(
                    reduce_range, self._inputs, number, bits, self._work, has_cells=self._has_cells, jobs=jobs
                )
                for number in range(1 << bits)
            ]
            reduced = [task.result() for task in tasks]
        finally:
            pool.shutdown(cancel_futures=True)
        return [self._named("part", number, *each) for number, each in enumerate(reduced) if each is not None]

    def reduce_games(self) -> list[Line]:
        """Return the lines of the parts of GAMES, which are written beside those of TALLY."""
        return [self._named("games", number, *each) for number, each in enumerate(self._games.result())]

    def write(self, manifest: Manifest) -> None:
        """Give all parts their names in the store, write the manifest and remove what it does not name."""
        for part, name in self._files:
            _move(part, self._directory / name)
        sync(self._directory)
        write_manifest(self._directory, manifest)
        remove_leftovers(self._directory)

    def count_repeats(self, manifest: Manifest) -> int:
        """Return the number of games that are counted more than once."""
        files = [self._directory / part["file"] for part in manifest.game_parts]
        return count_repeats(files, manifest.games, self._limits.memory)

    def _named(self, kind: str, number: int, part: Path, line: Line) -> Line:
        named = named_line(kind, number, line)
        self._files.append((part, named["file"]))
        return named


def sample_range() -> tuple[int, int]:
    """Return the first and the last key of the range in which rows are counted."""
    return key_range(0, _SAMPLE_BITS)


def count_range(inputs: Inputs, first: int, last: int) -> int:
    """Return the number of rows in a range of keys, after the inputs are merged."""
    return _core.count_rows(inputs.runs, _parts_of(_meeting(inputs, first, last)), first, last)


def bits_for(sampled: int) -> int:
    """Return log2 of the number of key ranges for a store with this many rows in the sample."""
    rows = sampled << _SAMPLE_BITS
    return max(0, (rows - 1).bit_length() - (ROWS_PER_PART - 1).bit_length())


def key_range(number: int, bits: int) -> tuple[int, int]:
    """Return the first and the last key of a range."""
    width = 1 << (_KEY_BITS - bits)
    return number * width, (number + 1) * width - 1


def _parts_of(lines: Iterable[tuple[Path, Line]]) -> list[str]:
    """Return the files of parts, whose digests are checked: the core trusts what it reads of a whole part."""
    parts = []
    for directory, line in lines:
        check_digest(directory / line["file"], line)
        parts.append(str(directory / line["file"]))
    return parts


def _meeting(inputs: Inputs, first: int, last: int) -> list[tuple[Path, Line]]:
    return [
        (directory, line)
        for directory, line in inputs.parts
        if int(line["first_key"], 16) <= last and first <= int(line["last_key"], 16)
    ]


def reduce_range(
    inputs: Inputs, number: int, bits: int, work: Path, *, has_cells: bool, jobs: int = 1
) -> tuple[Path, dict[str, Any]] | None:
    """Merge one range of keys: return its part and the part's unnamed line; None if the range is empty.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder.schema import TALLY, TALLY_CELLS

    first, last = key_range(number, bits)
    runs, parts = inputs.runs, _meeting(inputs, first, last)
    if bits == inputs.bits and len(parts) == 1 and not _core.runs_hold(runs, first, last):
        [(directory, line)] = parts
        return directory / line["file"], dict(line)
    target = work / f"part-{number:05}-of-{1 << bits:05}.parquet"
    note = target.with_suffix(".json")
    if target.exists() and note.exists():
        return target, json.loads(note.read_text(encoding="utf-8"))
    metadata = _metadata(TALLY_CELLS if has_cells else TALLY)
    summary = _core.reduce_rows(runs, _parts_of(parts), first, last, str(target), has_cells, metadata, jobs)
    if summary is None:
        return None
    size, digest = _core.file_digest(str(target))
    key, lock = summary["newest"]
    checksums_at, checksums_xxh3 = summary["checksums"]
    made = {
        "rows": summary["rows"],
        "bytes": size,
        "blake3": digest,
        "first_key": f"0x{summary['first_key']:016x}",
        "last_key": f"0x{summary['last_key']:016x}",
        **{name: summary[name] for name in ("games", "first_wins", "draws", "second_wins", "newest_year")},
        "newest_key": f"0x{key:016x}",
        "newest_lock": lock,
        "checksums_at": checksums_at,
        "checksums_xxh3": f"0x{checksums_xxh3:016x}",
    }
    write_json(note, made)
    return target, made


def reduce_games(inputs: Inputs, work: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Merge the games of the inputs: return their parts and the unnamed line of each.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder.schema import GAMES

    if not inputs.runs and not inputs.game_parts:
        return []
    parts = _parts_of(inputs.game_parts)
    names, metadata = letters(inputs.all_names), _metadata(GAMES)
    made = _core.reduce_games(inputs.runs, parts, names, str(work / "games"), metadata)
    lines = []
    for path, games in made:
        size, digest = _core.file_digest(str(path))
        lines.append((Path(path), {"rows": games, "bytes": size, "blake3": digest}))
    return lines


def named_line(kind: str, number: int, line: Line) -> dict[str, Any]:
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

    Args:
        files: parts of GAMES.
        games: the number of games in them.
        memory: bytes that the process may have in memory; None = 2 GiB.
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
