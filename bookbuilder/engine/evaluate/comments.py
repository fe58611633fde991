"""Take evaluations of a plan's positions from the `[%eval …]` comments of archives, as lichess writes them.

A comment stands after a move. It values the position there for White, in pawns or as `#N`. Each position gets
one row: the mean of its comments, and their number as the limit. The core reads the games. Variations are
skipped, and a game ends at its first illegal move.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.archives.collection import CollectionReport
from bookbuilder.archives.find import find_archives
from bookbuilder.columns import values
from bookbuilder.engine.evaluate.plan import Plan
from bookbuilder.errors import ArchiveError, OptionError
from bookbuilder.evals.table import Evals
from bookbuilder.schema import EVALS, from_native

__all__ = ["ENGINE", "read_comments"]

ENGINE: Final = "comments"
"""The name of the engine in the table: comments do not name theirs."""


def read_comments(*paths: str | os.PathLike[str], plan: Plan) -> Evals:
    """Return the mean evaluations of a plan's positions in the comments of archives.

    Args:
        *paths: files, directories (searched recursively), patterns or `@` lists of them.
        plan: the positions.

    Raises:
        OptionError: no comment values one of the positions.
        ArchiveError: a file is missing, damaged or of an unknown format, or has games of the other game.
    """
    game = plan.targets[0].position.game
    places = pa.table(
        {
            "key": pa.array([each.key for each in plan.targets], pa.uint64()),
            "lock": pa.array([each.lock for each in plan.targets], pa.uint32()),
        }
    )
    files = [os.fspath(path) for path in find_archives(paths)]
    sums, run = _core.sum_comments(files, game, places, fold=plan.fold)
    report = CollectionReport.of_run(run)
    for skipped in report.unreadable() if report.games_read else report.members_skipped:
        raise ArchiveError(skipped["reason"])
    table = _rows(places, from_native(sums))
    if not table.num_rows:
        found = ", ".join(files)
        raise OptionError(f"{found}: no comment such as [%eval 0.31] values one of these positions")
    return Evals.of(table, game)


def _rows(places: pa.Table, sums: pa.Table) -> pa.Table:
    """Return the rows of EVALS of the positions that have comments."""
    count = values(sums.column("count"))
    is_valued = count > 0
    table = places.filter(pa.array(is_valued))
    total, count = values(sums.column("total"))[is_valued], count[is_valued]
    columns = {
        "engine": pa.array([ENGINE] * len(count), pa.string()),
        "limit": pa.array([f"comments={each}" for each in count.tolist()], pa.string()),
        # Halves are rounded to even.
        "score": pa.array(np.rint(total / count).astype(np.int32), pa.int32()),
    }
    known: dict[str, Any] = {"key": table["key"], "lock": table["lock"]} | columns
    absent = {field.name: pa.nulls(len(count), field.type) for field in EVALS if field.name not in known}
    return pa.table({name: (known | absent)[name] for name in EVALS.names}, schema=EVALS)
