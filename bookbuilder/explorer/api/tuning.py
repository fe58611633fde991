"""`/size`, `/curve` and `/calibration`: what rules keep of a whole store, and whether P holds later."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import Position
from bookbuilder.analysis.calibration import compare
from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import BookBuilderError, SelectionError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.api.builds import choose
from bookbuilder.explorer.query import asked_filters, asked_selection, asked_store, read_number, selection_of
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.tally.store.reading import OpenStore
from bookbuilder.tally.tally import Tally

_MARGINS: Final = tuple(Fraction(step, 100) for step in (0, 1, 2, 3, 5, 7, 10, 15, 20, 30))
_SHARES: Final = tuple(Fraction(step, 20) for step in range(21))
# Rows of a store whose rules may need all its positions, where a person waits for the answer.
_MOST_ROWS: Final = 3_000_000
_EARLIER_GAMES: Final = 10
_FIRST_YEAR: Final = 1800
# The share of the games that are later ones.
_LATER: Final = 0.2
# Seconds in which a browser shows the first page.
_FIRST_PAGE: Final = 1.0


def prepare(sources: Sources) -> None:
    """Read what the default rules need of each store, so that the first size is there at once.

    Stores that cannot be read are skipped: the answer will say what is wrong with them.
    """
    stores = [source for source in sources if isinstance(source, StoreSource)]
    time.sleep(_FIRST_PAGE)
    for store in stores:
        with suppress(BookBuilderError, OSError):
            store.tally(SelectionOptions(shape="moves"))


def size(request: Request) -> Response:
    """Answer `/size`: the number of moves in the book of these rules, and of dropped ones by reason."""
    source = asked_store(request)
    return answer({"source": source.id, **_size_of(source, selection_of(source, request.query_params))})


def _size_of(source: StoreSource, options: SelectionOptions) -> Mapping[str, Any]:
    """Return the size of a book; None if it needs a look at too many positions, or keeps no move at all."""
    least = options.resolved(source.game, source.store.game_count)
    if not least.trims and source.store.manifest.rows > _MOST_ROWS:
        return {"moves": None, "never_played": None, "reasons": None}

    def count() -> Mapping[str, Any]:
        try:
            return choose(source, options).facts
        except SelectionError:
            return {"moves": 0, "never_played": 0, "reasons": {}}

    return source.computed.of(("size", str(options.to_json())), count)


def curve(request: Request) -> Response:
    """Answer `/curve`: the size of the book by the rule in use, the margin or without one P."""
    source = asked_store(request)
    options = selection_of(source, request.query_params)
    rule, name, grid = "margin", "margin", _MARGINS
    if options.margin is None:
        rule, name, grid = "p", "min_win_rate", _SHARES
    changes: list[dict[str, Any]] = [{name: value} for value in grid]
    sizes = [_size_of(source, replace(options, **change)) for change in changes]
    points = [
        {"value": float(value), "moves": size["moves"]} for value, size in zip(grid, sizes, strict=True)
    ]
    return answer({"source": source.id, "rule": rule, "points": points})


def calibration(request: Request) -> Response:
    """Answer `/calibration`: P of the games before a year against results from then on."""
    source, query = asked_store(request), request.query_params
    if "year" not in source.facets:
        message = f"{source.id} does not keep years apart: count it again with tally --facet year"
        raise RefusedError(409, "no-years", message)
    split = read_number(query, "split", None, most=9999) or _usual_split(source)
    chosen, filters = asked_selection(query), asked_filters(query)
    least = chosen.least_games or _EARLIER_GAMES

    def compare_games() -> Mapping[str, Any]:
        before = _tally_of(source, replace(filters, since=None, until=f"{split - 1:04}"))
        later = _tally_of(source, replace(filters, since=f"{split:04}", until=None))
        points = compare(before, later, "min_win_rate", replace(chosen, min_games=least, margin=None))
        return {
            "games_before": int(before.moves("startpos")["played"].sum()),
            "games_later": int(later.moves("startpos")["played"].sum()),
            "points": points.to_dict("records"),
        }

    found = source.computed.of(("calibration", split, least, chosen.max_ply), compare_games)
    return answer({"source": source.id, "split": split, "min_games": least, **found})


def _tally_of(source: StoreSource, filters: GameFilter) -> Tally:
    """Return the tally of some games of a store, of the version that the source has read."""
    store = OpenStore(source.path, source.store.manifest, filters=filters)
    return Tally(store, store.options, sources=store.manifest.sources)


def _usual_split(source: StoreSource) -> int:
    """Return the first year of the last fifth of the games, by a search over the years."""
    start = Position(source.game).stored(source.fold)

    def games_since(year: int) -> int:
        rows = source.narrowed(GameFilter(since=f"{year:04}")).rows_at(*start)
        return sum(row.games for row in rows)

    wanted = games_since(_FIRST_YEAR) * _LATER
    if not wanted or not source.store.newest_year:
        message = f"{source.id}: its games have no dates, so none are earlier or later"
        raise RefusedError(409, "no-years", message)
    years = range(_FIRST_YEAR, source.store.newest_year + 1)
    return years[bisect_right(years, -wanted, key=lambda year: -games_since(year)) - 1]
