"""Values of an engine as people write them."""

from __future__ import annotations

from typing import Final

from bookbuilder._core import Position

MATE_SCORE: Final = 30_000
"""Score of a mate in centipawns; the distance to the mate is subtracted, in plies."""

_LEAST_MATE: Final = MATE_SCORE - 1000


def mate_score(moves: int) -> int:
    """Return the score of a mate in a number of moves, which is negative if the other side mates."""
    return MATE_SCORE - 2 * moves if moves > 0 else -MATE_SCORE - 2 * moves


def final_score(position: Position, lost: int = MATE_SCORE) -> int:
    """Return the score of a position where the game is over, for the side to move.

    A side without a move has lost in xiangqi, and draws in chess.
    """
    is_lost = position.verdict == "mate" or (position.verdict == "stalemate" and position.game == "xiangqi")
    return -lost if is_lost else 0


def value_words(centipawns: float | None) -> str:
    """Return a value in pawns or as a mate; a dash if it is unknown."""
    if centipawns is None:
        return "–"
    if abs(centipawns) >= _LEAST_MATE:
        return "mates" if centipawns > 0 else "is mated"
    return f"{centipawns / 100:+.2f}"
