"""Answers in the format of the public opening explorer of lichess.

Only stores answer: they count wins, draws and losses. Stores with facets have these filters:

| parameter | facet | filter |
|---|---|---|
| `since`, `until` | year | whole years: `2020-5` is 2020 |
| `ratings` | rating | adjacent groups of the mean rating |
| `speeds` | speed | classes; all or only unknown ones = every game |
| `color` | player-side | the side of the counted player |

Other filters are ignored, and the header `X-Bookbuilder-Ignored` names them. `variant=xiangqi`, with moves in
UCI (ranks 1 to 10), and `src`, the id of a store, are extensions. `player` selects the store with that id.

Castling is written as the king that takes its rook, and read in both ways. Rows without a known result are
skipped, because clients divide by white + draws + black.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import Position
from bookbuilder.archives.filters import Facet, GameFilter
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.api.games import GameRow, game_pgn, games_at
from bookbuilder.explorer.facts import RESULTS, MoveFacts, known_moves, known_place, opening_on
from bookbuilder.explorer.query import Place, place_at, read_flag, read_number, sources_of
from bookbuilder.explorer.sources import StoreSource
from bookbuilder.games.openings import Opening, openings_of
from bookbuilder.games.position import Game
from bookbuilder.selection.options import preset

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
_FACETS: Final[Mapping[str, Facet]] = {
    "speeds": "speed", "ratings": "rating", "since": "year", "until": "year", "color": "player-side",
}  # fmt: skip


def _explored(top: int, recent: int, media: str = "application/json") -> Callable[[Request], Response]:
    """Return the endpoint that answers with at most some games of each kind."""

    def explored(request: Request) -> Response:
        source, place, ignored = _asked(request)
        found = _answer(request, source, place, top, recent)
        return _json(found if top else {**found, "queuePosition": 0}, ignored, media)

    return explored


def history(request: Request) -> Response:
    """Answer `/lichess/history` with an empty list, since a store has no months."""
    return _json({"history": []}, _asked(request)[2])


_LINES: Final = "application/x-ndjson"
ROUTES: Final = (
    ("/masters", _explored(15, 0), "application/json"),
    ("/lichess", _explored(4, 4), "application/json"),
    ("/player", _explored(0, 8, _LINES), _LINES),  # one line, since the store is already counted
    ("/lichess/history", history, "application/json"),
    ("/masters/pgn/{id}", game_pgn, "application/x-chess-pgn"),
    ("/master/pgn/{id}", game_pgn, "application/x-chess-pgn"),
)
"""Paths with their endpoints and the types of their answers."""


def _json(data: Mapping[str, Any], ignored: list[str], media: str = "application/json") -> Response:
    headers = {"x-bookbuilder-ignored": ", ".join(ignored)} if ignored else {}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
    return Response(text, media_type=media, headers=headers)


def _asked(request: Request) -> tuple[StoreSource, Place, list[str]]:
    """Return the store with its filters, the position, and the names of parameters that are ignored."""
    query, served = request.query_params, sources_of(request)
    variant = query.get("variant") or ""
    if variant not in _VARIANTS:
        message = f'variant "{variant[:32]}" is not served: expected standard or xiangqi'
        raise RefusedError(400, "option", message)
    game = _VARIANTS[variant]
    name, wanted = query.get("src"), (query.get("player") or "").lower()
    if name is None and wanted in {each.id for each in served if each.game == game}:
        name = wanted
    found = served.find_store(name, game)
    changes: dict[str, Any] = {}
    ignored = [name for name in ("modes", "modes[]") if query.get(name)]
    for name in reversed([each for each in query if each.removesuffix("[]") in _FACETS and query[each]]):
        plain = name.removesuffix("[]")
        change = _filter(plain, query[name]) if _FACETS[plain] in found.facets else None
        if change is None:
            ignored.insert(0, name)
        else:
            changes |= change
    place = place_at(query, game, notation="uci" if game == "xiangqi" else None)
    return found.narrowed(GameFilter(**changes)), known_place(found, place), ignored


def _filter(name: str, text: str) -> dict[str, Any] | None:
    """Return the fields of a filter that a parameter means; None if a store cannot answer it."""
    if name in ("since", "until"):
        month = _MONTH.fullmatch(text)
        return {name: month[1]} if month else None
    if name == "color":
        return {"player_side": _SIDES[text]} if text in _SIDES else None
    words = [word.lower() for word in text.split(",")]
    if name == "speeds":
        speeds = tuple(speed for speed in _SPEEDS if speed in words)
        return ({} if speeds == _SPEEDS else {"time_control": speeds}) if speeds else None
    groups = sorted({_GROUPS.index(int(word)) for word in words if word in map(str, _GROUPS)})
    if not groups or groups != list(range(groups[0], groups[-1] + 1)):
        return None
    least = _GROUPS[groups[0]] or None
    most = _GROUPS[groups[-1] + 1] - 1 if groups[-1] + 1 < len(_GROUPS) else None
    return {"min_rating": least, "max_rating": most, "rating_of": "mean"} if least or most else {}


def _answer(request: Request, source: StoreSource, place: Place, top: int, recent: int) -> dict[str, Any]:
    query, here = request.query_params, place.here
    moves = [move for move in known_moves(source, here, _EVERYTHING) if sum(_results(move).values())]
    samples = {row["id"]: row for row in games_at(source, here)}
    answer: dict[str, Any] = {
        **{name: sum(_results(move)[name] for move in moves) for name in ("white", "draws", "black")},
        "moves": [
            _move(source, here, move, samples)
            for move in moves[: read_number(query, "moves", _MOVES, most=10**6)]
        ],
        "opening": _opening(opening_on(place)),
    }
    best, latest = read_number(query, "topGames", top), read_number(query, "recentGames", recent)
    if top:
        answer["topGames"] = [_game(here, row) for row in list(samples.values())[: min(best, top)]]
    if recent:
        rows = sorted(samples.values(), key=lambda row: (row["year"], row["date"]), reverse=True)
        answer["recentGames"] = [_game(here, row) for row in rows[: min(latest, recent)]]
    return {**answer, "history": []} if read_flag(query, "history") else answer


def _results(move: MoveFacts) -> dict[str, int]:
    counts = (getattr(move, name) or 0 for name in RESULTS)
    return dict(zip(("white", "draws", "black"), counts, strict=True))


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
    return {
        **({} if row["move"] is None else {"uci": _uci(here, here.parse_move(row["move"]))}),
        "id": row["id"],
        "winner": _WINNERS.get(row["result"]),
        "white": {"name": row["first_player"], "rating": row["first_rating"]},
        "black": {"name": row["second_player"], "rating": row["second_rating"]},
        **when,
    }
