"""The records of a clustered book: of a selection, and written to a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookbuilder import _core
from bookbuilder.book.recipe import dump_recipe
from bookbuilder.disk import remove_drafts

if TYPE_CHECKING:
    import pyarrow as pa

    from bookbuilder.games.position import Game
    from bookbuilder.selection.select import Selection

__all__ = ["selection_records", "write_records"]


def selection_records(selection: Selection) -> pa.Table:
    """Return the kept positions of a selection as `write_records` takes them."""
    import numpy as np
    import pyarrow as pa

    from bookbuilder.columns import column_of, values

    kept = selection.kept()
    first_moved = values(kept.column("side")) == 0
    wins, losses = values(kept.column("wins")), values(kept.column("losses"))
    # A move that is added by hand has no game; a record of usage 0 would never be played.
    usage = np.maximum(values(kept.column("reached")), 1)
    columns: dict[str, Any] = {
        "key": kept.column("key"),
        "lock": kept.column("lock"),
        "usage": column_of(usage),
        "wins": column_of(np.where(first_moved, wins, losses)),
        "draws": kept.column("draws"),
        "losses": column_of(np.where(first_moved, losses, wins)),
        "quality": kept.column("quality"),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def write_records(
    path: str | os.PathLike[str],
    records: pa.Table,
    *,
    game: Game,
    fold: bool,
    columns: bool,
    recipe: Mapping[str, Any] | str,
) -> None:
    """Write records as a book, atomically. An existing file is replaced.

    Args:
        path: the file.
        records: key uint64, lock uint32, usage, wins, draws, losses uint64 (the first side's), quality uint8;
            sorted by (key, lock), each once.
        game: the game.
        fold: whether mirrored positions share one record.
        columns: whether to store locks and results.
        recipe: the recipe, as JSON data or as text.

    Raises:
        BookError: the records are not in order.
        OSError: the file cannot be written.
    """
    remove_drafts(Path(path).absolute().parent, Path(path).name)
    text = recipe if isinstance(recipe, str) else dump_recipe(recipe)
    _core.write_book(os.fspath(path), records, game=game, fold=fold, columns=columns, recipe=text)
