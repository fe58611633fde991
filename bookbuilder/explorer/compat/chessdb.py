"""Answers in the format of chessdb.cn: the moves of a board with score and rank.

`/chessdb.php` is for xiangqi, `/cdb.php` for chess. The actions are `queryall`, `querybest`, `query` and
`queryscore`. There scores come from a search, here from games, as the note says:

| field | meaning here |
|---|---|
| score | (W + 5) / (W + L + 10) - 1/2 in thousandths: P, shrunk as if ten more games had been split |
| winrate | (W + D/2) / N in per cent |
| rank | 2 `!`: no move has a better score; 1 `*`: the score is 0 or more; 0 `?`: it is less |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bookbuilder.errors import FenError, MoveError
from bookbuilder.explorer.answer import RefusedError
from bookbuilder.explorer.facts import known_moves
from bookbuilder.explorer.query import place_at, read_flag, sources_of
from bookbuilder.explorer.sources import Source
from bookbuilder.games.position import Game
from bookbuilder.selection.options import preset

__all__ = ["ROUTES"]

_SIGNS: Final = "?*!"
_EVERYTHING: Final = preset("literature", min_win_rate=0)
_ACTIONS: Final = ("queryall", "querybest", "query", "queryscore")


def xiangqi(request: Request) -> Response:
    """Answer `/chessdb.php`."""
    return _answer(request, "xiangqi")


def chess(request: Request) -> Response:
    """Answer `/cdb.php`."""
    return _answer(request, "chess")


ROUTES: Final = (("/chessdb.php", xiangqi), ("/cdb.php", chess))
"""Paths and their endpoints."""


def _answer(request: Request, game: Game) -> Response:
    query = request.query_params
    action = query.get("action") or ""
    if action not in _ACTIONS:
        return PlainTextResponse("unknown action" if action else "invalid parameters")
    try:
        is_json = read_flag(query, "json")
    except RefusedError:
        return PlainTextResponse("invalid parameters")
    try:
        source = sources_of(request).find(query.get("src"), game)
        place = place_at(QueryParams({"fen": _board(query)}), game)
    except (FenError, MoveError, RefusedError) as error:
        is_unserved = isinstance(error, RefusedError) and error.code == "source"
        return _word("unknown" if is_unserved else "invalid board", is_json)
    here = place.here
    if here.verdict in ("mate", "stalemate"):
        return _word("checkmate" if here.verdict == "mate" else "stalemate", is_json)
    rows = _ranked(source, known_moves(source, here, _EVERYTHING))
    if not rows:
        return _word("unknown", is_json)
    if action == "queryall":
        return _all(rows, place.ply, is_json)
    return _one(action, rows[0], is_json)


def _board(query: QueryParams) -> str:
    board = (query.get("board") or "").strip()
    if not board:
        raise FenError("board is missing: expected a FEN")
    return board


def _word(status: str, is_json: bool) -> Response:
    return JSONResponse({"status": status}) if is_json else PlainTextResponse(status)


def _ranked(source: Source, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the moves with a result, with score, rank, note and winrate; the best score first."""
    judged = [(row, row["judged"]) for row in rows]
    scored = [(row, each, _score(each)) for row, each in judged if each and each["score"] is not None]
    best = max((score for _, _, score in scored), default=0)
    found = []
    for row, each, score in sorted(scored, key=lambda known: (-known[2], -known[1]["reached"])):
        rank = 2 if score == best else 1 if score >= 0 else 0
        note, winrate = f"{_SIGNS[rank]} ({each['reached']} games)", f"{100 * each['score']:.2f}"
        found.append({"uci": row["move"], "score": score, "rank": rank, "note": note, "winrate": winrate})
    return found


def _score(judged: Mapping[str, Any]) -> int:
    # As in the quality of a record: one lucky game must not rank above five hundred good ones.
    wins, losses = int(judged["wins"]) + 5, int(judged["losses"]) + 5
    return round(1000 * (wins / (wins + losses) - 0.5))


def _all(rows: list[dict[str, Any]], ply: int, is_json: bool) -> Response:
    if is_json:
        return JSONResponse({"status": "ok", "moves": rows, "ply": ply})
    names = (("move", "uci"), ("score", "score"), ("rank", "rank"), ("note", "note"), ("winrate", "winrate"))
    lines = (",".join(f"{told}:{row[name]}" for told, name in names) for row in rows)
    return PlainTextResponse("|".join(lines))


def _one(action: str, best: Mapping[str, Any], is_json: bool) -> Response:
    if action == "queryscore":
        found = {"status": "ok", "eval": best["score"]}
        return JSONResponse(found) if is_json else PlainTextResponse(f"eval:{best['score']}")
    found = {"status": "ok", "move": best["uci"]}
    return JSONResponse(found) if is_json else PlainTextResponse(f"move:{best['uci']}")
