"""`/line`: what somebody typed or pasted, as a start and moves."""

from __future__ import annotations

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder._core import Position
from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.query import asked_source, place_at
from bookbuilder.games.line import START_WORD, coordinate_moves, split_position
from bookbuilder.games.position import as_position

__all__ = ["line"]

_LONGEST: Final = 8_000
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"([^"]*)"\s*\]')
_FIRST_MOVE: Final = re.compile(r"\s*1\s*\.(?!\.)")
_COMMENT: Final = re.compile(r"\{[^}]*\}")
_VARIATION: Final = re.compile(r"\([^()]*\)")


def line(request: Request) -> Response:
    """Answer `/line`: start and moves of `text`, which is a FEN, moves in any notation, or a game in PGN.

    Moves go on from the position of the request, unless they are numbered from 1 or belong to a game. The
    first move that is not legal is named.
    """
    source, query = asked_source(request), request.query_params
    text = query.get("text") or ""
    if not text.strip() or len(text) > _LONGEST:
        message = f"text has {len(text):,} characters: expected moves, a FEN or a game, at most {_LONGEST:,}"
        raise RefusedError(400, "text", message)
    tags = dict(_TAG.findall(text))
    moves_text = _main_line(_TAG.sub(" ", text))
    fen, words = split_position(moves_text.strip())
    fen = tags.get("FEN", fen)
    usual = Position(source.game)
    if tags or fen != START_WORD or _FIRST_MOVE.match(moves_text):
        start, before = as_position(fen, source.game), list[str]()
    else:
        place = place_at(query, source.game)
        start = place.start
        earlier = zip(place.positions[:-1], place.codes, strict=True)
        before = [each.coordinates(code) for each, code in earlier]
    played = coordinate_moves(start, [*before, *words])
    return answer(
        {
            "source": source.id,
            "fen": "" if start.fen == usual.fen else start.fen,
            "play": ",".join(played),
            "moves": len(played) - len(before),
        }
    )


def _main_line(text: str) -> str:
    """Return movetext without comments and variations."""
    text, found = _COMMENT.sub(" ", text), 1
    while found:
        text, found = _VARIATION.subn(" ", text)
    return text
