"""`/endgame`: the value of a position with few pieces, from tables."""

from __future__ import annotations

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.engine.endgames import Endgames
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import names_of
from bookbuilder.explorer.named_lines import names_along
from bookbuilder.explorer.query import asked_game, place_at
from bookbuilder.games.position import side_name

__all__ = ["endgame"]


def endgame(request: Request) -> Response:
    """Answer `/endgame` as `bookbuilder endgame probe --json`, with the value of every move."""
    tables: Endgames | None = request.app.state.endgames
    if tables is None:
        message = (
            "no endgame tables are served: start the server with --endgames DIR (endgame build makes them)"
        )
        raise RefusedError(404, "no-tables", message)
    query = request.query_params
    game = asked_game(query) or "chess"
    here = place_at(query, game).here
    value = tables.find(here)
    plies = {name: number for name in ("dtm", "dtc", "dtz") if (number := getattr(value, name)) is not None}
    ranked = [
        {**asdict(each), "names": names_of(here, here.parse_move(each.move))} for each in tables.moves(here)
    ]
    line = tables.line(here) if value.wdl and plies else []
    return answer(
        {
            "game": game,
            "fen": here.fen,
            "wdl": value.wdl,
            **plies,
            "best": tables.best(here),
            "turn": side_name(here.side),
            "line": line,
            "line_names": names_along(here, line),
            "moves": ranked,
        }
    )
