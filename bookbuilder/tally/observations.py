"""Observations: the moves of games one by one, as batches of Arrow, before anything is counted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Unpack

import pyarrow as pa

from bookbuilder import _core
from bookbuilder.archives.find import detect_game, find_archives
from bookbuilder.archives.sources import new_sources
from bookbuilder.errors import OptionError
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import spelled_out
from bookbuilder.schema import OBSERVATIONS, from_native
from bookbuilder.tally.options import CountArguments, RunLimits, TallyOptions, parted
from bookbuilder.tally.report import TallyReport, add_figures, first_rejects, report_of

if TYPE_CHECKING:
    import pandas as pd

_RUN_BYTES: Final = 32 << 20
"""Memory of the observations that are read ahead."""
_ROWS: Final = 1 << 17
"""Maximum rows of a batch."""


class Observations:
    """The observations of archives, schema OBSERVATIONS. Each iteration reads the archives again.

    polars, DuckDB and pyarrow read this object as a stream of Arrow.

    Attributes:
        game: the game.
        report: figures of the last iteration that reached the end; None before.

    Example:
        >>> seen = bb.observations("games.pgn", max_ply=2)
        >>> [batch.num_rows for batch in seen], seen.report.games_used
        ([18], 6)
    """

    def __init__(self, files: Sequence[Path], options: TallyOptions, limits: RunLimits) -> None:
        """Take archive files, what is observed, and the limits; `observations` returns this object."""
        if options.variations:
            raise OptionError("variations is True: observations are of main lines only; use a tally")
        self.game: Game = options.game
        self.report: TallyReport | None = None
        self._files, self._options, self._limits = files, replace(options, facets=()), limits

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Read the archives, and yield the observations in batches, in the order of the archives.

        Raises:
            ArchiveError: no file can be read.
        """
        files, sources, skipped = new_sources(self._files, ())
        figures, rejects = add_figures(()), tuple[dict[str, object], ...]()
        for run in _core.Observer(list(map(str, files)), self._options, self._limits, _RUN_BYTES):
            figures, rejects = add_figures([run], figures), rejects or first_rejects([run])
            yield from from_native(run.observations()).to_batches(max_chunksize=_ROWS)
        self.report = replace(report_of(figures, sources), skipped=skipped, first_rejects=rejects)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a stream of Arrow."""
        reader = pa.RecordBatchReader.from_batches(OBSERVATIONS, iter(self))
        stream: object = reader.__arrow_c_stream__(requested_schema)  # type: ignore[no-untyped-call]
        return stream

    def to_arrow(self) -> pa.Table:
        """Return all observations as a table.

        Example:
            >>> bb.observations("games.pgn").to_arrow().column_names[:4]
            ['key', 'lock', 'move', 'mover']
        """
        return pa.Table.from_batches(self, OBSERVATIONS)

    def to_pandas(self) -> pd.DataFrame:
        """Return all observations as a frame: 33 bytes a row. For more than fits, loop over the batches.

        Example:
            >>> frame = bb.observations("games.pgn").to_pandas()
            >>> int(frame.groupby(["key", "move"]).size().max())
            4
        """
        return self.to_arrow().to_pandas()


@spelled_out(CountArguments)
def observations(
    *paths: str | os.PathLike[str], game: Game | Literal["auto"] = "auto", **options: Unpack[CountArguments]
) -> Observations:
    """Return the observations of archives: one row for each position of a game, and the move played there.

    A position counts once a game, with the first move played from it. The last position of a game, or the one
    at the ply limit, has move 0. So `groupby(["key", "lock", "move"])` counts what a tally counts.

    Args:
        *paths: files, directories (searched recursively), patterns or `@` lists of them.
        game: `chess`, `xiangqi`, or `auto`: by content.
        **options: as of `Tally.from_archives`, without variations.

    Raises:
        ArchiveError: a file is missing, cannot be read, or is of no known format.
        OptionError: an option is invalid.
        TypeError: an option is unknown.

    Example:
        >>> rows = bb.observations("games.pgn", max_ply=1).to_pandas()
        >>> rows[["mover", "ply", "result", "rating", "game"]].head(2).to_numpy().tolist()
        [[0, 0, 1, 2500, 0], [1, 1, 1, 2400, 0]]
    """
    changes, limits = parted(options)
    files = find_archives(paths)
    found = detect_game(files, limits.max_inflate) if game == "auto" else as_game(game)
    return Observations(files, TallyOptions(game=found).changed(changes), limits)
