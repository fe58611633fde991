"""`/tree`: the moves below a position, nested up to a depth and a width."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.api.positions import place_json
from bookbuilder.explorer.facts import known_moves
from bookbuilder.explorer.query import (
    asked_source,
    place_at,
    read_flag,
    read_number,
    selection_of,
)
from bookbuilder.explorer.sources import Source
from bookbuilder.selection.options import SelectionOptions

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["tree", "tree_below"]

_MOST_NODES: Final = 400
_MOST_DEPTH: Final = 20
_MOST_WIDTH: Final = 20
_SHOWN: Final = (
    "move", "names", "san", "played", "share", "reached", "first_wins", "draws", "second_wins", "p", "score",
    "quality", "kept", "reason", "opening", "fen_after",
)  # fmt: skip


def tree(request: Request) -> Response:
    """Answer `/tree`."""
    source, query = asked_source(request), request.query_params
    place = place_at(query, source.game)
    nodes, is_cut = tree_below(
        source,
        place.here,
        selection_of(source, query),
        depth=read_number(query, "depth", 3, most=_MOST_DEPTH),
        width=read_number(query, "width", 4, most=_MOST_WIDTH),
        kept_only=read_flag(query, "kept_only"),
    )
    return answer({"source": source.id, **place_json(place), "children": nodes, "is_cut": is_cut})


def tree_below(
    source: Source, here: Position, chosen: SelectionOptions, *, depth: int, width: int, kept_only: bool
) -> tuple[list[dict[str, Any]], bool]:
    """Return the moves below a position, most played first, and whether the tree was too large.

    Nodes are added level by level, so that the deepest ones are cut.
    """
    root: list[dict[str, Any]] = []
    waiting = deque([(here, root, depth)])
    count = 0
    while waiting:
        position, children, left = waiting.popleft()
        if not left:
            continue
        moves = known_moves(source, position, chosen)
        for row in [row for row in moves if row["kept"] or not kept_only][:width]:
            if count == _MOST_NODES:
                return root, True
            count += 1
            node = {**{name: row[name] for name in _SHOWN}, "children": []}
            children.append(node)
            after = position.play(position.parse_move(row["move"]))
            waiting.append((after, node["children"], left - 1))
    return root, False
