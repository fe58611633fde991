"""Tables in memory written as a store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bookbuilder import _core
from bookbuilder.archives.sources import Source
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.store.layout import Manifest, fresh_work, locked, require_place
from bookbuilder.tally.store.reduce import Inputs, LocalReducer, letters, publish

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_store"]


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
        path: the directory, created if it does not exist.
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
    directory = Path(path)
    require_place(directory, force=force)
    with locked(directory), fresh_work(directory) as work:
        run = work / "run-00000.run"
        names = sorted({source.source for source in sources})
        _core.write_run(str(run), rows, games, letters(names))
        reducer = LocalReducer(directory, Inputs(runs=[run], names=names), work)
        return publish(reducer, options, sources)
