"""Merge books that list moves, and list the moves in which two of them differ.

**Sum** (the default): the counts and weights of a move are added up, and the highest quality is kept.
**Priority:** where an earlier book has a move, the moves of a later one do not count, as when Polyglot merges
books.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from bookbuilder.book.formats.moves import MoveBook, merged, taken
from bookbuilder.book.formats.walk import follow
from bookbuilder.book.lines import format_line
from bookbuilder.columns import values
from bookbuilder.errors import BookError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["diff_moves", "heaviest_differences", "lines_of_moves", "merge_moves"]

_MOVE: Final = ["key", "move"]
_NOTATIONS: Final = {"chess": "san", "xiangqi": "iccs"}


def merge_moves(books: Sequence[MoveBook], *, priority: bool = False) -> MoveBook:
    """Return the moves of several books as one.

    Args:
        books: books of one game, at least one.
        priority: whether earlier books hide later ones; otherwise counts and weights add up.

    Raises:
        BookError: the books are not of one kind, or there is none.
    """
    if not books:
        raise BookError("merge: expected at least one book")
    first = books[0]
    _require_one_kind(books)
    if priority:
        known, parts = np.empty(0, np.uint64), []
        for book in books:
            key = book.column("key")
            parts.append(taken(book.table, np.flatnonzero(~np.isin(key, known))))
            known = np.union1d(known, key)
    else:
        parts = [book.table for book in books]
    same = {(book.statistic, book.basis) for book in books}
    statistic = first.statistic if len(same) == 1 else "own"
    table = merged(_with_locks(pa.concat_tables(parts)))
    bridges = pa.concat_tables([book.bridges for book in books])
    return replace(first, table=table, statistic=statistic, bridges=bridges, lost={}, engine=None)


def _require_one_kind(books: Sequence[MoveBook]) -> None:
    first = books[0]
    for book in books[1:]:
        if book.game != first.game:
            raise BookError(f"books of {first.game} and of {book.game}: expected books of one game")
        if book.fold != first.fold:
            raise BookError("one book has left-right mirrors folded, another does not: expected one kind")


def _with_locks(table: pa.Table) -> pa.Table:
    """Return moves with the lock of each key where any row knows it, so that equal moves add up.

    Formats without locks know a position by its key alone.
    """
    lock = table.column("lock")
    if lock.null_count in (0, table.num_rows):
        return table
    key = values(table.column("key"))
    is_unknown = ~values(lock.is_valid())
    known = np.flatnonzero(~is_unknown)
    keys, place = np.unique(key[known], return_index=True)
    found = np.minimum(np.searchsorted(keys, key), keys.size - 1)
    locks = values(lock, null=0)
    filled = np.where(is_unknown, locks[known[place][found]], locks)
    array = pa.array(filled, pa.uint32(), mask=is_unknown & (keys[found] != key))
    return table.set_column(table.schema.get_field_index("lock"), table.schema.field("lock"), array)


def diff_moves(old: MoveBook, new: MoveBook) -> pd.DataFrame:
    """Return the moves in which two books differ.

    Args:
        old: a book.
        new: another book of the same game.

    Returns:
        One row for each move that only one book has or whose weight differs: key, move (stored code), change
        (`added`, `removed` or `changed`), old_weight, new_weight. Weights are compared if both books store
        the same statistic.

    Raises:
        BookError: the books are not of one kind.
    """
    _require_one_kind([old, new])
    columns = [*_MOVE, "weight"]
    before, after = (
        book.table.select(columns).to_pandas().groupby(_MOVE, as_index=False)["weight"].sum()
        for book in (old, new)
    )
    both = before.merge(after, on=_MOVE, how="outer", suffixes=("_old", "_new"), indicator=True)
    both = both.rename(columns={"weight_old": "old_weight", "weight_new": "new_weight"})
    names = {"left_only": "removed", "right_only": "added", "both": "changed"}
    both["change"] = both.pop("_merge").astype(str).map(names)
    is_same = both["change"] == "changed"
    if old.statistic == new.statistic:
        is_same &= both["old_weight"] == both["new_weight"]
    changed: pd.DataFrame = both[~is_same].reset_index(drop=True)
    return changed.astype({"old_weight": "UInt64", "new_weight": "UInt64"})


def heaviest_differences(
    found: pd.DataFrame, old: MoveBook, new: MoveBook, limit: int
) -> list[dict[str, Any]]:
    """Return the heaviest rows of `diff_moves`, each with a line from the start that ends with the move.

    Missing weights are None; keys are written in hexadecimal.
    """
    weight = found[["old_weight", "new_weight"]].max(axis=1)
    heaviest = found.loc[weight.sort_values(ascending=False, kind="stable").index[:limit]]
    moves = list(zip(heaviest["key"].tolist(), heaviest["move"].tolist(), strict=True))
    lines = {**lines_of_moves(old, moves), **lines_of_moves(new, moves)} if moves else {}
    listed = heaviest.assign(
        line=[lines.get(move, "") for move in moves], key=heaviest["key"].map("0x{:016x}".format)
    )
    rows = listed.astype(object).where(listed.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def lines_of_moves(book: MoveBook, moves: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return for each move of a book, given by key and stored code, a line from the start that plays it."""
    notation = _NOTATIONS[book.game]
    found = follow(book, notations=[notation])
    codes = found.stored_moves() if book.fold else found.move
    own = np.flatnonzero(found.row >= 0)
    keys = found.key[found.position[own]].tolist()
    edges = dict(zip(zip(keys, codes[own].tolist(), strict=True), own.tolist(), strict=True))
    texts = found.texts[notation]

    def line(edge: int) -> str:
        words: list[Any] = []
        while edge >= 0:
            words.append(texts[edge])
            edge = int(found.parent[found.position[edge]])
        return format_line(words[::-1])

    return {move: line(edges[move]) for move in moves if move in edges}
