"""Positions in any form: FEN, native position or board of python-chess."""

from __future__ import annotations

import chess
import chess.polyglot
import chess.variant
import pytest

from bookbuilder import Position
from bookbuilder.errors import FenError, MoveError, OptionError
from bookbuilder.games.position import GAMES_KNOWN, as_board, as_game, as_position


def test_every_known_game_has_a_start_position() -> None:
    for game in GAMES_KNOWN:
        assert as_game(game) == game
        assert as_position("startpos", game).key == Position(game).key
    with pytest.raises(OptionError, match="go"):
        as_game("go")


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
        (Position("xiangqi"), "chess"),
        ("not a fen", "chess"),
    ],
)
def test_position_of_another_game_is_refused(position, game) -> None:
    with pytest.raises(FenError):
        as_position(position, game)


def test_object_that_is_not_a_position_is_refused() -> None:
    with pytest.raises(OptionError, match="int is not a position"):
        as_position(42, "chess")


@pytest.mark.parametrize(
    "text",
    [
        "1.e4 e5 2.Nf3",
        "1. e4 e5 2. Nf3 *",
        "e4,e5,Nf3",
        "e2e4 e7e5 g1f3",
        "startpos moves e2e4 e7e5 g1f3",
        "e4! {best by test} e5 Nf3 $1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e4 e5 Nf3",
    ],
)
def test_moves_in_any_spelling_are_a_position(text: str) -> None:
    board = chess.Board()
    for move in ("e4", "e5", "Nf3"):
        board.push_san(move)
    assert as_position(text, "chess").key == chess.polyglot.zobrist_hash(board)


@pytest.mark.parametrize("text", ["h2e2 h9g7", "炮二平五 马8进7", "1.C2=5 H8+7", "1.C2.5，H8+7"])
def test_moves_of_xiangqi_are_a_position(text: str) -> None:
    start = Position("xiangqi")
    wanted = start.play(start.parse_move("h2e2"))
    assert as_position(text, "xiangqi").key == wanted.play(wanted.parse_move("h9g7")).key


@pytest.mark.parametrize("text", ["", "e5", "hello", "1."])
def test_text_without_a_legal_first_move_is_refused(text: str) -> None:
    with pytest.raises(FenError, match="expected a FEN, startpos, or moves"):
        as_position(text, "chess")


def test_error_names_the_illegal_move() -> None:
    with pytest.raises(MoveError, match='move 3: "Nf9"'):
        as_position("1.e4 e5 2.Nf9", "chess")


def test_board_of_a_position_has_its_fen() -> None:
    board = as_board("1.e4 c5 2.Nf3")
    assert isinstance(board, chess.Board)
    assert as_position(board, "chess").key == as_position("1.e4 c5 2.Nf3", "chess").key
    with pytest.raises(FenError):
        as_board(Position("xiangqi"))


def test_fen_has_the_en_passant_square_whenever_the_key_has_it() -> None:
    # The black pawn may not take: the rook would check its king along the rank.
    fen = "8/8/8/8/k2Pp2R/8/8/3K4 b - d3 0 1"
    here = Position("chess", fen)
    assert here.fen == fen
    assert Position("chess", here.fen).key == here.key != Position("chess", fen.replace("d3", "-")).key
    assert as_position(chess.Board(fen), "chess") == here
