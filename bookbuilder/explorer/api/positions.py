"""`/sources`, `/position`, `/compare`, `/tree`, `/line` and `/endgame`: what sources know of positions."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder import _core
from bookbuilder._core import CLUSTER_SHIFT, Position
from bookbuilder.book.book import Book
from bookbuilder.engine.endgames import Endgames
from bookbuilder.errors import MoveError
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.facts import (
    RESULTS,
    MoveFacts,
    ended_here,
    known_moves,
    known_place,
    names_along,
    names_of,
    opening_json,
    opening_on,
)
from bookbuilder.explorer.query import (
    Place,
    asked_filters,
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
from bookbuilder.games.position import Game, as_position, side_name
from bookbuilder.selection.options import SelectionOptions

_MOST_NODES: Final = 400
_MOST_DEPTH: Final = 20
_MOST_WIDTH: Final = 20
_OF_TREE: Final = (
    "move", "names", "san", "played", "share", "reached", *RESULTS, "p", "score", "quality", "kept",
    "reason", "opening", "fen_after",
)  # fmt: skip
_LONGEST_TEXT: Final = 8_000
_LONGEST_NAME: Final = 100
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
    """Answer `/position`, with the known values of the position and its moves for the side to move."""
    query = request.query_params
    source = asked_source(request)
    place = known_place(source, place_at(query, source.game))
    here = place.here
    found = position_answer(source, place, selection_of(source, query))
    after = [here.play(here.parse_move(move["move"])) for move in found["moves"]]
    own, *others = request.app.state.values.of(here.game, [here, *after])
    for move, value in zip(found["moves"], others, strict=True):
        move["value"] = None if value is None else {**value, "score_cp": -value["score_cp"]}
    return answer({**found, "value": own})


def position_answer(source: Source, place: Place, chosen: SelectionOptions) -> dict[str, Any]:
    """Return the facts of a source about a position, its moves with verdicts, and the legal destinations."""
    here = place.here
    moves = known_moves(source, here, chosen)
    key, lock = here.stored(source.fold)
    dests: dict[str, list[str]] = {}
    for code in here.moves():
        move = here.coordinates(code)
        squares = dests.setdefault(move[:2], [])
        if move[2:4] not in squares:  # four promotions go to one square
            squares.append(move[2:4])
    return {
        "source": source.id,
        **_place_json(place),
        "key": f"0x{key:016x}",
        "lock": f"0x{lock:08x}",
        "cluster": key >> CLUSTER_SHIFT,
        **_reached_json(source, here),
        "state": state_of(source, place, moves),
        "moves": [move.to_json() for move in moves],
        "dests": dests,
    }


def _place_json(place: Place) -> dict[str, Any]:
    """Return a position and the line to it."""
    here = place.here
    steps = zip(place.positions[:-1], place.codes, strict=True)
    return {
        "game": here.game,
        "fen": here.fen,
        "start_fen": place.start.fen,
        "plies": len(place.codes),
        "path": [{"move": each.coordinates(code), "names": names_of(each, code)} for each, code in steps],
        "turn": side_name(here.side),
        "check": here.is_check,
        "ended": "checkmate" if here.verdict == "mate" else here.verdict,
        "opening": opening_json(opening_on(place)),
    }


def _reached_json(source: Source, here: Position) -> dict[str, Any]:
    found: dict[str, Any] = dict.fromkeys(("reached", *RESULTS, "unknown", "ended_here", "stored_ply"))
    if not isinstance(source, StoreSource):
        record = source.book.native.probe_position(here) if isinstance(source.book, Book) else None
        if record is not None:
            counts = (record.usage, record.wins, record.draws, record.losses)
            found |= zip(("reached", *RESULTS), counts, strict=True)
        return found
    rows = source.rows_at(*here.stored(source.fold))
    results = {name: sum(getattr(row, name) for row in rows) for name in RESULTS}
    reached = sum(row.games for row in rows)
    return {
        "reached": reached,
        **results,
        "unknown": reached - sum(results.values()),
        "ended_here": ended_here(rows, source.max_ply),
        "stored_ply": min((row.ply for row in rows), default=None),
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


def compare(request: Request) -> Response:
    """Answer `/compare`: the moves of two sources or two selections at a position, side by side."""
    query = request.query_params
    served = sources_of(request)
    one = served.find(query.get("a"))
    name = query.get("b") or one.id
    other = one if name == one.id else served.find(name)
    if one.game != other.game:
        message = f"{one.id} is of {one.game}, {other.id} of {other.game}: expected two sources of one game"
        raise RefusedError(400, "source", message)
    place = place_at(query, one.game)
    a, b = (
        position_answer(source.narrowed(asked_filters(query, side)), place, selection_of(source, query, side))
        for source, side in ((one, "a_"), (other, "b_"))
    )
    one_side, other_side = ({name: side[name] for name in ("source", "state", "reached")} for side in (a, b))
    rows = _compared(a["moves"], b["moves"])
    return answer({**_place_json(place), "a": one_side, "b": other_side, "rows": rows, "dests": a["dests"]})


def _compared(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the moves of both: the moves of the first in its order, then the others of the second.

    `change`: `only-a` or `only-b` if one source has the move; `changed` if one keeps it and the other does
    not; else `same`. A quality alone is no change: it depends on the other moves that are kept.
    """
    left, right = ({row["move"]: row for row in rows} for rows in (a, b))
    rows = []
    for move in dict.fromkeys([*left, *right]):
        one, other = left.get(move), right.get(move)
        known: Mapping[str, Any] = one or other or {}
        change = "only-a" if other is None else "only-b" if one is None else "same"
        if one and other and one["kept"] != other["kept"]:
            change = "changed"
        names = {name: known[name] for name in ("move", "names", "san", "opening", "fen_after")}
        rows.append({**names, "a": one, "b": other, "change": change})
    return rows


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

    Moves go on from the position of the request, unless they are numbered from 1 or belong to a game. They
    are played up to the first one that is not legal, which `stopped` names.
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
        start = place.start
        steps = zip(place.positions[:-1], place.codes, strict=True)
        before = [each.coordinates(code) for each, code in steps]
    here, stopped = start, None
    played: list[str] = []
    for word in [*before, *words]:
        try:
            code = here.parse_move(word)
        except MoveError as error:
            if len(played) == len(before):
                raise  # nothing of the text can be played
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
        }
    )


def openings(request: Request) -> Response:
    """Answer `/openings`: openings of the source's game whose name or code fits `text`, short lines first."""
    source, text = asked_source(request), (request.query_params.get("text") or "").strip()
    if not text or len(text) > _LONGEST_NAME:
        raise RefusedError(400, "text", f"expected the name or code of an opening, not {len(text)} letters")
    found = sorted(openings_of(source.game).find(text), key=lambda each: each.ply)
    start = Position(source.game)
    rows = [
        {**each.to_json(), "play": ",".join(coordinate_moves(start, each.moves))}
        for each in found[:_MOST_OPENINGS]
    ]
    other: Game = "chess" if source.game == "xiangqi" else "xiangqi"
    is_other = not rows and bool(openings_of(other).find(text))
    return answer({"openings": rows, "other_game": other if is_other else None})


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
            "turn": side_name(here.side),
            "line": best_line,
            "line_names": names_along(here, best_line),
            "moves": moves,
        }
    )
