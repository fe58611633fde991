"""Run files and parts in, the parts of a store out: one task for each range of keys, then one publication.

A task reads its range of every run and of the parts that were there, and writes one Parquet file under a name
that only depends on the range. Nothing else is shared between tasks, so each can be repeated, or done
elsewhere.

How many ranges there are depends on the rows alone: rows are counted in the first 64th of the key space,
where a 64th of all rows lies since keys are spread evenly, and the ranges are as many as it takes for about
`ROWS_PER_PART` each.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bookbuilder.archives.sources import Source
from bookbuilder.errors import StoreError
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.layout import (
    Line,
    Manifest,
    remove_leftovers,
    sync_directory,
    write_json,
    write_manifest,
)

__all__ = [
    "MOST_RUNS",
    "ROWS_PER_PART",
    "Inputs",
    "as_run_inputs",
    "bits_for",
    "count_range",
    "key_range",
    "letters",
    "manifest_of",
    "part_name",
    "publish",
    "reduce_games",
    "reduce_range",
    "sample_range",
]

ROWS_PER_PART: Final = 1 << 22
"""Rows of a part, twice as many at most: about 110 MB on disk; chosen, not tuned."""
_SAMPLE_BITS: Final = 6
_KEY_BITS: Final = 64
MOST_RUNS: Final = 64
"""Runs that are merged at once: each takes a file handle and a block of rows in memory, half a megabyte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a store is made of.

    Attributes:
        runs: run files.
        names: what the sources of the runs are called; their games index these.
        parts: of each part of TALLY its directory and its line in the manifest there.
        game_parts: likewise of GAMES.
        bits: into how many ranges `parts` are cut, if all are of one store.
    """

    runs: Sequence[Path] = ()
    names: Sequence[str] = ()
    parts: Sequence[tuple[Path, Line]] = ()
    game_parts: Sequence[tuple[Path, Line]] = ()
    bits: int | None = None


def letters(names: Sequence[str]) -> list[str]:
    """Return names of files as tables hold them: bytes that are no letter in UTF-8 become U+FFFD."""
    return [os.fsencode(name).decode(errors="replace") for name in names]


def as_run_inputs(runs: Sequence[Path], names: Sequence[str], work: Path) -> Sequence[Path]:
    """Return runs that can be merged at once: themselves, or, if they are too many, merged ones."""
    from bookbuilder import _core

    level = 0
    while len(runs) > MOST_RUNS:
        level += 1
        merged = []
        for number, start in enumerate(range(0, len(runs), MOST_RUNS)):
            target = work / f"merged-{level}-{number:05}.run"
            if not target.exists():
                _core.merge_runs(_texts(runs[start : start + MOST_RUNS]), letters(names), str(target))
            merged.append(target)
        runs = merged
    return runs


def publish(
    directory: Path,
    inputs: Inputs,
    options: TallyOptions,
    sources: Sequence[Source],
    *,
    work: Path,
    jobs: int | None = None,
) -> Manifest:
    """Make the store that inputs come to, in place of what was in the directory.

    Args:
        directory: the store, locked.
        inputs: runs, and parts of stores; what is not of this directory stays as it is.
        options: what was counted.
        sources: the archives that the inputs hold.
        work: a directory in the store for what is not finished; removed at the end.
        jobs: tasks at once; None = one for each processor.

    Raises:
        StoreError: a file is damaged, or the disk is full; the old store is as it was.
    """
    from concurrent.futures import ThreadPoolExecutor

    bits = bits_for(count_range(inputs, *sample_range()))
    has_cells = bool(options.facets)
    pool = ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1)
    try:
        tasks = [
            pool.submit(reduce_range, inputs, number, bits, work, has_cells=has_cells)
            for number in range(1 << bits)
        ]
        made = [task.result() for task in tasks]
    finally:
        pool.shutdown(cancel_futures=True)
    games = reduce_games(inputs, sources, work)
    parts = [
        _settled(directory, "part", number, *each) for number, each in enumerate(made) if each is not None
    ]
    game_parts = [_settled(directory, "games", number, *each) for number, each in enumerate(games)]
    manifest = manifest_of(options, sources, bits, parts, game_parts)
    sync_directory(directory)
    write_manifest(directory, manifest)
    remove_leftovers(directory)
    return manifest


def manifest_of(
    options: TallyOptions,
    sources: Sequence[Source],
    bits: int,
    parts: Sequence[Line],
    game_parts: Sequence[Line],
) -> Manifest:
    """Return the manifest of a store of these archives and parts."""
    return Manifest(
        options=options,
        sources=tuple(sorted(sources, key=lambda source: (source.source, source.blake3))),
        bits=bits,
        parts=tuple(parts),
        game_parts=tuple(game_parts),
    )


def sample_range() -> tuple[int, int]:
    """Return the first and the last key of the range in which rows are counted."""
    return key_range(0, _SAMPLE_BITS)


def count_range(inputs: Inputs, first: int, last: int) -> int:
    """Return how many rows the inputs come to within a range of keys."""
    from bookbuilder import _core

    return _core.count_rows(_texts(inputs.runs), _meeting(inputs, first, last), first, last)


def bits_for(sampled: int) -> int:
    """Return into how many ranges, as a power of two, a store is cut that has so many rows in the sample."""
    rows = sampled << _SAMPLE_BITS
    return max(0, (rows - 1).bit_length() - (ROWS_PER_PART - 1).bit_length())


def key_range(number: int, bits: int) -> tuple[int, int]:
    """Return the first and the last key of a range."""
    width = 1 << (_KEY_BITS - bits)
    return number * width, (number + 1) * width - 1


def _meeting(inputs: Inputs, first: int, last: int) -> list[str]:
    return [
        str(directory / line["file"])
        for directory, line in inputs.parts
        if int(line["first_key"], 16) <= last and first <= int(line["last_key"], 16)
    ]


def reduce_range(
    inputs: Inputs, number: int, bits: int, work: Path, *, has_cells: bool
) -> tuple[Path, dict[str, Any]] | None:
    """Do one task: return the part of a range and its line so far; None if it has no rows.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder import _core
    from bookbuilder.schema import TALLY, TALLY_CELLS

    first, last = key_range(number, bits)
    runs, parts = _texts(inputs.runs), _meeting(inputs, first, last)
    if bits == inputs.bits and len(parts) == 1 and not _core.runs_hold(runs, first, last):
        held = next(each for each in inputs.parts if str(each[0] / each[1]["file"]) == parts[0])
        return held[0] / held[1]["file"], dict(held[1])
    target = work / f"part-{number:05}-of-{1 << bits:05}.parquet"
    note = target.with_suffix(".json")
    if target.exists() and note.exists():
        return target, json.loads(note.read_text(encoding="utf-8"))
    metadata = _metadata(TALLY_CELLS if has_cells else TALLY)
    held_by = _core.reduce_rows(runs, parts, first, last, str(target), has_cells, metadata)
    if held_by is None:
        return None
    line = _line(target, held_by)
    write_json(note, line)
    return target, line


def _line(part: Path, summary: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of a part, but for its name."""
    from bookbuilder import _core

    size, digest = _core.file_digest(str(part))
    key, lock = summary["newest"]
    return {
        "rows": summary["rows"],
        "bytes": size,
        "blake3": digest,
        "first_key": f"0x{summary['first_key']:016x}",
        "last_key": f"0x{summary['last_key']:016x}",
        **{name: summary[name] for name in ("games", "first_wins", "draws", "second_wins", "newest_year")},
        "newest_key": f"0x{key:016x}",
        "newest_lock": lock,
    }


def reduce_games(inputs: Inputs, sources: Sequence[Source], work: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Merge the games of the inputs: return their parts and each one's line so far.

    Raises:
        StoreError: a file is damaged, or the disk is full.
    """
    from bookbuilder import _core
    from bookbuilder.schema import GAMES

    if not inputs.runs and not inputs.game_parts:
        return []
    # The runs' names come first, since their games index them.
    names = [*inputs.names, *sorted({source.source for source in sources} - set(inputs.names))]
    parts = [str(directory / line["file"]) for directory, line in inputs.game_parts]
    made = _core.reduce_games(
        _texts(inputs.runs), parts, letters(names), str(work / "games"), _metadata(GAMES)
    )
    lines = []
    for path, games in made:
        size, digest = _core.file_digest(str(path))
        lines.append((Path(path), {"rows": games, "bytes": size, "blake3": digest}))
    return lines


def _settled(directory: Path, kind: str, number: int, part: Path, line: dict[str, Any]) -> Line:
    """Give a part its name in the store and return its line of the manifest."""
    name = part_name(kind, number, line)
    where = directory / name
    if part != where:
        try:
            if part.parent.parent == directory:
                part.replace(where)
            else:
                _copy(part, where)
        except OSError as error:
            raise StoreError(f"{where}: cannot be written: {error.strerror or error}") from error
    return {"file": name, **{key: value for key, value in line.items() if key != "file"}}


def part_name(kind: str, number: int, line: Line) -> str:
    """Return what a part is called in a store: by its number and content."""
    return f"{kind}-{number:05}-{line['blake3'][:16]}.parquet"


def _copy(part: Path, where: Path) -> None:
    """Take over a part of another store; a part never changes, so one file can serve both."""
    import shutil

    temporary = where.with_name(f".tmp-{where.name}")
    temporary.unlink(missing_ok=True)
    try:
        temporary.hardlink_to(part)
    except OSError:
        shutil.copyfile(part, temporary)
    temporary.replace(where)


def _metadata(schema: Any) -> list[tuple[str, str]]:  # noqa: ANN401 (pyarrow's stub knows no bytes of a schema)
    """The schema as Arrow's readers look for it in a Parquet file, with each column's meaning and unit."""
    return [("ARROW:schema", base64.b64encode(schema.serialize().to_pybytes()).decode())]


def _texts(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]
