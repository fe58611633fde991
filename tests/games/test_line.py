"""Lines of moves as text, compared with python-chess."""

from __future__ import annotations

import chess
import pytest

import bookbuilder as bb


@pytest.mark.parametrize("start", ["", "e4", "e4 e5 Nf3"])
def test_format_line_numbers_moves_like_python_chess(start: str) -> None:
    board = bb.as_board(start or "startpos")
    played = board.copy()
    words, moves = ["Nf6", "Nc3", "d5"] if board.turn == chess.BLACK else ["c4", "Nf6", "Nc3"], []
    for word in words:
        moves.append(played.push_san(word))
    shown = bb.format_line(words, first_moves=board.turn == chess.WHITE, number=board.fullmove_number)
    assert shown == board.variation_san(moves).replace("...", "… ")
