"""Answers in the format of the public opening explorer of lichess.

Only stores answer: they count wins, draws and losses. `lichess_filters` lists the filters of stores with
facets. Other filters are ignored, and the header `X-Bookbuilder-Ignored` names them. `variant=xiangqi`, with
moves in UCI (ranks 1 to 10), and `src`, the id of a store, are extensions. `player` selects the store with
that id, if there is one.

Castling is written as the king that takes its rook, and read in both ways. Rows without a known result are
skipped, because clients divide by white + draws + black.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, tell_error
from bookbuilder.explorer.api.games import find_game, games_at
from bookbuilder.explorer.archive_game import read_game
from bookbuilder.explorer.compat.lichess_filters import asked_of_lichess, ignored_of_lichess
from bookbuilder.explorer.facts import known_moves, opening_on
from bookbuilder.explorer.query import Place, place_at, read_flag, read_number, sources_of
from bookbuilder.explorer.repeated import repeated
from bookbuilder.explorer.samples import GameRow
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.openings import Opening, openings_of
from bookbuilder.games.position import Game
from bookbuilder.selection.options import preset

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["ROUTES"]

_VARIANTS: Final[Mapping[str, Game]] = {
    "": "chess", "standard": "chess", "chess": "chess", "fromPosition": "chess", "xiangqi": "xiangqi",
}  # fmt: skip
_WINNERS: Final = {"1-0": "white", "0-1": "black"}
_EVERYTHING: Final = preset("literature", min_win_rate=0)
_MOVES: Final = 12


def _errors_as_text(endpoint: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Return an endpoint that answers errors as plain text, as clients of lichess expect."""
    asked = repeated(endpoint)

    @wraps(endpoint)
    def answered(request: Request) -> Response:
        try:
            answer: Response = asked(request)
            return answer
        except BookBuilderError as error:
            status = tell_error(request, error).status_code
            return PlainTextResponse(" ".join(str(error).split()), status)

    return answered


@_errors_as_text
def masters(request: Request) -> Response:
    """Answer `/masters`: at most 15 games."""
    return _explored(request, top=15, recent=0)


@_errors_as_text
def lichess(request: Request) -> Response:
    """Answer `/lichess`: at most 4 games of each kind."""
    return _explored(request, top=4, recent=4)


@_errors_as_text
def player(request: Request) -> Response:
    """Answer `/player` as one line of ndjson, since the store is already counted."""
    source, place = _place(request)
    found = {**_opening_answer(request, source, place, top=0, recent=8), "queuePosition": 0}
    text = json.dumps(found, ensure_ascii=False) + "\n"
    return Response(text, media_type="application/x-ndjson", headers=_ignored(request, source))


@_errors_as_text
def history(request: Request) -> Response:
    """Answer `/lichess/history` with an empty list, since a store has no months."""
    source, _ = _place(request)
    return _json(request, source, {"history": []})


@_errors_as_text
def pgn(request: Request) -> Response:
    """Answer `/masters/pgn/{id}` with the game from its archive."""
    source, row = find_game(request)
    return Response(read_game(row, source.game).pgn, media_type="application/x-chess-pgn")


ROUTES: Final = (
    ("/masters", masters),
    ("/master", masters),
    ("/lichess", lichess),
    ("/personal", player),
    ("/player", player),
    ("/lichess/history", history),
    ("/masters/pgn/{id}", pgn),
    ("/master/pgn/{id}", pgn),
)
"""Paths and their endpoints, with the older names."""


def _explored(request: Request, *, top: int, recent: int) -> Response:
    source, place = _place(request)
    return _json(request, source, _opening_answer(request, source, place, top=top, recent=recent))


def _json(request: Request, source: StoreSource, data: Mapping[str, Any]) -> Response:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type="application/json", headers=_ignored(request, source))


def _ignored(request: Request, source: StoreSource) -> dict[str, str]:
    names = ignored_of_lichess(request.query_params, source.facets)
    return {"x-bookbuilder-ignored": ", ".join(names)} if names else {}


def _place(request: Request) -> tuple[StoreSource, Place]:
    query = request.query_params
    variant = query.get("variant") or ""
    if variant not in _VARIANTS:
        raise RefusedError(
            400, "option", f'variant "{variant[:32]}" is not served: expected standard or xiangqi'
        )
    game = _VARIANTS[variant]
    served = sources_of(request)
    name = query.get("src")
    wanted = (query.get("player") or "").lower()
    if name is None and wanted in {each.id for each in served if each.game == game}:
        name = wanted
    found = served.find_store(name, game)
    source = found.narrowed(asked_of_lichess(query, found.facets))
    return source, place_at(query, source.game, notation="uci" if source.game == "xiangqi" else None)


def _opening_answer(
    request: Request, source: StoreSource, place: Place, *, top: int, recent: int
) -> dict[str, Any]:
    query, here = request.query_params, place.here
    rows = [row for row in known_moves(source, here, _EVERYTHING) if _known(row)]
    samples = {row["id"]: row for row in games_at(source, here, "rating")}
    total = {name: sum(row[ours] for row in rows) for name, ours in _RESULTS}
    best, latest = (
        min(read_number(query, name, most), most)
        for name, most in (("topGames", top), ("recentGames", recent))
    )
    answer: dict[str, Any] = {
        **total,
        "moves": [
            _move(source, here, row, samples)
            for row in rows[: read_number(query, "moves", _MOVES, most=10**6)]
        ],
        "opening": _opening(opening_on(place)),
    }
    if top:
        answer["topGames"] = [_game(here, row) for row in list(samples.values())[:best]]
    if recent:
        answer["recentGames"] = [_game(here, row) for row in games_at(source, here, "date")[:latest]]
    if read_flag(query, "history"):
        answer["history"] = []
    return answer


_RESULTS: Final = (("white", "first_wins"), ("draws", "draws"), ("black", "second_wins"))


def _known(row: Mapping[str, Any]) -> int:
    return sum(row[ours] for _, ours in _RESULTS)


def _move(
    source: StoreSource, here: Position, row: Mapping[str, Any], samples: Mapping[str, GameRow]
) -> dict[str, Any]:
    code = here.parse_move(row["move"])
    rating = {} if row["rating"] != row["rating"] else {"averageRating": round(row["rating"])}
    only = samples.get(row["sample"]) if row["played"] == 1 else None
    return {
        "uci": _uci(here, code),
        "san": row["san"],
        **rating,
        **{name: row[ours] for name, ours in _RESULTS},
        "game": None if only is None else _game(here, only),
        "opening": _opening(openings_of(source.game).name_of(here.play(code))),
    }


def _uci(here: Position, code: int) -> str:
    """Return a move in UCI, castling as the king that takes its rook."""
    move, san = here.format_move(code, "uci"), here.san(code)
    if here.game == "chess" and san.startswith("O-O"):
        return f"{move[:2]}{'a' if san.startswith('O-O-O') else 'h'}{move[1]}"
    return move


def _opening(opening: Opening | None) -> dict[str, str] | None:
    return None if opening is None else {"eco": opening.code, "name": opening.name}


def _game(here: Position, row: GameRow) -> dict[str, Any]:
    """Return a game in the format of lichess. Unknown fields are omitted; unknown ratings are 0."""
    month = row["date"].replace("-", ".").split(".")[1:2]
    when: dict[str, Any] = {"year": row["year"]} if row["year"] else {}
    if row["year"] and month and month[0].isdecimal() and 1 <= int(month[0]) <= 12:
        when["month"] = f"{row['year']:04}-{int(month[0]):02}"
    uci = {} if row["move"] is None else {"uci": _uci(here, here.parse_move(row["move"]))}
    return {
        **uci,
        "id": row["id"],
        "winner": _WINNERS.get(row["result"]),
        "white": {"name": row["first_player"], "rating": row["first_rating"]},
        "black": {"name": row["second_player"], "rating": row["second_rating"]},
        **when,
    }
