"""A store that is open: its manifest, the rows of a position, columns and tables; and a table to disk.

Opening reads the manifest and the sizes of the parts. A position is looked up by the page index of the one
part that can hold it; a table is read whole, its digest checked.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bookbuilder.archives.filters import GameFilter
from bookbuilder.archives.sources import Source
from bookbuilder.errors import BookBuilderError, StoreError
from bookbuilder.games.position import START_WORD, as_position
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.layout import (
    WORK,
    Line,
    Manifest,
    locked,
    read_manifest,
    remove_leftovers,
    require_place,
)
from bookbuilder.tally.store.reduce import Inputs, letters, publish

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder import _core

__all__ = ["OpenStore", "TallyRow", "TemporaryStore", "check_digest", "write_store"]


class TallyRow(NamedTuple):
    """One row of TALLY of a position that is known: the columns behind key and lock."""

    move: int
    mover: int
    games: int
    first_wins: int
    draws: int
    second_wins: int
    ply: int
    rating_sum: int
    rated: int
    year_min: int
    year_max: int
    marks: int
    sample: int
    sample_rating: int


class OpenStore:
    """A store on disk, read as far as it is asked for.

    Attributes:
        directory: where it is.
        manifest: what it holds.
        options: what the rows that it answers with count.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        manifest: Manifest | None = None,
        *,
        filters: GameFilter | None = None,
    ) -> None:
        """Open a store, or those of its games that filters let stay.

        Raises:
            OptionError: the store does not keep apart what a filter asks for.
            StoreError: there is no store, it is of another version, or a file of it is missing or of another
                size.
        """
        self.directory = Path(directory)
        self.manifest = read_manifest(directory) if manifest is None else manifest
        held = self.manifest.options
        asked = GameFilter() if filters is None else filters
        self.options = replace(held, filters=held.filters.narrowed(asked), facets=())
        self._question = (asdict(asked), held.facets)
        self._sound: dict[Path, tuple[int, int]] = {}
        if asked != GameFilter():
            from bookbuilder import _core

            _core.check_question(self._question)

    @property
    def has_cells(self) -> bool:
        """Whether facets are kept apart: rows then are sums over the cells that are asked for."""
        return bool(self.manifest.options.facets)

    @cached_property
    def _lookup(self) -> _core.StoreLookup:
        from bookbuilder import _core

        return _core.StoreLookup(
            [
                (str(self.directory / part["file"]), int(part["first_key"], 16), int(part["last_key"], 16))
                for part in self.manifest.parts
            ],
            self._question if self.has_cells else None,
        )

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move.

        Raises:
            StoreError: a part is damaged.
        """
        return [
            TallyRow(move, mover, *counts, *rest)
            for move, mover, counts, *rest in self._lookup.rows(key, lock)
        ]

    @cached_property
    def newest(self) -> tuple[int, int] | None:
        """Key and lock of a position that a game of the newest year reached; None if no year is known.

        Raises:
            StoreError: a part is damaged.
        """
        if not self.has_cells:
            return self.manifest.newest
        if not self.options.custom_starts:
            # Every game has been there.
            start = as_position(START_WORD, self.options.game).stored(self.options.fold)
            return start if any(row.year_max for row in self.rows_at(*start)) else None
        return _newest_in(self.rows())

    @property
    def newest_year(self) -> int:
        """The newest year of a game; 0 if no year is known.

        Raises:
            StoreError: a part is damaged.
        """
        if not self.has_cells:
            return self.manifest.newest_year
        return max((row.year_max for row in self.rows_at(*self.newest)), default=0) if self.newest else 0

    def counts_at(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of each position, given by (key, lock).

        Raises:
            StoreError: a part is damaged.
        """
        return self._lookup.counts(positions)

    def rows(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows, schema TALLY, or some columns of them.

        Raises:
            StoreError: a part is damaged.
        """
        from bookbuilder.schema import TALLY

        return _joined([self._rows_of(part, columns) for part in self.manifest.parts], TALLY, columns)

    def row_parts(self) -> Iterator[pa.Table]:
        """Yield the rows part by part, schema TALLY; those of a position are in one part.

        Raises:
            StoreError: a part is damaged.
        """
        return (self._rows_of(part, None) for part in self.manifest.parts)

    def games(self) -> pa.Table:
        """Return the games, schema GAMES.

        Raises:
            StoreError: a part is damaged.
        """
        from bookbuilder.schema import GAMES

        return _joined([self._part(part, GAMES, None) for part in self.manifest.game_parts], GAMES, None)

    def _rows_of(self, part: Line, columns: Sequence[str] | None) -> pa.Table:
        """Return rows of a part: its own, or the sums of those that are asked for."""
        from bookbuilder import _core
        from bookbuilder.schema import TALLY, TALLY_CELLS, check, from_native

        if not self.has_cells:
            return self._part(part, TALLY, columns)
        cells = self._part(part, TALLY_CELLS, None)
        rows = check(from_native(_core.sum_cells(cells, self._question)), TALLY)
        return rows if columns is None else rows.select(list(columns))

    def _part(self, part: Line, schema: pa.Schema, columns: Sequence[str] | None) -> pa.Table:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from bookbuilder.schema import check

        where = self.directory / part["file"]
        self._check(where, part)
        try:
            with pq.ParquetFile(where) as file:
                table = file.read(columns=None if columns is None else list(columns))
            wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
            return check(table, wanted.with_metadata(schema.metadata))
        except BookBuilderError as error:
            raise StoreError(f"{where}: {error}") from error
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{where}: is missing or damaged: {error}") from error

    def _check(self, where: Path, part: Line) -> None:
        """Check the digest of a part, once for each time that it has been written to."""
        facts = where.stat() if where.exists() else None
        written = None if facts is None else (facts.st_mtime_ns, facts.st_ino)
        if written is None or self._sound.get(where) != written:
            check_digest(where, part)
        if written is not None:
            self._sound[where] = written


def _newest_in(rows: pa.Table) -> tuple[int, int] | None:
    """Return key and lock of a position of the newest year in rows of TALLY; None if no year is known."""
    from bookbuilder.schema import values

    key, lock, year = (values(rows.column(name)) for name in ("key", "lock", "year_max"))
    if not year.any():
        return None
    row = int(year.argmax())
    return int(key[row]), int(lock[row])


def _joined(tables: Sequence[pa.Table], schema: pa.Schema, columns: Sequence[str] | None) -> pa.Table:
    import pyarrow as pa

    from bookbuilder.schema import empty

    return pa.concat_tables([empty(schema).select(columns or schema.names), *tables]).combine_chunks()


class TemporaryStore:
    """The place of a store that is there as long as something refers to this.

    Attributes:
        path: the store; there is none yet.
    """

    def __init__(self) -> None:
        """Make the directory that the store's is to be in."""
        directory = tempfile.mkdtemp(prefix="bookbuilder-")
        self.path = Path(directory, "store")
        weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)


def check_digest(where: Path, part: Line) -> None:
    """Refuse a part that is not what was written.

    Raises:
        StoreError: it is missing or damaged.
    """
    from bookbuilder import _core

    try:
        found = _core.file_digest(str(where))
    except OSError as error:
        raise StoreError(f"{where}: is missing: {error.strerror or error}; open the store again") from error
    if found != (part["bytes"], part["blake3"]):
        raise StoreError(f"{where}: is damaged: its digest is {found[1]}, the manifest says {part['blake3']}")


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

    Args:
        path: the directory; made if it does not exist.
        rows: schema TALLY, sorted.
        games: schema GAMES, sorted.
        options: what was counted.
        sources: the archives that the tables came from.
        force: whether a store that is there may be replaced.

    Raises:
        OutputExistsError: there is a store and `force` is not given, the path is a file, or the directory
            holds other files than a store's.
        StoreError: another process writes to it, or the disk is full.
    """
    from bookbuilder import _core

    directory = Path(path)
    require_place(directory, force=force)
    with locked(directory):
        work = directory / WORK
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        try:
            run = work / "run-00000.run"
            names = sorted({source.source for source in sources})
            _core.write_run(str(run), rows, games, letters(names))
            inputs = Inputs(runs=[run], names=names)
            return publish(directory, inputs, options, sources, work=work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            remove_leftovers(directory)
