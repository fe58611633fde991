"""`/compare`: the moves of two sources or two selections at a position, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bookbuilder.explorer.answer import RefusedError, answer
from bookbuilder.explorer.api.positions import place_json, position_answer
from bookbuilder.explorer.query import asked_filters, filtered, place_at, selection_of, sources_of

__all__ = ["compare", "compared"]


def compare(request: Request) -> Response:
    """Answer `/compare`."""
    query = request.query_params
    served = sources_of(request)
    one = served.find(query.get("a"))
    name = query.get("b") or one.id
    # Looked up once, a source that changes now is the same one on both sides.
    other = one if name == one.id else served.find(name)
    if one.game != other.game:
        message = f"{one.id} is of {one.game}, {other.id} of {other.game}: expected two sources of one game"
        raise RefusedError(400, "source", message)
    place = place_at(query, one.game)
    a, b = (
        position_answer(
            filtered(source, asked_filters(query, side)), place, selection_of(source, query, side)
        )
        for source, side in ((one, "a_"), (other, "b_"))
    )
    return answer(
        {
            **place_json(place),
            "a": _side(a),
            "b": _side(b),
            "rows": compared(a["moves"], b["moves"]),
            "dests": a["dests"],
        }
    )


def _side(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("source", "state", "reached")}


def compared(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the moves of both: the moves of the first in its order, then the others of the second.

    `change`: `only-a` or `only-b` if one source has the move; `changed` if the verdicts differ; else `same`.
    A quality alone is no change: it depends on the other moves that are kept.
    """
    left, right = ({row["move"]: row for row in rows} for rows in (a, b))
    rows = []
    for move in dict.fromkeys([*left, *right]):
        one, other = left.get(move), right.get(move)
        known = one or other
        assert known is not None
        rows.append(
            {
                **{name: known[name] for name in ("move", "names", "san", "opening", "fen_after")},
                "a": one,
                "b": other,
                "change": _change(one, other),
            }
        )
    return rows


def _change(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    if other is None:
        return "only-a"
    if one is None:
        return "only-b"
    verdicts = ("kept", "reason")
    return "same" if all(one[name] == other[name] for name in verdicts) else "changed"
