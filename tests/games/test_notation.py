"""Moves as text: names of notations, formatting, parsing and errors."""

from __future__ import annotations

import random

import chess
import pytest

from bookbuilder import Position
from bookbuilder._core import notations
from bookbuilder.errors import MoveError, OptionError
from bookbuilder.games.position import GAMES_KNOWN


def test_machine_notation_comes_first() -> None:
    assert notations("chess") == ["uci", "san"]
    assert notations("xiangqi") == ["iccs", "uci", "wxf", "chinese", "chinese-traditional"]
    for game in GAMES_KNOWN:
        start = Position(game)
        for code in start.moves():
            assert start.format_move(code, notations(game)[0]) == start.coordinates(code)


@pytest.mark.parametrize("game", GAMES_KNOWN)
def test_formatted_move_parses_back(game: str) -> None:
    chance = random.Random(5)
    position = Position(game)
    for _ in range(120):
        codes = position.moves()
        for notation in notations(game):
            texts = [position.format_move(code, notation) for code in codes]
            assert [position.parse_move(text, notation) for text in texts] == codes
            assert len(set(texts)) == len(codes)
            if (game, notation) != ("xiangqi", "uci"):
                assert [position.parse_move(text) for text in texts] == codes
        if not codes:
            break
        position = position.play(chance.choice(codes))


def test_san_matches_python_chess() -> None:
    chance = random.Random(6)
    board = chess.Board()
    while not board.is_game_over() and board.ply() < 150:
        position = Position("chess", board.fen(en_passant="fen"))
        texts = sorted(position.format_move(code, "san") for code in position.moves())
        assert texts == sorted(board.san(move) for move in board.legal_moves)
        board.push(chance.choice(list(board.legal_moves)))


@pytest.mark.parametrize("text", ["h2e2", "H2-E2", "C2=5", "c2.5", "Ｃ２＝５", "炮二平五", "砲２平５"])
def test_xiangqi_move_is_parsed_in_every_notation(text: str) -> None:
    start = Position("xiangqi")
    code = start.parse_move(text)
    assert start.coordinates(code) == "h2e2"
    names = [start.format_move(code, notation) for notation in notations("xiangqi")]
    assert names == ["h2e2", "h3e3", "C2=5", "炮二平五", "炮二平五"]


def test_unknown_notation_is_refused_by_name() -> None:
    start = Position("xiangqi")
    with pytest.raises(OptionError, match='"san" is unknown for xiangqi: expected one of iccs, uci, wxf'):
        start.parse_move("h2e2", "san")
    with pytest.raises(OptionError, match="expected one of uci, san"):
        Position("chess").format_move(0, "wxf")


@pytest.mark.parametrize(
    ("text", "notation", "reason"),
    [
        ("Nf3", None, "not a move"),
        ("炮二平五", "wxf", "not a move"),
        ("C2=5", "chinese", "not a move"),
        ("h2e2", "uci", "not legal"),
        ("炮二平二", None, "not legal"),
    ],
)
def test_text_that_is_not_a_legal_move_is_refused(text: str, notation: str | None, reason: str) -> None:
    with pytest.raises(MoveError, match=f'"{text}".*{reason}'):
        Position("xiangqi").parse_move(text, notation)


def test_a_move_that_is_not_legal_has_no_text() -> None:
    with pytest.raises(MoveError, match="not legal"):
        Position("xiangqi").format_move(0, "wxf")
