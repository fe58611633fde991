"""Lines with their moves in every notation of the game, for the reader of a page to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bookbuilder._core import Position
from bookbuilder.explorer.facts import names_of
from bookbuilder.games.line import move_words
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder.book.reach import Reach

__all__ = ["named_differences", "named_reach", "names_along"]


def names_along(here: Position, line: Sequence[str]) -> list[dict[str, str]]:
    """Return the names of each move of a line."""
    found = []
    for move in line:
        code = here.parse_move(move)
        found.append(names_of(here, code))
        here = here.play(code)
    return found


def named_reach(reach: Reach) -> dict[str, Any]:
    """Return the reach of a book as JSON data; its lines and replies have names in every notation."""
    data = reach.to_json()
    for part in (*data["branches"], *data["gaps"]):
        part["line_names"] = names_along(Position(reach.game), move_words(part["line"]))
    for branch in data["branches"]:
        here = Position(reach.game)
        for move in move_words(branch["line"]):
            here = here.play(here.parse_move(move))
        for reply in branch["replies"]:
            [reply["names"]] = names_along(here, [reply["move"]])
    return data


def named_differences(game: Game, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the differences of two books with the names of the moves of their lines."""
    return [{**row, "line_names": names_along(Position(game), move_words(row["line"]))} for row in rows]
