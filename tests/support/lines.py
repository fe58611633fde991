"""Positions after lines of moves."""

from __future__ import annotations

from bookbuilder import Position, as_position
from bookbuilder.games.position import Game


def after(line: str, game: Game = "chess") -> Position:
    """Return the position after moves in any notation."""
    return as_position(line or "startpos", game)
