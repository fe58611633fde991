"""`/endgame`: the value of a position with few pieces, from tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.engine.endgames import Endgames
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import names_of
from bookbuilder.explorer.query import asked_game, place_at
from bookbuilder.games.position import side_name

if TYPE_CHECKING:
    from bookbuilder._core import Position

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
            "line_names": _names(here, line),
            "moves": ranked,
        }
    )


def _names(here: Position, line: Sequence[str]) -> list[dict[str, str]]:
    """Return the names of each move of a line."""
    found = []
    for move in line:
        code = here.parse_move(move)
        found.append(names_of(here, code))
        here = here.play(code)
    return found
