"""`/reach` and `/diff`: what a whole book is, and how two books differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.named_lines import named_differences, named_reach
from bookbuilder.explorer.query import read_number, sources_of
from bookbuilder.explorer.sources import BookSource, StoreSource

if TYPE_CHECKING:
    from bookbuilder.explorer.listed_source import ListedSource

__all__ = ["diff", "reach"]

_MOST_ROWS = 200


def reach(request: Request) -> Response:
    """Answer `/reach`: the reach of the book `src`, against the games of the store `games` if it is given."""
    from bookbuilder.book.graph import graph_of_file
    from bookbuilder.book.reach import book_reach
    from bookbuilder.tally.tally import Tally

    book, games = _book(request, "src"), request.query_params.get("games")
    store = sources_of(request).find_store(games) if games else None
    graph = graph_of_file(book.path, None if store is None else Tally.open(store.path))
    facts = {"source": book.id, "games_of": None if store is None else store.id}
    return answer({**facts, "reach": named_reach(book_reach(graph))})


def diff(request: Request) -> Response:
    """Answer `/diff`: the moves in which the books `a` and `b` differ, the heaviest ones with a line."""
    from bookbuilder.book.formats.registry import read_moves
    from bookbuilder.book.merge import diff_moves, heaviest_differences

    a, b = _book(request, "a"), _book(request, "b")
    rows = read_number(request.query_params, "rows", 30, most=_MOST_ROWS)
    before, after = read_moves(a.path), read_moves(b.path)
    found = diff_moves(before, after)
    counts = found["change"].value_counts()
    return answer(
        {
            "a": a.id,
            "b": b.id,
            "moves_a": len(before),
            "moves_b": len(after),
            **{name: int(counts.get(name, 0)) for name in ("added", "removed", "changed")},
            "weights_compared": before.statistic == after.statistic,
            "differences": named_differences(after.game, heaviest_differences(found, before, after, rows)),
        }
    )


def _book(request: Request, name: str) -> BookSource | ListedSource:
    found = sources_of(request).find(request.query_params.get(name))
    if isinstance(found, StoreSource):
        raise RefusedError(409, "not-a-book", f"{name}: {found.id} is a store, expected a book")
    return found
