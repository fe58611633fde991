"""`/sources`, `/position`, `/tree`, `/line` and `/endgame`: what sources know of positions."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder import _core
from bookbuilder._core import Position
from bookbuilder.book.book import Book
from bookbuilder.engine.endgames import Endgames
from bookbuilder.errors import MoveError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import (
    RESULTS,
    MoveFacts,
    known_moves,
    known_place,
    names_along,
    names_of,
    opening_on,
)
from bookbuilder.explorer.query import (
    Place,
    asked_game,
    asked_source,
    place_at,
    presets_json,
    read_flag,
    read_number,
    rules_json,
    selection_of,
    sources_of,
)
from bookbuilder.explorer.sources import Source, StoreSource
from bookbuilder.games.line import START_WORD, coordinate_moves, split_position
from bookbuilder.games.openings import openings_of
from bookbuilder.games.position import SIDES, Game, as_position

_MOST_NODES: Final = 400
_MOST_DEPTH: Final = 20
_MOST_WIDTH: Final = 20
_OF_TREE: Final = (
    "move", "names", "san", "played", "share", "reached", *RESULTS, "p", "score", "quality", "kept",
    "reason", "opening", "fen_after",
)  # fmt: skip
_LONGEST_TEXT: Final = 8_000
_MOST_OPENINGS: Final = 8
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"([^"]*)"\s*\]')
_FIRST_MOVE: Final = re.compile(r"\s*1\s*\.(?!\.)")
_COMMENT: Final = re.compile(r"\{[^}]*\}")
_VARIATION: Final = re.compile(r"\([^()]*\)")


def sources(request: Request) -> Response:
    """Answer `/sources`."""
    state = request.app.state
    tables = state.endgames
    return answer(
        {
            "sources": sources_of(request).listing(),
            "version": _core.CORE_VERSION,
            "engine": state.engines is not None,
            "endgames": [] if tables is None else sorted({file.game for file in tables.files}),
            "writable": sources_of(request).is_writable,
            "rules": rules_json(),
            "presets": presets_json(),
        }
    )


def health(request: Request) -> Response:
    """Answer `/health`."""
    return answer({"status": "ok", "version": _core.CORE_VERSION, "sources": len(sources_of(request))})


def position(request: Request) -> Response:
    """Answer `/position`: its facts, its moves with verdicts and known values, and the legal destinations."""
    query = request.query_params
    source = asked_source(request)
    place = known_place(source, place_at(query, source.game))
    here = place.here
    moves = known_moves(source, here, selection_of(source, query))
    after = [here.play(here.parse_move(move.move)) for move in moves]
    own, *others = request.app.state.values.of(here.game, [here, *after])
    key, lock = here.stored(source.fold)
    dests: dict[str, list[str]] = {}
    for code in here.moves():
        move = here.coordinates(code)
        squares = dests.setdefault(move[:2], [])
        if move[2:4] not in squares:  # four promotions go to one square
            squares.append(move[2:4])
    return answer(
        {
            "source": source.id,
            **_place_json(place),
            "key": f"0x{key:016x}",
            "lock": f"0x{lock:08x}",
            **_reached_json(source, here),
            "state": state_of(source, place, moves),
            "value": own,
            "moves": [
                {**vars(move), "value": value and {**value, "score_cp": -value["score_cp"]}}
                for move, value in zip(moves, others, strict=True)
            ],
            "dests": dests,
        }
    )


def _place_json(place: Place) -> dict[str, Any]:
    here, opening = place.here, opening_on(place)
    return {
        "game": here.game,
        "fen": here.fen,
        "start_fen": place.start.fen,
        "plies": len(place.codes),
        "path": [{"move": at.coordinates(code), "names": names_of(at, code)} for at, code in place.steps],
        "turn": SIDES[here.side],
        "check": here.is_check,
        "ended": "checkmate" if here.verdict == "mate" else here.verdict,
        "opening": opening and opening.to_json(),
    }


def _reached_json(source: Source, here: Position) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(("reached", *RESULTS, "unknown", "ended_here"))
    if not isinstance(source, StoreSource):
        record = source.book.native.probe_position(here) if isinstance(source.book, Book) else None
        if record is not None:
            counts = (record.usage, record.wins, record.draws, record.losses)
            found |= zip(("reached", *RESULTS), counts, strict=True)
        return found
    rows, limit = source.rows_at(*here.stored(source.fold)), source.max_ply
    last, ply = [row for row in rows if row.move == 0], min((row.ply for row in rows), default=0)
    (reached, results), (ended, ended_results) = (
        (sum(row.games for row in some), {name: sum(getattr(row, name) for row in some) for name in RESULTS})
        for some in (rows, last)
    )
    # Games without a move here ended, or reached the ply limit of the store.
    may_go_on = limit is not None and ply <= limit and (limit - ply) % 2 == 0
    return {
        "reached": reached,
        **results,
        "unknown": reached - sum(results.values()),
        "ended_here": {"games": ended, **ended_results, "may_go_on": may_go_on},
    }


def state_of(source: Source, place: Place, moves: list[MoveFacts]) -> str:
    """Return whether a position has moves, and why not.

    `known`; `all_dropped`: no move is kept; `ended`: every game that reached the position ended here;
    `beyond_depth`: the ply limit of the source; `never_seen`.
    """
    if moves:
        return "known" if any(move.kept for move in moves) else "all_dropped"
    if source.max_ply is not None and place.ply >= source.max_ply:
        return "beyond_depth"
    if isinstance(source, StoreSource) and source.rows_at(*place.here.stored(source.fold)):
        return "ended"
    return "never_seen"


def tree(request: Request) -> Response:
    """Answer `/tree`: the moves below a position, nested up to a depth and a width."""
    source, query = asked_source(request), request.query_params
    place = place_at(query, source.game)
    chosen, width = selection_of(source, query), read_number(query, "width", 4, most=_MOST_WIDTH)
    kept_only = read_flag(query, "kept_only")
    root: list[dict[str, Any]] = []
    # Nodes are added level by level, so that the deepest ones are cut.
    waiting = deque([(place.here, root, read_number(query, "depth", 3, most=_MOST_DEPTH))])
    left = _MOST_NODES
    while waiting and left >= 0:
        here, children, depth = waiting.popleft()
        moves = known_moves(source, here, chosen) if depth else []
        for move in [move for move in moves if move.kept or not kept_only][:width]:
            left -= 1
            if left < 0:
                break
            node = {**{name: getattr(move, name) for name in _OF_TREE}, "children": list[Any]()}
            children.append(node)
            waiting.append((here.play(here.parse_move(move.move)), node["children"], depth - 1))
    return answer({"source": source.id, **_place_json(place), "children": root, "is_cut": left < 0})


def line(request: Request) -> Response:
    """Answer `/line`: start and moves of `text`, which is a FEN, moves in any notation, or a game in PGN.

    The name or the code of an opening is answered with the openings that fit. Moves go on from the position
    of the request, unless they are numbered from 1 or belong to a game. They are played up to the first one
    that is not legal, which `stopped` names.
    """
    source, query = asked_source(request), request.query_params
    text = query.get("text") or ""
    if not text.strip() or len(text) > _LONGEST_TEXT:
        expected = f"expected moves, a FEN or a game, at most {_LONGEST_TEXT:,}"
        raise RefusedError(400, "text", f"text has {len(text):,} characters: {expected}")
    tags = dict(_TAG.findall(text))
    moves_text, found = _COMMENT.sub(" ", _TAG.sub(" ", text)), 1
    while found:
        moves_text, found = _VARIATION.subn(" ", moves_text)
    fen, words = split_position(moves_text.strip())
    fen = tags.get("FEN", fen)
    if tags or fen != START_WORD or _FIRST_MOVE.match(moves_text):
        start, before = as_position(fen, source.game), list[str]()
    else:
        place = place_at(query, source.game)
        start, before = place.start, place.moves
    here, stopped = start, None
    played: list[str] = []
    for word in [*before, *words]:
        try:
            code = here.parse_move(word)
        except MoveError as error:
            if len(played) == len(before):
                return _openings(source, text.strip(), error)
            stopped = {"word": word, "message": str(error)}
            break
        played.append(here.coordinates(code))
        here = here.play(code)
    return answer(
        {
            "source": source.id,
            "fen": "" if start.fen == Position(source.game).fen else start.fen,
            "play": ",".join(played),
            "moves": len(played) - len(before),
            "stopped": stopped,
            "openings": [],
        }
    )


def _openings(source: Source, text: str, error: MoveError) -> Response:
    """Answer a text without a move with the openings of that name or code, those with short lines first."""
    found = sorted(openings_of(source.game).find(text), key=lambda each: each.ply)
    if not found:
        other: Game = "chess" if source.game == "xiangqi" else "xiangqi"
        if openings_of(other).find(text):
            raise RefusedError(400, "other-opening", f'"{text}" is an opening of {other}') from error
        raise error
    start = Position(source.game)
    rows = [
        {**each.to_json(), "play": ",".join(coordinate_moves(start, each.moves))}
        for each in found[:_MOST_OPENINGS]
    ]
    return answer({"source": source.id, "openings": rows})


def endgame(request: Request) -> Response:
    """Answer `/endgame` as `bookbuilder endgame probe --json`, with the value of every move."""
    tables: Endgames | None = request.app.state.endgames
    if tables is None:
        why = "no endgame tables are served: start the server with --endgames DIR (endgame build makes them)"
        raise RefusedError(404, "no-tables", why)
    query = request.query_params
    here = place_at(query, asked_game(query) or "chess").here
    value = tables.find(here)
    plies = {name: number for name in ("dtm", "dtc", "dtz") if (number := getattr(value, name)) is not None}
    best_line = tables.line(here) if value.wdl and plies else []
    moves = [
        {**asdict(each), "names": names_of(here, here.parse_move(each.move))} for each in tables.moves(here)
    ]
    return answer(
        {
            "game": here.game,
            "fen": here.fen,
            "wdl": value.wdl,
            **plies,
            "best": tables.best(here),
            "turn": SIDES[here.side],
            "line": best_line,
            "line_names": names_along(here, best_line),
            "moves": moves,
        }
    )
