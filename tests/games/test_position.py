"""Positions in any form: FEN, native position or board of python-chess."""

from __future__ import annotations

import chess
import chess.polyglot
import chess.variant
import pytest

from bookbuilder import Position
from bookbuilder.errors import FenError, OptionError
from bookbuilder.games.position import GAMES_KNOWN, as_game, as_position, side_name


def test_every_known_game_has_a_start_position() -> None:
    for game in GAMES_KNOWN:
        assert as_game(game) == game
        assert as_position("startpos", game).key == Position(game).key
    with pytest.raises(OptionError, match="go"):
        as_game("go")


def test_sides_are_named_as_the_tables_number_them() -> None:
    assert [side_name(0), side_name(1)] == ["first", "second"]


def test_board_fen_and_position_are_the_same_position() -> None:
    board = chess.Board()
    for move in "e2e4 a7a6 e4e5 d7d5".split():  # noqa: SIM905
        board.push_uci(move)
        native = as_position(board, "chess")
        assert native.key == chess.polyglot.zobrist_hash(board)
        assert as_position(board.fen(), "chess").key == native.key
        assert as_position(native, "chess") is native


@pytest.mark.parametrize(
    ("position", "game"),
    [
        (chess.Board(), "xiangqi"),
        (chess.Board(chess960=True), "chess"),
        (chess.variant.AtomicBoard(), "chess"),
        (chess.STARTING_FEN, "xiangqi"),
        ("not a fen", "chess"),
    ],
)
def test_position_of_another_game_is_refused(position, game) -> None:
    with pytest.raises(FenError):
        as_position(position, game)


def test_native_position_of_another_game_is_refused() -> None:
    with pytest.raises(FenError, match="expected chess"):
        as_position(Position("xiangqi"), "chess")


def test_object_that_is_not_a_position_is_refused() -> None:
    with pytest.raises(OptionError, match="int is not a position"):
        as_position(42, "chess")
