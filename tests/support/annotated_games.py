"""Games with variations, glyphs and comments, and how databases give them back."""

from __future__ import annotations

import io
import random
from pathlib import Path

import chess
import chess.pgn
from support.cli_runner import run


def read_games(text: str) -> list[chess.pgn.Game]:
    """Games in PGN, all without errors."""
    stream = io.StringIO(text)
    games = list(iter(lambda: chess.pgn.read_game(stream), None))
    assert not any(game.errors for game in games)
    return games


def converted(database: Path, folder: Path, *, may_reject: bool = False) -> list[chess.pgn.Game]:
    """The games of a database as python-chess reads them from `converted.pgn` in a folder."""
    output = folder / "converted.pgn"
    ran = run("games", "convert", database, "-o", output, "-q", "--force")
    assert ran.code in ((0, 1) if may_reject else (0,)), ran.err
    return read_games(output.read_text())


def shape(node: chess.pgn.GameNode) -> list[object]:
    """Moves, glyphs, comments and variations that follow a node."""
    return [
        (child.uci(), sorted(child.nags), child.starting_comment, child.comment, shape(child))
        for child in node.variations
    ]


def random_game(
    dice: random.Random, number: int, *, glyphs: int = 6, has_remarks: bool = False
) -> chess.pgn.Game:
    """A game of random moves with variations, glyphs and comments; every fifth has a set-up start.

    Args:
        dice: draws the moves.
        number: of the game; names and date follow from it.
        glyphs: the largest glyph.
        has_remarks: whether comments stand before the first move and before variations too.
    """
    game = chess.pgn.Game()
    names = {"White": f"Schäfer{number % 7}, Ann", "Black": f"Solo{number % 3}", "Event": f"Cup {number % 4}"}
    game.headers.update({**names, "Date": f"{1990 + number % 30}.0{1 + number % 9}.??", "Annotator": "Zoë"})
    game.headers["Result"] = dice.choice(["1-0", "0-1", "1/2-1/2", "*"])
    if number % 5 == 0:
        board = chess.Board()
        for _ in range(30):
            board.push(dice.choice([*board.legal_moves]))
        if not board.is_game_over():
            board.halfmove_clock = 0  # which ChessBase does not store
            game.setup(board)
    game.comment = "at the start" if has_remarks and number % 3 == 0 else ""
    _grow(game, game.board(), dice, plies=dice.randrange(1, 120), depth=2, glyphs=glyphs, says=has_remarks)
    return game


def _grow(
    node: chess.pgn.GameNode,
    board: chess.Board,
    dice: random.Random,
    *,
    plies: int,
    depth: int,
    glyphs: int,
    says: bool,
) -> None:
    for _ in range(plies):
        moves = [*board.legal_moves]
        if not moves:
            return
        chosen = dice.sample(moves, k=min(len(moves), dice.choice([1, 1, 1, 1, 2, 3]) if depth else 1))
        main = node.add_variation(chosen[0])
        main.nags = {dice.randrange(1, glyphs + 1)} if dice.random() < 0.2 else set()
        main.comment = "gut für Weiß" if dice.random() < 0.1 else ""
        for other in chosen[1:]:
            child = node.add_variation(other, starting_comment="or" if says and dice.random() < 0.3 else "")
            board.push(other)
            _grow(child, board.copy(stack=False), dice, plies=4, depth=depth - 1, glyphs=glyphs, says=says)
            board.pop()
        board.push(chosen[0])
        node = main
