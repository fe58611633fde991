"""Options that several commands share: choices, sizes, and positions on the command line."""

from __future__ import annotations

import pytest

from bookbuilder.cli.options.position import game_of, position_at
from bookbuilder.errors import FenError, MoveError

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


@pytest.mark.parametrize(
    "text", ["e4", "moves e4", "e2e4", "startpos moves e4", AFTER_E4, f"{AFTER_E4} moves"]
)
def test_position_in_one_argument(text: str) -> None:
    assert position_at("chess", text.removesuffix(" moves")).fen == AFTER_E4


def test_fen_with_moves_in_one_argument() -> None:
    assert position_at("chess", f"{AFTER_E4} moves e5 Nf3").fen == position_at("chess", "e4 e5 Nf3").fen


def test_position_errors_name_the_move() -> None:
    with pytest.raises(MoveError, match="move 2"):
        position_at("chess", "e4 e2e4")
    with pytest.raises(FenError):
        position_at("chess", "8/8 w")


def test_game_is_inferred_from_the_board() -> None:
    assert game_of(None, XIANGQI) == "xiangqi"
    assert game_of(None, "") == "chess"
    assert game_of("xiangqi", "") == "xiangqi"
