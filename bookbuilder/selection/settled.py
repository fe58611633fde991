"""What changes by hand make of a selection: verdicts, qualities, weights, and rows of novelties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import MAX_QUALITY
from bookbuilder.games.position import Game
from bookbuilder.schema import REASONS
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits, Place
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.options import SelectionOptions

__all__ = [
    "edits_in",
    "kept_places",
    "notes_of",
    "settle",
    "settle_quality",
    "settle_weights",
    "with_novelties",
]

_BY_HAND: Final = REASONS.index("by-hand")
_Rows = dict[int, MoveEdit]


def edits_in(options: Mapping[str, Any], game: Game) -> MoveEdits | None:
    """Return the changes by hand among the selection options of a recipe."""
    told = options.get("edits")
    return None if told is None else MoveEdits.from_json({"game": game, **told})


def kept_places(options: SelectionOptions, *, fold: bool) -> frozenset[tuple[int, int]]:
    """Return key and lock of the positions that count by changes by hand, however few games reached them."""
    return options.edits.kept_places(fold=fold) if isinstance(options.edits, MoveEdits) else frozenset()


def settle(
    verdicts: npt.NDArray[np.int8], candidates: Candidates, options: SelectionOptions, *, fold: bool
) -> None:
    """Keep and drop what the changes say; changes the verdicts.

    A record of a position stands for every move that leads there. So a change of one of them is of all.
    """
    for row, edit in _rows(
        candidates.key, candidates.lock, candidates.move, options.edits, fold=fold
    ).items():
        if edit.keep is True:
            verdicts[row] = 0
        elif edit.keep is False and verdicts[row] == 0:
            verdicts[row] = _BY_HAND


def settle_quality(
    quality: npt.NDArray[np.uint8], candidates: Candidates, options: SelectionOptions, *, fold: bool
) -> None:
    """Set the qualities that the changes say."""
    for row, edit in _rows(
        candidates.key, candidates.lock, candidates.move, options.edits, fold=fold
    ).items():
        if edit.quality is not None:
            quality[row] = edit.quality


def with_novelties(table: pa.Table, edits: MoveEdits | None, *, fold: bool) -> pa.Table:
    """Return the table of a selection with a row, without games, for each kept move that it lacks."""
    if edits is None or not edits.keeps:
        return table
    key, lock = (table.column(name).to_numpy() for name in ("key", "lock"))
    is_moves = "move" in table.column_names
    move = table.column("move").to_numpy() if is_moves else None
    known = set(_rows(key, lock, move, edits, fold=fold, by_place=True))
    placed = edits.placed(fold=fold)
    new = {_row_place(place, is_moves): (place, edit) for place, edit in placed.items() if edit.keep is True}
    rows = [_novelty(table.schema, *new[place]) for place in sorted(new) if place not in known]
    if not rows:
        return table
    added = pa.Table.from_pylist(rows, schema=table.schema)
    order: list[tuple[str, Literal["ascending", "descending"]]] = [
        (name, "ascending") for name in ("key", "lock", "move") if name in table.column_names
    ]
    return pa.concat_tables([table, added]).combine_chunks().sort_by(order)


def settle_weights(
    weight: npt.NDArray[np.uint64], columns: Mapping[str, npt.NDArray[Any]], edits: MoveEdits, *, fold: bool
) -> npt.NDArray[np.uint64]:
    """Return the weights of moves with those of the changes.

    A quality of 31 is as heavy as the heaviest other move of the position. A novelty without a quality has
    that weight; a kept move has at least 1.
    """
    key, lock = columns["key"], columns["lock"]
    rows = _rows(key, lock, columns["move"], edits, fold=fold)
    settled = weight.copy()
    for row, edit in rows.items():
        others = (key == key[row]) & (lock == lock[row])
        others[row] = False
        quality = (
            MAX_QUALITY if edit.quality is None and edit.keep and not columns["games"][row] else edit.quality
        )
        if quality is not None:
            heaviest = int(weight[others].max(initial=0)) or max(int(weight.max(initial=0)), MAX_QUALITY)
            settled[row] = (heaviest * quality + MAX_QUALITY // 2) // MAX_QUALITY
        if edit.keep is True and quality != 0:
            settled[row] = max(int(settled[row]), 1)
    return settled


def notes_of(edits: MoveEdits, *, fold: bool) -> dict[tuple[int, int, int], tuple[str, str]]:
    """Return mark and comment of the moves that have one, by key, lock and move."""
    placed = edits.placed(fold=fold).items()
    return {
        place[:3]: (edit.mark or "", edit.comment or "")
        for place, edit in placed
        if edit.mark or edit.comment
    }


def _row_place(place: Place, is_moves: bool) -> tuple[int, ...]:
    return place[:3] if is_moves else (place.key_after, place.lock_after)


def _rows(
    key: npt.NDArray[np.uint64],
    lock: npt.NDArray[np.uint32],
    move: npt.NDArray[Any] | None,
    edits: Any,  # noqa: ANN401 (changes, or what an option takes)
    *,
    fold: bool,
    by_place: bool = False,
) -> dict[Any, MoveEdit]:
    """Return the changes of the rows of a table, by the number of the row or by its place."""
    if not isinstance(edits, MoveEdits) or not len(edits):
        return {}
    asked = {_row_place(place, move is not None): edit for place, edit in edits.placed(fold=fold).items()}
    wanted = np.array([place[0] for place in asked], dtype=np.uint64)
    near = np.flatnonzero(np.isin(key, wanted))
    columns = (key[near], lock[near]) if move is None else (key[near], lock[near], move[near])
    places = zip(*(column.tolist() for column in columns), strict=True)
    found = ((row, place) for row, place in zip(near.tolist(), places, strict=True) if place in asked)
    return {place if by_place else row: asked[place] for row, place in found}


def _novelty(schema: pa.Schema, place: Place, edit: MoveEdit) -> dict[str, Any]:
    """Return the row of a move that no game played."""
    is_moves = "move" in schema.names
    known: dict[str, Any] = {
        "key": place.key if is_moves else place.key_after,
        "lock": place.lock if is_moves else place.lock_after,
        "move": place.move,
        "side": place.side,
        "ply": place.ply,
        "quality": MAX_QUALITY if edit.quality is None else edit.quality,
        "kept": True,
        "reason": "",
    }
    return {each.name: known.get(each.name, None if each.nullable else 0) for each in schema}
