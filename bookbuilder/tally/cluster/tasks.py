"""The tasks of workers. Arguments and results are small values; files stay on storage.

The plan alone decides the names of a task's files. A task writes a note last, and does nothing if its note
exists. So tasks can be repeated, by another worker or by the next run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from bookbuilder import _core
from bookbuilder.archives.sources import Source
from bookbuilder.errors import OptionError, StoreError
from bookbuilder.tally.cluster.plan import Looked, Plan
from bookbuilder.tally.cluster.storage import Archive, Folder, local_archive, scratch
from bookbuilder.tally.options import RunLimits
from bookbuilder.tally.report import add_figures
from bookbuilder.tally.store.grow import spill
from bookbuilder.tally.store.layout import WORK, Line
from bookbuilder.tally.store.reduce import (
    Inputs,
    count_range,
    count_repeats,
    key_range,
    letters,
    merge_groups,
    mergeable,
    named_line,
    reduce_games,
    reduce_range,
)

_PLACE_BYTES: Final = 1 << 20
"""Size of tasks for which each block of 256 KiB of text gets a place; larger tasks get fewer places."""
_WORKER_BYTES: Final = 256 << 20
"""Bytes of memory of Python, Dask and this package in a worker. Measured: 190 MiB."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """The work directory of a store, with file names that begin with the digest of a plan.

    So tasks of another plan that a cluster still runs do no harm.
    """

    store: str
    plan: str

    @property
    def folder(self) -> Folder:
        """The store."""
        return Folder(self.store)

    def name(self, name: str) -> str:
        """Return the name of a file of the plan in the store."""
        return f"{WORK}/{self.plan}-{name}"

    def read_plan(self) -> Plan:
        """Return the plan.

        Raises:
            StoreError: it is missing.
        """
        text = self.folder.read(self.name("plan.json"))
        if text is None:
            raise StoreError(
                f"{self.store}: the plan is missing in the work directory; run the command again"
            )
        return Plan.from_json(text)

    def base_directory(self) -> Path:
        """Return the directory of a store that is grown. A store behind a URL is never grown."""
        path = self.folder.path
        assert path is not None
        return path


def core_version() -> str:
    """Return the version of the native core that a worker has."""
    return str(_core.CORE_VERSION)


def checked(version: str, task: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401 (whatever a task takes)
    """Call a task if the worker has a version; a worker may come when the command has begun.

    Raises:
        OptionError: it has another version.
    """
    if core_version() != version:
        raise OptionError(f"a worker has bookbuilder {core_version()}, here is {version}")
    return task(*arguments)


def look(archives: Sequence[Archive], game: str, task_bytes: int, max_inflate: int | None) -> list[Looked]:
    """Return size and digest of archives, and places where large ones can be cut.

    Raises:
        ArchiveError: an archive cannot be read.
    """
    found = []
    for archive in archives:
        with scratch() as local:
            path = local_archive(archive.location, local)
            if Source.unread(path).size <= task_bytes:
                source = Source.of_file(path)
                found.append(Looked(source.size, source.blake3))
                continue
            every = max(1, task_bytes // _PLACE_BYTES)
            _, places, size, digest = _core.count_blocks(str(path), game, every, max_inflate)
            found.append(Looked(size, digest, tuple(places)))
    return found


def count_shard(desk: Desk, number: int, memory: int) -> dict[str, int]:
    """Count a shard of the plan into `run-<number>.run`; return its bytes, games and rejects.

    Raises:
        ArchiveError: an archive is missing.
        StoreError: the storage fails.
    """
    folder, name = desk.folder, desk.name(f"run-{number:05}.run")
    if (note := folder.read(f"{name}.json")) is not None:
        return dict(json.loads(note))
    plan = desk.read_plan()
    shard = plan.shards[number]
    with scratch() as local:
        paths = [Path(location) for location in plan.locations]
        for index in shard.sources:
            paths[index] = local_archive(plan.locations[index], local, shard.fetched)
        limits = RunLimits(
            memory=memory, jobs=1, max_inflate=plan.max_inflate, keep_rejected=plan.keep_rejected
        )
        runs = spill(
            paths,
            plan.options,
            limits,
            directory=local,
            names=letters(plan.names),
            stretch=shard.stretch,
            used=_WORKER_BYTES,
        )
        if len(runs) > 1:
            runs = list(mergeable(runs, lambda groups: merge_groups(groups, plan.names, local)))
            runs = merge_groups([(runs, "whole.run")], plan.names, local)
        assert runs[0].path is not None
        folder.put(Path(runs[0].path), name)
        sources = add_figures(runs)["sources"].values()
        figures = {
            "bytes": shard.bytes,
            "games": sum(source["games_read"] for source in sources),
            "rejects": sum(sum(source["rejects"].values()) for source in sources),
        }
    folder.write(f"{name}.json", json.dumps(figures))
    return figures


def merge_runs(desk: Desk, runs: Sequence[str], target: str) -> str:
    """Merge neighbouring runs into one and return its name in the store.

    Raises:
        StoreError: a run is damaged, or the storage fails.
    """
    folder, name = desk.folder, desk.name(target)
    if folder.read(f"{name}.json") is None:
        with scratch() as local:
            fetched = [_core.Run(str(folder.fetch(run, local))) for run in runs]
            merge_groups([(fetched, "merged.run")], desk.read_plan().names, local)
            folder.put(local / "merged.run", name)
        folder.write(f"{name}.json", "{}")
    return name


def count_rows(desk: Desk, runs: Sequence[str], first: int, last: int) -> int:
    """Return the number of rows in a range of keys, after runs and parts of the store are merged.

    Raises:
        StoreError: a file is damaged, or the storage fails.
    """
    with scratch() as local:
        return count_range(_inputs(desk, runs, local, first, last), first, last)


def reduce_parts(desk: Desk, runs: Sequence[str], numbers: range, bits: int) -> list[dict[str, Any] | None]:
    """Merge neighbouring ranges of keys into parts of the store; return their lines, None for empty ranges.

    Raises:
        StoreError: a file is damaged, or the storage fails.
    """
    folder, has_cells = desk.folder, bool(desk.read_plan().options.facets)
    notes = {number: desk.name(f"part-{number:05}-of-{1 << bits:05}.json") for number in numbers}
    found = {number: folder.read(note) for number, note in notes.items()}
    lines = {number: None if text is None else dict(json.loads(text)) for number, text in found.items()}
    if None in lines.values():
        with scratch() as local:
            first, last = key_range(numbers[0], bits)[0], key_range(numbers[-1], bits)[1]
            inputs = _inputs(desk, runs, local, first, last)
            for number in (number for number in numbers if lines[number] is None):
                made = reduce_range(inputs, number, bits, local, has_cells=has_cells)
                if made is not None:
                    lines[number] = line = _kept(folder, "part", number, *made, local=local)
                    folder.write(notes[number], json.dumps(line))
    return list(lines.values())


def reduce_all_games(desk: Desk, runs: Sequence[str], memory: int) -> tuple[list[dict[str, Any]], int]:
    """Merge the games into parts of the store; return their lines, and the number of repeated games.

    Raises:
        StoreError: a file is damaged, or the storage fails.
    """
    folder, plan = desk.folder, desk.read_plan()
    with scratch() as local:
        inputs = Inputs(
            runs=[_core.Run(str(folder.fetch_run(run, local, _core.Run.game_extents))) for run in runs],
            names=plan.names,
            game_parts=[(desk.base_directory(), part) for part in plan.base.game_parts] if plan.base else [],
            others=[source.source for source in plan.base.sources] if plan.base else [],
        )
        made = reduce_games(inputs, local)
        games = sum(line["rows"] for _, line in made)
        repeats = count_repeats([path for path, _ in made], games, memory)
        lines = [_kept(folder, "games", number, *each, local=local) for number, each in enumerate(made)]
    return lines, repeats


def _inputs(desk: Desk, runs: Sequence[str], local: Path, first: int, last: int) -> Inputs:
    """Return the inputs of a range of keys as local files."""
    folder, plan = desk.folder, desk.read_plan()
    fetched = [
        _core.Run(str(folder.fetch_run(run, local, lambda run: run.row_extents(first, last)))) for run in runs
    ]
    return Inputs(
        runs=fetched,
        names=plan.names,
        parts=[(desk.base_directory(), part) for part in plan.base.parts] if plan.base else [],
        bits=plan.base.bits if plan.base else None,
    )


def _kept(folder: Folder, kind: str, number: int, part: Path, line: Line, *, local: Path) -> dict[str, Any]:
    """Put a new part into the store and return its line; an existing part stays where it is."""
    named = named_line(kind, number, line)
    if part.parent == local:
        folder.put(part, named["file"])
        part.unlink()
    return named
