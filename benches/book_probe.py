"""Measure the question that programs ask a book: which moves has it here?

A `.bin` and a `.book` are built from the same games. Each way answers for the same boards of python-chess,
half of which the games reached: python-chess's reader of the `.bin`, and `moves` and `find_all` of
bookbuilder for both files. A `.bin` is asked once for a position, a `.book` once for each legal move. All
ways take turns, and the smallest CPU time counts.

    python benches/book_probe.py [GAMES...] [--plies 8] [--rounds 5] [--json]

The program ends with exit code 1 if the answers on the `.bin` differ, or if `moves` takes more than half the
time of python-chess.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import chess.polyglot

import bookbuilder as bb

DATA = Path(__file__).resolve().parents[1] / "data" / "chess_selfplay.pgn"
PYTHON_CHESS = "python-chess find_all, .bin"
WANTED = ("moves, .bin", "moves, .book")
MOST_SHARE = 0.5


def main() -> int:
    """Build the books, check the answers, measure the ways to ask, and print the figures."""
    parser = argparse.ArgumentParser(
        description="Moves at a position, next to python-chess's Polyglot reader."
    )
    parser.add_argument("games", nargs="*", default=[str(DATA)])
    parser.add_argument("--plies", type=int, default=8, help="depth of the boards that are asked about")
    parser.add_argument("--boards", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        listed, clustered = Path(folder, "a.bin"), Path(folder, "a.book")
        for path in (listed, clustered):
            bb.build(asked.games, path, min_games=2)
        reader = chess.polyglot.open_reader(listed)
        by_suffix = {".bin": bb.open_book(listed), ".book": bb.open_book(clustered)}
        boards = some_boards(reader, asked.boards, asked.plies)
        ways: dict[str, Callable[[chess.Board], Any]] = {
            PYTHON_CHESS: lambda board: list(reader.find_all(board))
        }
        for suffix, book in by_suffix.items():
            ways[f"moves, {suffix}"] = book.moves
            ways[f"find_all, {suffix}"] = lambda board, book=book: list(book.find_all(board))
        for board in boards:
            theirs, ours = (
                {(each.move, each.weight) for each in found.find_all(board)}
                for found in (reader, by_suffix[".bin"])
            )
            if theirs != ours:
                print(f"{board.fen()}: {ours} instead of {theirs}", file=sys.stderr)
                return 1
        micros = {name: min(timed(way, boards) for _ in range(asked.rounds)) for name, way in ways.items()}
        sizes = {suffix: len(book) for suffix, book in by_suffix.items()}
    share = {name: micros[name] / micros[PYTHON_CHESS] for name in ways}
    if asked.json:
        print(json.dumps({"boards": len(boards), "sizes": sizes, "cpu_us": micros, "share": share}))
    else:
        for name, figure in micros.items():
            print(f"{name:30} {figure:7.2f} µs   {share[name]:.2f} of python-chess")
    return int(any(share[name] > MOST_SHARE for name in WANTED))


def some_boards(reader: chess.polyglot.MemoryMappedReader, count: int, plies: int) -> list[chess.Board]:
    """Return boards of random lines: every second move is one of the book, if it has one."""
    drawn, boards = random.Random(1), []
    while len(boards) < count:
        board = chess.Board()
        for ply in range(drawn.randrange(plies)):
            entries = list(reader.find_all(board)) if ply % 2 == 0 else []
            legal = [entry.move for entry in entries] or list(board.legal_moves)
            board.push(drawn.choice(legal))
        boards.append(board)
    return boards


def timed(way: Callable[[chess.Board], Any], boards: list[chess.Board]) -> float:
    """Return the CPU microseconds of one answer."""
    begin = time.process_time()
    for board in boards:
        way(board)
    return (time.process_time() - begin) / len(boards) * 1e6


if __name__ == "__main__":
    sys.exit(main())
