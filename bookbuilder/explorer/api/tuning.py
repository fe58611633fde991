"""`/curve` and `/coverage`: the cost of thresholds in a whole store."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import HEADER_BYTES, INDEX_ENTRIES, RECORD_BYTES, Position
from bookbuilder.analysis.threshold import threshold_curve
from bookbuilder.archives.filters import GameFilter
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.distribution import Distribution, coverage_answer, ignored_rules
from bookbuilder.explorer.query import asked_filters, asked_selection, asked_store, read_number
from bookbuilder.explorer.sources import Sources, StoreSource
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.tally.store.reading import OpenStore

if TYPE_CHECKING:
    from bookbuilder.tally.tally import Tally

__all__ = [
    "BYTES_FIXED",
    "BYTES_PER_RECORD",
    "calibration",
    "coverage",
    "coverage_of",
    "curve",
    "curve_points",
    "prepare",
]

BYTES_PER_RECORD: Final = RECORD_BYTES + 4 * 4
"""Bytes of a book for each record: 12 of the record, 16 of its lock and counts."""
BYTES_FIXED: Final = HEADER_BYTES + 4 * INDEX_ENTRIES
"""Bytes of a book besides its records: header and cluster index; recipe and checksums (0.1 %) come on top."""
_MOST_LEASTS: Final = 8
_EARLIER_GAMES: Final = 10
_FIRST_YEAR: Final = 1800
# The share of the games that are later ones.
_LATER: Final = 0.2
# Seconds in which a browser shows the first page.
_FIRST_PAGE: Final = 1.0


def prepare(sources: Sources) -> None:
    """Compute the distribution of each store, so that the first answer is there at once.

    Stores that cannot be read are skipped: the answer will say what is wrong with them.
    """
    stores = [source for source in sources if isinstance(source, StoreSource)]
    time.sleep(_FIRST_PAGE)
    for store in stores:
        with suppress(BookBuilderError, OSError):
            _distribution_of(store)


def curve(request: Request) -> Response:
    """Answer `/curve`. Here `min_games` is a list, and `p` is ignored."""
    source, query = asked_store(request), request.query_params
    leasts = _leasts(query)
    rest = QueryParams({name: value for name, value in query.items() if name not in ("p", "min_games")})
    chosen = asked_selection(rest)
    return answer(
        {
            "source": source.id,
            "game": source.game,
            "ignored": ignored_rules(chosen),
            "points": curve_points(source, leasts, chosen),
            "bytes_per_record": BYTES_PER_RECORD,
            "bytes_fixed": BYTES_FIXED,
        }
    )


def _leasts(query: QueryParams) -> tuple[int, ...]:
    words = (query.get("min_games") or "1,5,20").split(",")
    if len(words) > _MOST_LEASTS or not all(w.isascii() and w.isdecimal() and len(w) < 10 for w in words):
        message = f"min_games: expected up to {_MOST_LEASTS} whole numbers such as 1,5,20"
        raise RefusedError(400, "option", message)
    return tuple(int(word) for word in words)


def curve_points(
    source: StoreSource, leasts: tuple[int, ...], chosen: SelectionOptions
) -> list[dict[str, Any]]:
    """Return the points of `bookbuilder threshold --json`."""
    found, options = _distribution_of(source), chosen
    frame = threshold_curve(
        found.kinds,
        positions_each=found.positions,
        min_games=leasts,
        max_ply=options.max_ply,
    )
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def coverage(request: Request) -> Response:
    """Answer `/coverage`."""
    source = asked_store(request)
    chosen = asked_selection(request.query_params)
    facts = {"source": source.id, "game": source.game, "ignored": ignored_rules(chosen)}
    return answer({**facts, **coverage_of(source, chosen)})


def coverage_of(source: StoreSource, chosen: SelectionOptions) -> dict[str, Any]:
    """Return the part of a store that a selection keeps."""
    found = _distribution_of(source)
    judged = found.judged(chosen.resolved(source.game, source.store.game_count))
    return coverage_answer(found, judged)


def _distribution_of(source: StoreSource) -> Distribution:
    """Return the distribution of a store. The first call reads the whole store."""
    with source.slow:
        found: Distribution | None = source.held.get("distribution")
        if found is None:
            found = Distribution.of(source.store)
            source.held.put("distribution", found)
    return found


def calibration(request: Request) -> Response:
    """Answer `/calibration`: P of the games before a year against results from then on."""
    from bookbuilder.analysis.calibration import calibrate

    source, query = asked_store(request), request.query_params
    if "year" not in source.facets:
        message = f"{source.id} does not keep years apart: count it again with tally --facet year"
        raise RefusedError(409, "no-years", message)
    split = read_number(query, "split", None, most=9999) or _usual_split(source)
    chosen = asked_selection(query)
    filters = asked_filters(query)
    before = _tally_of(source, replace(filters, since=None, until=f"{split - 1:04}"))
    later = _tally_of(source, replace(filters, since=f"{split:04}", until=None))
    least = chosen.min_games or _EARLIER_GAMES
    found = calibrate(before, later, min_games=least, max_ply=chosen.max_ply)
    return answer(
        {
            "source": source.id,
            "split": split,
            "min_games": least,
            "games_before": _games_at_start(before),
            "games_later": _games_at_start(later),
            "p_all": found.spread,
            "bins": found.bins.to_dict("records"),
            "thresholds": found.thresholds.to_dict("records"),
        }
    )


def _tally_of(source: StoreSource, filters: GameFilter) -> Tally:
    """Return the tally of some games of a store, of the version that the source has read."""
    from bookbuilder.tally.tally import Tally

    store = OpenStore(source.path, source.store.manifest, filters=filters)
    return Tally(store, store.options, sources=store.manifest.sources)


def _games_at_start(tally: Tally) -> int:
    return int(tally.moves("startpos")["played"].sum())


def _usual_split(source: StoreSource) -> int:
    """Return the first year of the last fifth of the games, by a search over the years."""
    start = Position(source.game).stored(source.fold)

    def games_since(year: int) -> int:
        rows = source.narrowed(GameFilter(since=f"{year:04}")).rows_at(*start)
        return sum(row.games for row in rows)

    low, high = _FIRST_YEAR, source.store.newest_year
    wanted = games_since(low) * _LATER
    if not wanted or not high:
        message = f"{source.id}: its games have no dates, so none are earlier or later"
        raise RefusedError(409, "no-years", message)
    while low < high:
        middle = (low + high + 1) // 2
        if games_since(middle) >= wanted:
            low = middle
        else:
            high = middle - 1
    return low
