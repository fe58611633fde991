"""`engine search --book` with a book of another format: its move, drawn as the engine draws its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from bookbuilder.errors import OptionError

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.book.listed_book import ListedBook

__all__ = ["listed_move"]


def listed_move(
    book: ListedBook,
    passed: Sequence[Position],
    *,
    mode: Literal["off", "root", "hints"] | None,
    policy: Literal["best", "weighted", "uniform", "off"],
    seed: int,
) -> dict[str, Any] | None:
    """Return the answer of a search that plays a move of the book; None if the engine must search.

    Args:
        book: the book.
        passed: the positions of the game, the last one is searched.
        mode: the mode of the book.
        policy: how a move is chosen.
        seed: of the random choice.

    Raises:
        OptionError: the mode needs a clustered book.
    """
    from bookbuilder.book.play import draw, fresh

    if mode == "hints":
        convert = f"bookbuilder book convert {book.path} {book.path.stem}.book"
        what = "--book-mode hints needs a clustered book"
        raise OptionError(f"{book.path}: {what}. Convert it with: {convert}")
    if mode == "off" or policy == "off":
        return None
    *before, here = passed
    choices = fresh(book.choices(here), here, before)
    code = draw(choices, policy, random.Random(seed).random())
    if code is None:
        return None
    return {"game": book.game, **_found(here.coordinates(code))}


def _found(move: str) -> dict[str, Any]:
    """Return the result of a search that has only played a book move."""
    from dataclasses import asdict

    from bookbuilder.engine.engine import Result

    nothing: dict[str, Any] = dict.fromkeys(Result.__dataclass_fields__, 0)
    nothing |= {"seconds": 0.0, "lines": (), "iterations": ()}
    facts: dict[str, Any] = {"move": move, "source": "book", "score_cp": None, "mate_in": None, "pv": (move,)}
    rates = dict.fromkeys(("table_hit_rate", "pawn_hit_rate", "material_hit_rate"))
    return {**asdict(Result(**(nothing | facts))), **rates}
