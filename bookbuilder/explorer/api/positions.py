"""`/position`: what a source knows of a position and of each move there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import CLUSTER_SHIFT
from bookbuilder.explorer.answer import answer
from bookbuilder.explorer.facts import ended_here, known_moves, names_of, opening_json, opening_on
from bookbuilder.explorer.listed_source import ListedSource
from bookbuilder.explorer.query import Place, asked_source, place_at, selection_of
from bookbuilder.explorer.sources import Source, StoreSource
from bookbuilder.games.position import side_name
from bookbuilder.selection.options import SelectionOptions

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.explorer.known_values import KnownValues

__all__ = ["destinations", "place_json", "position", "position_answer", "state_of"]


def position(request: Request) -> Response:
    """Answer `/position`."""
    query = request.query_params
    source = asked_source(request)
    place = place_at(query, source.game)
    found = position_answer(source, place, selection_of(source, query))
    return answer({**found, **_values(request, place.here, found["moves"])})


def _values(request: Request, here: Position, moves: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the known values of a position and its moves, each for the side to move here."""
    known: KnownValues = request.app.state.values
    after = [here.play(here.parse_move(move["move"])) for move in moves] if here.game in known else []
    own, *others = known.of([here, *after])
    return {
        "value": own,
        "moves": [
            {**move, "value": None if value is None else {**value, "score_cp": -value["score_cp"]}}
            for move, value in zip(moves, others or [None] * len(moves), strict=True)
        ],
    }


def position_answer(source: Source, place: Place, chosen: SelectionOptions) -> dict[str, Any]:
    """Return the facts of a source about a position, its moves with verdicts, and the legal destinations."""
    here = place.here
    moves = known_moves(source, here, chosen)
    return {
        "source": source.id,
        **place_json(place),
        **_stored_json(source, here),
        **_reached_json(source, here),
        "state": state_of(source, place, moves),
        "moves": moves,
        "dests": destinations(here),
    }


def place_json(place: Place) -> dict[str, Any]:
    """Return a position and the line to it."""
    here = place.here
    before = place.positions[:-1]
    return {
        "game": here.game,
        "fen": here.fen,
        "start_fen": place.start.fen,
        "plies": len(place.codes),
        "path": [
            {"move": each.coordinates(code), "names": names_of(each, code)}
            for each, code in zip(before, place.codes, strict=True)
        ],
        "turn": side_name(here.side),
        "check": here.is_check,
        "ended": "checkmate" if here.verdict == "mate" else here.verdict,
        "opening": opening_json(opening_on(place)),
    }


def _stored_json(source: Source, here: Position) -> dict[str, Any]:
    key, lock = here.stored(source.fold)
    return {"key": f"0x{key:016x}", "lock": f"0x{lock:08x}", "cluster": key >> CLUSTER_SHIFT}


def _reached_json(source: Source, here: Position) -> dict[str, Any]:
    names = ("first_wins", "draws", "second_wins")
    if isinstance(source, StoreSource):
        rows = source.rows_at(*here.stored(source.fold))
        results = {name: sum(getattr(row, name) for row in rows) for name in names}
        reached = sum(row.games for row in rows)
        return {
            "reached": reached,
            **results,
            "unknown": reached - sum(results.values()),
            "ended_here": ended_here(rows, source.options.max_ply),
            "stored_ply": min((row.ply for row in rows), default=None),
        }
    if isinstance(source, ListedSource):
        return dict.fromkeys(("reached", *names, "unknown", "ended_here", "stored_ply"))
    record = source.book.native.probe_position(here)
    counts = (None, None, None) if record is None else (record.wins, record.draws, record.losses)
    return {
        "reached": None if record is None else record.usage,
        **dict(zip(names, counts, strict=True)),
        "unknown": None,
        "ended_here": None,
        "stored_ply": None,
    }


def state_of(source: Source, place: Place, moves: list[dict[str, Any]]) -> str:
    """Return whether a position has moves, and why not.

    `known`; `all_dropped`: no move is kept; `ended`: every game that reached the position ended here;
    `beyond_depth`: the ply limit of the source; `never_seen`.
    """
    if moves:
        return "known" if any(move["kept"] for move in moves) else "all_dropped"
    limit = source.options.max_ply if isinstance(source, StoreSource) else source.max_ply
    if limit is not None and place.ply >= limit:
        return "beyond_depth"
    if isinstance(source, StoreSource) and source.rows_at(*place.here.stored(source.fold)):
        return "ended"
    return "never_seen"


def destinations(here: Position) -> dict[str, list[str]]:
    """Return the target squares of the legal moves, by their origin."""
    found: dict[str, list[str]] = {}
    for code in here.moves():
        move = here.coordinates(code)
        squares = found.setdefault(move[:2], [])
        if move[2:4] not in squares:  # four promotions go to one square
            squares.append(move[2:4])
    return found
