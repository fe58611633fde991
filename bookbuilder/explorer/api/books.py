"""`/reach`, `/diff` and `/follow`: what whole books are, and how games follow them."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.analysis.coverage import coverage
from bookbuilder.book.book import Book
from bookbuilder.book.formats.registry import read_moves
from bookbuilder.book.graph import graph_of_file
from bookbuilder.book.reach import book_reach
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import named_difference, named_reach
from bookbuilder.explorer.query import read_number, sources_of
from bookbuilder.tally.tally import Tally

_MOST_ROWS: Final = 200


def reach(request: Request) -> Response:
    """Answer `/reach`: the reach of the book `src`, against the games of the store `games` if it is given.

    Of a clustered book the recipe is there too.
    """
    query, served = request.query_params, sources_of(request)
    found = served.find_book(query.get("src"))
    store = served.find_store(query["games"]) if query.get("games") else None
    graph = graph_of_file(found.path, None if store is None else Tally.open(store.path))
    recipe = found.book.recipe if isinstance(found.book, Book) else None
    return answer({"source": found.id, "recipe": recipe, "reach": named_reach(book_reach(graph))})


def diff(request: Request) -> Response:
    """Answer `/diff`: the moves in which the books `a` and `b` differ, the heaviest ones with a line."""
    query = request.query_params
    a, b = (sources_of(request).find_book(query.get(name)) for name in "ab")
    rows = read_number(query, "rows", 30, most=_MOST_ROWS)
    before, after = (
        read_moves(each.path) if isinstance(each.book, Book) else each.book.table for each in (a, b)
    )
    facts = {"a": a.id, "b": b.id, "weights_compared": before.statistic == after.statistic}
    return answer({**facts, **named_difference(before, after, rows)})


def follow(request: Request) -> Response:
    """Answer `/follow`: how far the games of a store's archives follow the book `src`."""
    query, served = request.query_params, sources_of(request)
    games, found = served.find_store(query.get("games")), served.find_book(query.get("src"))
    if found.game != games.game:
        raise RefusedError(409, "other-game", f"the book is of {found.game}, {games.id} of {games.game}")
    covered = coverage(found.book, *games.archives())
    return answer({"games_of": games.id, **covered.figures(), "plies": covered.by_ply().to_dict("records")})
