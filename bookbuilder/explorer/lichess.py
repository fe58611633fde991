"""Answers in the format of the public opening explorer of lichess.

Only stores answer: they count wins, draws and losses. Stores with facets have these filters:

| parameter | facet | filter |
|---|---|---|
| `since`, `until` | year | whole years: `2020-5` is 2020 |
| `ratings` | rating | adjacent groups of the mean rating |
| `speeds` | speed | classes; all or only unknown ones = every game |
| `color` | player-side | the side of the counted player |

Other filters are ignored, and the header `X-Bookbuilder-Ignored` names them. `variant=xiangqi`, with
moves in UCI (ranks 1 to 10), and `src`, the id of a store, are extensions. `player` selects the store with
that id, if there is one.

Castling is written as the king that takes its rook, and read in both ways. Rows without a known result are
skipped, because clients divide by white + draws + black.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from bookbuilder._core import Position
from bookbuilder.archives.filters import Facet, GameFilter
from bookbuilder.errors import BookBuilderError
from bookbuilder.explorer.answer import RefusedError, tell_error
from bookbuilder.explorer.api.games import GameRow, find_game, games_at, read_game
from bookbuilder.explorer.facts import MoveFacts, known_moves, opening_on
from bookbuilder.explorer.query import Place, place_at, read_flag, read_number, repeated, sources_of
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.openings import Opening, openings_of
from bookbuilder.games.position import Game
from bookbuilder.selection.options import preset

__all__ = ["ROUTES"]

_VARIANTS: Final[Mapping[str, Game]] = {
    "": "chess", "standard": "chess", "chess": "chess", "fromPosition": "chess", "xiangqi": "xiangqi",
}  # fmt: skip
_WINNERS: Final = {"1-0": "white", "0-1": "black"}
_EVERYTHING: Final = preset("literature", min_win_rate=0)
_MOVES: Final = 12
_GROUPS: Final = (0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500)
_SPEEDS: Final = ("ultrabullet", "bullet", "blitz", "rapid", "classical")
_SIDES: Final = {"white": "first", "black": "second"}
_MONTH: Final = re.compile(r"(1[89][0-9]{2}|20[0-4][0-9])(-[0-9]{1,2})?", re.ASCII)
_NEVER: Final = ("modes", "modes[]")


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


ROUTES: Final = tuple(
    (path, answer, media)
    for paths, answer, media in (
        (("/masters", "/master"), masters, "application/json"),
        (("/lichess",), lichess, "application/json"),
        (("/player", "/personal"), player, "application/x-ndjson"),
        (("/lichess/history",), history, "application/json"),
        (("/masters/pgn/{id}", "/master/pgn/{id}"), pgn, "application/x-chess-pgn"),
    )
    for path in paths
)
"""Paths with their endpoints and the types of their answers; `/master` and `/personal` are older names."""


def _explored(request: Request, *, top: int, recent: int) -> Response:
    source, place = _place(request)
    return _json(request, source, _opening_answer(request, source, place, top=top, recent=recent))


def _json(request: Request, source: StoreSource, data: Mapping[str, Any]) -> Response:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Response(text, media_type="application/json", headers=_ignored(request, source))


def _ignored(request: Request, source: StoreSource) -> dict[str, str]:
    names = _ignored_names(request.query_params, source.facets)
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
    source = found.narrowed(_asked_filter(query, found.facets))
    return source, place_at(query, source.game, notation="uci" if source.game == "xiangqi" else None)


def _opening_answer(
    request: Request, source: StoreSource, place: Place, *, top: int, recent: int
) -> dict[str, Any]:
    query, here = request.query_params, place.here
    moves = [move for move in known_moves(source, here, _EVERYTHING) if sum(_results(move).values())]
    samples = {row["id"]: row for row in games_at(source, here, "rating")}
    total = {name: sum(_results(move)[name] for move in moves) for name in ("white", "draws", "black")}
    best, latest = (
        min(read_number(query, name, most), most)
        for name, most in (("topGames", top), ("recentGames", recent))
    )
    answer: dict[str, Any] = {
        **total,
        "moves": [
            _move(source, here, move, samples)
            for move in moves[: read_number(query, "moves", _MOVES, most=10**6)]
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


def _results(move: MoveFacts) -> dict[str, int]:
    return {"white": move.first_wins or 0, "draws": move.draws or 0, "black": move.second_wins or 0}


def _move(
    source: StoreSource, here: Position, move: MoveFacts, samples: Mapping[str, GameRow]
) -> dict[str, Any]:
    code = here.parse_move(move.move)
    only = samples.get(move.sample or "") if move.played == 1 else None
    return {
        "uci": _uci(here, code),
        "san": move.san,
        **({"averageRating": round(move.rating)} if move.rating == move.rating and move.rating else {}),
        **_results(move),
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


_Changes = dict[str, Any] | None
"""Fields of a filter; None if a store cannot answer it."""


def _asked_filter(query: QueryParams, facets: Collection[Facet]) -> GameFilter:
    """Return the filter of a query for a store with these facets."""
    changes: dict[str, Any] = {}
    for name, (facet, changes_of) in _PARAMETERS.items():
        if facet in facets and (text := query.get(name)):
            changes |= changes_of(text) or {}
    return GameFilter(**changes)


def _ignored_names(query: QueryParams, facets: Collection[Facet]) -> list[str]:
    """Return the given parameters that are ignored."""
    given = [name for name in (*_PARAMETERS, *_NEVER) if query.get(name)]
    return [name for name in given if name in _NEVER or not _is_used(name, query[name], facets)]


def _is_used(name: str, text: str, facets: Collection[Facet]) -> bool:
    facet, changes_of = _PARAMETERS[name]
    return facet in facets and changes_of(text) is not None


def _year(name: str) -> Callable[[str], _Changes]:
    def changes_of(text: str) -> _Changes:
        found = _MONTH.fullmatch(text)
        return {name: found[1]} if found else None

    return changes_of


def _ratings(text: str) -> _Changes:
    asked = sorted({_GROUPS.index(int(word)) for word in text.split(",") if word in map(str, _GROUPS)})
    if not asked or asked != list(range(asked[0], asked[-1] + 1)):
        return None
    least = _GROUPS[asked[0]] or None
    most = _GROUPS[asked[-1] + 1] - 1 if asked[-1] + 1 < len(_GROUPS) else None
    is_all = least is None and most is None
    return {} if is_all else {"min_rating": least, "max_rating": most, "rating_of": "mean"}


def _speeds(text: str) -> _Changes:
    asked = {word.lower() for word in text.split(",")}
    known = tuple(speed for speed in _SPEEDS if speed in asked)
    if not known:
        return None
    return {} if known == _SPEEDS else {"time_control": known}


def _side(text: str) -> _Changes:
    return {"player_side": _SIDES[text]} if text in _SIDES else None


_PARAMETERS: Final[Mapping[str, tuple[Facet, Callable[[str], _Changes]]]] = {
    "speeds": ("speed", _speeds),
    "speeds[]": ("speed", _speeds),
    "ratings": ("rating", _ratings),
    "ratings[]": ("rating", _ratings),
    "since": ("year", _year("since")),
    "until": ("year", _year("until")),
    "color": ("player-side", _side),
}
"""The facet that each parameter needs, and its conversion to a filter."""
