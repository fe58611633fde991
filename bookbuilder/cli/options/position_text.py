"""A position as one word of a command line: a FEN, `startpos` or moves in, the position out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bookbuilder.cli.options.position import position_at
from bookbuilder.games.position import START_WORD, Game

if TYPE_CHECKING:
    from bookbuilder import _core

__all__ = ["POSITION_HELP", "position_named"]

POSITION_HELP = "A FEN, startpos, or moves such as 'e2e4 c7c5'; 'FEN moves …' for both."
"""What a user is told of such a word."""


def position_named(game: Game, text: str) -> _core.Position:
    """Return the position that a text names.

    Args:
        game: the game.
        text: a FEN or `startpos`, either followed by the word `moves` and moves from there; or moves alone,
            from the start position, as coordinates or SAN.

    Raises:
        FenError: the FEN breaks a rule of the game.
        MoveError: a move is not legal; the message says which.
    """
    place, _, moves = text.partition(" moves ")
    place = place.strip()
    if place in {"", START_WORD, "moves"}:
        return position_at(game, None, moves)
    # Every FEN parts its ranks by strokes; of moves only O-O-O's neighbours in odd notations have one.
    if "/" in place.split()[0]:
        return position_at(game, place, moves)
    return position_at(game, None, text.removeprefix("moves "))
