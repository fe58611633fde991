"""Finds games of a store by their fingerprints.

The fingerprints of all games are read once and take 16 bytes of memory each. The row of a game is then read
from its row group.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from bookbuilder.archives.played_game import RESULTS
from bookbuilder.errors import StoreError
from bookbuilder.explorer.sources import Kept, StoreSource

__all__ = ["GameRow", "Samples", "samples_of"]

GameRow = dict[str, Any]
"""A row of GAMES, its result as PGN writes it, with `id`: the fingerprint, 16 hexadecimal digits."""

_COLUMNS: Final = (
    "fingerprint", "source", "member", "offset", "line", "first_player", "second_player", "first_rating",
    "second_rating", "date", "year", "event", "result", "plies",
)  # fmt: skip
_GROUPS: Final = 8


class Samples:
    """The games of one store, by fingerprint."""

    def __init__(self, source: StoreSource) -> None:
        """Read the fingerprints.

        Raises:
            StoreError: a part of the store is missing or damaged.
        """
        self._parts = [source.store.directory / part["file"] for part in source.store.manifest.game_parts]
        # For each row group: the number of rows before it, its part and its number there.
        self._groups: list[tuple[int, int, int]] = []
        columns: list[npt.NDArray[np.uint64]] = [np.empty(0, np.uint64)]
        rows = 0
        for place, path in enumerate(self._parts):
            with _opened(path) as file:
                for group in range(file.metadata.num_row_groups):
                    self._groups.append((rows, place, group))
                    rows += file.metadata.row_group(group).num_rows
                columns.append(file.read(columns=["fingerprint"]).column(0).to_numpy())
        fingerprints = np.concatenate(columns)
        self._order = np.argsort(fingerprints, kind="stable")
        self._sorted = fingerprints[self._order]
        self._held = Kept(_GROUPS)

    def find(self, fingerprint: int) -> GameRow | None:
        """Return the first game of that fingerprint, None if there is none.

        Raises:
            StoreError: a part of the store is missing or damaged.
        """
        at = int(np.searchsorted(self._sorted, np.uint64(fingerprint)))
        if at == self._sorted.size or int(self._sorted[at]) != fingerprint:
            return None
        row = int(self._order[at])
        number = max(i for i, (before, _, _) in enumerate(self._groups) if before <= row)
        before, place, group = self._groups[number]
        table = self._group(number, place, group)
        found: GameRow = table.slice(row - before, 1).to_pylist()[0]
        return {**found, "id": f"{fingerprint:016x}", "result": RESULTS[found["result"]]}

    def find_all(self, fingerprints: Iterable[int]) -> list[GameRow]:
        """Return the games with these fingerprints, in this order, each once; unknown ones are skipped."""
        found = (self.find(each) for each in dict.fromkeys(fingerprints))
        return [row for row in found if row is not None]

    def _group(self, number: int, place: int, group: int) -> pa.Table:
        held: pa.Table | None = self._held.get(number)
        if held is None:
            with _opened(self._parts[place]) as file:
                held = file.read_row_group(group, columns=list(_COLUMNS))
            self._held.put(number, held)
        return held


def _opened(path: Any) -> pq.ParquetFile:  # noqa: ANN401 (a path)
    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise StoreError(f"{path}: is missing or damaged: {error}") from error


def samples_of(source: StoreSource) -> Samples:
    """Return the games of a store. Their fingerprints are read at the first call."""
    found: Samples | None = source.held.get("samples")
    if found is None:  # two threads may both read them, with the same result
        found = Samples(source)
        source.held.put("samples", found)
    return found
