"""The chess tally of real games equals an independent replay with python-chess."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest
from backports import zstd

import bookbuilder as bb

GAMES = 2_000
MAX_PLY = 40

Counts = dict[tuple[int, int], list[int]]
"""(key, move code) → games, first_wins, draws, second_wins, paired, surplus."""


def read_games(corpus: Path) -> Iterator[chess.pgn.Game]:
    """Yield the games of the sample archive, as python-chess reads them."""
    text = zstd.decompress(archive(corpus).read_bytes()).decode("latin-1").replace("\r\n", "\n")
    # Some games have two blank lines before their moves, which python-chess takes as the end of the game.
    stream = io.StringIO(re.sub(r"\]\n\n\n+", "]\n\n", text))
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        yield game


def archive(corpus: Path) -> Path:
    """Return the sample archive."""
    return corpus / "data/chess/pgnmentor_sample20k_dev.pgn.zst"


def move_code(board: chess.Board, move: chess.Move) -> int:
    """Return Polyglot's code of a move: castling is king takes rook, promotions count from the knight."""
    target = move.to_square
    if board.is_castling(move):
        is_short = chess.square_file(target) == 6
        target = chess.square(7 if is_short else 0, chess.square_rank(target))
    promotion = 0 if move.promotion is None else move.promotion - 1
    return promotion << 12 | move.from_square << 6 | target


def count_game(game: chess.pgn.Game, counts: Counts) -> None:
    """Count a game once per position, with the first move from it."""
    first: dict[int, int] = {}
    board = game.board()
    for move in list(game.mainline_moves())[:MAX_PLY]:
        first.setdefault(chess.polyglot.zobrist_hash(board), move_code(board, move))
        board.push(move)
    first.setdefault(chess.polyglot.zobrist_hash(board), 0)
    column = {"1-0": 1, "1/2-1/2": 2, "0-1": 3}.get(game.headers["Result"])
    surplus = surplus_of(game)
    for row in first.items():
        counts[row][0] += 1
        if column is not None:
            counts[row][column] += 1
        if surplus is not None:
            counts[row][4] += 1
            counts[row][5] += surplus


def surplus_of(game: chess.pgn.Game) -> int | None:
    """Return White's score less the expected one, in hundredths; None without result and ratings."""
    scored = {"1-0": 100, "1/2-1/2": 50, "0-1": 0}.get(game.headers["Result"])
    white, black = (game.headers.get(name, "") for name in ("WhiteElo", "BlackElo"))
    if scored is None or not white.isdigit() or not black.isdigit() or 0 in (int(white), int(black)):
        return None
    ahead = abs(int(white) - int(black))
    expected = round(100 / (1 + 10 ** (-ahead / 400)))
    return scored - (expected if int(white) >= int(black) else 100 - expected)


@pytest.mark.corpus
def test_tally_of_real_games_equals_python_chess_replay(corpus: Path) -> None:
    expected: Counts = defaultdict(lambda: [0] * 6)
    for _, game in zip(range(GAMES), read_games(corpus), strict=False):
        count_game(game, expected)

    tally = bb.Tally.from_archives(archive(corpus), max_ply=MAX_PLY, limit=GAMES)

    names = ("games", "first_wins", "draws", "second_wins", "paired", "surplus")
    rows = zip(*(tally.column(name).tolist() for name in ("key", "move", *names)), strict=True)
    found = {(key, move): list(counts) for key, move, *counts in rows}
    assert tally.games.num_rows == GAMES
    assert found == dict(expected)


@pytest.mark.corpus
def test_keys_and_moves_equal_python_chess(corpus: Path) -> None:
    compared = 0
    for game in read_games(corpus):
        board, position = game.board(), bb.Position("chess")
        for move in game.mainline_moves():
            assert position.key == chess.polyglot.zobrist_hash(board), board.fen()
            legal = {move_code(board, each): each.uci() for each in board.legal_moves}
            assert {code: position.coordinates(code) for code in position.moves()} == legal
            position = position.play(move_code(board, move))
            board.push(move)
            compared += 1
        if compared >= 10_000:
            return
    pytest.fail(f"the archive holds only {compared} positions")
