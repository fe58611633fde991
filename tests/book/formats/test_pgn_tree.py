"""PGN trees and EPD: python-chess and our own reader find every move of the book in them."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.pgn
from support.foreign_books import move_book, rows_of, usual_book

import bookbuilder as bb
from bookbuilder.book.formats.epd import write_epd
from bookbuilder.book.formats.pgn_tree import write_pgn_tree


def read_tree(path: Path) -> chess.pgn.Game:
    """The one game of a file."""
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
        assert chess.pgn.read_game(file) is None
    assert game is not None
    assert not game.errors
    return game


def nodes_of(game: chess.pgn.Game) -> list[chess.pgn.ChildNode]:
    """All nodes of a game, variations included."""
    ahead: list[chess.pgn.GameNode] = [game]
    nodes: list[chess.pgn.ChildNode] = []
    while ahead:
        node = ahead.pop()
        nodes += node.variations
        ahead += node.variations
    return nodes


def test_python_chess_finds_every_move_with_its_counts(tmp_path: Path) -> None:
    book = move_book("chess")
    count, lost = write_pgn_tree(tmp_path / "a.pgn", book)
    nodes = nodes_of(read_tree(tmp_path / "a.pgn"))
    assert len(nodes) == count
    told = {}
    for node in nodes:
        if node.comment:
            position = bb.Position("chess", node.parent.board().fen())
            told[position.key, position.parse_move(node.move.uci())] = node.comment
    expected = {
        (key, move): f"{games}: +{wins} ={draws} -{losses}" if wins or draws or losses else f"{games}"
        for key, _, move, games, wins, draws, losses in rows_of(book, "games", "wins", "draws", "losses")
    }
    assert told == expected
    assert lost["moves without comment, which only connect the book"] == count - len(book)


def test_epd_lists_every_position_with_its_best_moves(tmp_path: Path) -> None:
    book = usual_book("chess")
    count, _ = write_epd(tmp_path / "a.epd", book)
    assert count == len(book)
    weights: dict[int, dict[str, int]] = {}
    for line in (tmp_path / "a.epd").read_text().splitlines():
        board = chess.Board()
        operations = board.set_epd(line)
        position = bb.Position("chess", board.fen())
        moves = dict(each.rsplit(" ", 1) for each in str(operations["c0"]).split(", "))
        weights[position.key] = {
            str(position.parse_move(move)): int(weight) for move, weight in moves.items()
        }
        best = {board.san(move) for move in operations["bm"]}  # type: ignore[union-attr]
        most = max(map(int, moves.values()))
        assert best == {move for move, weight in moves.items() if int(weight) == most}
    found = [(key, int(move), weight) for key, each in weights.items() for move, weight in each.items()]
    assert sorted(found) == sorted((row[0], row[2], row[3]) for row in rows_of(book, "weight"))
