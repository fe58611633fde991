"""The tables of an open store: rows, single columns and games. Digests of parts are checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.columns import values
from bookbuilder.errors import BookBuilderError, SchemaError, StoreError
from bookbuilder.schema import GAMES, TALLY, TALLY_CELLS, check, check_order, empty, from_native
from bookbuilder.tally.store.layout import Line, Manifest, check_digest

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["StoreTables"]


class StoreTables:
    """The tables of a store, each read when it is first needed."""

    def __init__(
        self, directory: Path, manifest: Manifest, question: tuple[GameFilter, Sequence[str]]
    ) -> None:
        """Take the store, and which of its games are asked for."""
        self.directory, self.manifest, self._question = directory, manifest, question
        self._sound: dict[Path, tuple[int, int]] = {}
        self._columns: dict[str, npt.NDArray[Any]] = {}

    @cached_property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column.

        Raises:
            StoreError: a part is damaged.
        """
        rows = _joined(self.row_parts(), TALLY)
        try:
            check_order(rows)
        except SchemaError as error:
            raise StoreError(f"{self.directory}: {error}") from error
        return rows

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of the rows. Only this column is read, unless the table is there already.

        Raises:
            StoreError: a part is damaged.
        """
        if name not in self._columns:
            # Cells are added up from whole rows, so the table is kept.
            is_whole = self._has_cells or "table" in vars(self)
            column = self.table.column(name) if is_whole else self._stored_column(name)
            self._columns[name] = values(column)
        return self._columns[name]

    def _stored_column(self, name: str) -> pa.ChunkedArray[Any]:
        schema = pa.schema([TALLY.field(name)]).with_metadata(TALLY.metadata)
        return _joined((self._part(part, schema, [name]) for part in self.manifest.parts), schema).column(0)

    def row_parts(self) -> Iterator[pa.Table]:
        """Yield the rows part by part, schema TALLY; the rows of a position are in one part.

        Raises:
            StoreError: a part is damaged.
        """
        return map(self._rows_of, self.manifest.parts)

    def frequent(self, min_games: int) -> Iterator[_core.FrequentRows]:
        """Yield the rows of positions of enough games, and the numbers of the others, part by part.

        Only some of the rows of a part are in memory at a time.

        Raises:
            StoreError: a part is damaged.
        """
        for part in self.manifest.parts:
            if self._has_cells:
                yield _core.frequent_positions(self._rows_of(part), min_games)
                continue
            where = self.directory / part["file"]
            self._check(where, part)
            yield _core.frequent_in_part(str(where), min_games)

    @cached_property
    def games(self) -> pa.Table:
        """The games, schema GAMES.

        Raises:
            StoreError: a part is damaged.
        """
        return _joined((self._part(part, GAMES) for part in self.manifest.game_parts), GAMES)

    @property
    def _has_cells(self) -> bool:
        return bool(self.manifest.options.facets)

    def _rows_of(self, part: Line) -> pa.Table:
        """Return the rows of a part, or the sums of the cells that are asked for."""
        if not self._has_cells:
            return self._part(part, TALLY)
        cells = self._part(part, TALLY_CELLS)
        return check(from_native(_core.sum_cells(cells, self._question)), TALLY)

    def _part(self, part: Line, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
        """Return the table of a part, or some of its columns."""
        with self._opened(part) as file:
            return check(file.read(columns=columns), schema)

    @contextmanager
    def _opened(self, part: Line) -> Iterator[pq.ParquetFile]:
        """Open a part whose digest is right; errors while it is read name it."""
        where = self.directory / part["file"]
        self._check(where, part)
        try:
            with pq.ParquetFile(where) as file:
                yield file
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


def _joined(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([empty(schema), *tables]).combine_chunks()
