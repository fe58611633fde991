"""An open store: its manifest and the rows of a position; tables are read when they are first needed.

Opening reads the manifest and the sizes of the parts. A lookup uses the page index of the one part that can
have the position. A table is read whole, and the digests of its parts are checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder import _core
from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import BookBuilderError, OptionError, SchemaError, StoreError
from bookbuilder.games.position import START_WORD, as_position
from bookbuilder.tally.rows import TallyRow
from bookbuilder.tally.store.layout import Line, Manifest, check_digest, read_manifest, with_remedy

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa


class OpenStore:
    """A store on disk. It reads only what it is asked for.

    Attributes:
        directory: where it is.
        manifest: its description.
        options: what its rows count, with the filters that were asked for.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        manifest: Manifest | None = None,
        *,
        filters: GameFilter | None = None,
        owner: object = None,
    ) -> None:
        """Open a store, or the games of it that pass filters.

        The manifest may have been read before. An owner lives as long as this object.

        Raises:
            OptionError: the store does not keep apart what a filter asks for.
            StoreError: the store does not exist or has another version, or a file is missing or has another
                size.
        """
        self.directory = Path(directory)
        self.manifest = read_manifest(directory) if manifest is None else manifest
        counted = self.manifest.options
        asked = GameFilter() if filters is None else filters
        self.options = replace(counted, filters=counted.filters.narrowed(asked), facets=())
        self._question = (asked, counted.facets)
        self._owner = owner
        self._sound: dict[Path, tuple[int, int]] = {}
        self._columns: dict[str, npt.NDArray[Any]] = {}
        if asked == GameFilter():
            return
        try:
            _core.check_question(self._question)
        except OptionError as error:
            what = f"{self.directory}: {error}. Recount with it, or build from the archives"
            raise OptionError(what) from error

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.table.num_rows if self.has_cells else self.manifest.rows

    @property
    def has_cells(self) -> bool:
        """Whether facets are kept apart. Rows then are sums over the cells that are asked for."""
        return bool(self.manifest.options.facets)

    @cached_property
    def _lookup(self) -> _core.StoreLookup:
        return _core.StoreLookup(
            [
                (
                    str(self.directory / part["file"]),
                    int(part["first_key"], 16),
                    int(part["last_key"], 16),
                    (part["checksums_at"], int(part["checksums_xxh3"], 16)),
                )
                for part in self.manifest.parts
            ],
            self._question if self.has_cells else None,
        )

    def rows_at(self, key: int, lock: int) -> list[TallyRow]:
        """Return the rows of a position, by move.

        Raises:
            StoreError: a part is damaged.
        """
        with with_remedy():
            return [TallyRow(*row) for row in self._lookup.rows(key, lock)]

    @property
    def newest_year(self) -> int:
        """The newest year of a game; 0 if no year is known.

        Raises:
            StoreError: a part is damaged.
        """
        if not self.has_cells:
            return self.manifest.newest_year
        # Every game has been at the start position.
        return max((row.year_max for row in self.rows_at(*self._start)), default=0)

    def counts_at(self, positions: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of each position, given by (key, lock).

        Raises:
            StoreError: a part is damaged.
        """
        with with_remedy():
            return self._lookup.counts(positions)

    # A look-up does not load pyarrow, so the methods that need it import it.

    @cached_property
    def table(self) -> pa.Table:
        """The rows, schema TALLY, one chunk a column.

        Raises:
            StoreError: a part is damaged.
        """
        from bookbuilder.schema import TALLY, check_order

        rows = _joined(map(self._rows_of, self.manifest.parts), TALLY)
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
        import pyarrow as pa

        from bookbuilder.columns import values
        from bookbuilder.schema import TALLY

        if name not in self._columns:
            # Cells are added up from whole rows, so the table is kept.
            if self.has_cells or "table" in vars(self):
                column = self.table.column(name)
            else:
                schema = pa.schema([TALLY.field(name)]).with_metadata(TALLY.metadata)
                parts = (self._part(part, schema, [name]) for part in self.manifest.parts)
                column = _joined(parts, schema).column(0)
            self._columns[name] = values(column)
        return self._columns[name]

    @property
    def rare(self) -> None:
        """Always None: an open store has the rows of all positions."""
        return

    def frequent(self, min_games: int) -> Iterable[_core.FrequentRows]:
        """Yield the rows of positions of enough games, and the numbers of the others, part by part.

        Only some of the rows of a part are in memory at a time.

        Raises:
            StoreError: a part is damaged.
        """
        for part in self.manifest.parts:
            if self.has_cells:
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
        from bookbuilder.schema import GAMES

        return _joined((self._part(part, GAMES) for part in self.manifest.game_parts), GAMES)

    def _rows_of(self, part: Line) -> pa.Table:
        """Return the rows of a part, or the sums of the cells that are asked for."""
        from bookbuilder.schema import TALLY, TALLY_CELLS, check, from_native

        if not self.has_cells:
            return self._part(part, TALLY)
        cells = self._part(part, TALLY_CELLS)
        return check(from_native(_core.sum_cells(cells, self._question)), TALLY)

    def _part(self, part: Line, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
        """Return the table of a part whose digest is right, or some of its columns."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        from bookbuilder.schema import check

        where = self.directory / part["file"]
        self._check(where, part)
        try:
            with pq.ParquetFile(where) as file:
                return check(file.read(columns=columns), schema)
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

    @property
    def game_count(self) -> int:
        """The number of games that the rows count.

        Raises:
            StoreError: a part is damaged.
        """
        # Every game of a store with facets has been at the start position.
        return self.counts_at([self._start])[0][0] if self.has_cells else self.manifest.games

    @property
    def _start(self) -> tuple[int, int]:
        return as_position(START_WORD, self.options.game).stored(self.options.fold)


def _joined(tables: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    from bookbuilder.schema import empty

    return pa.concat_tables([empty(schema), *tables]).combine_chunks()
