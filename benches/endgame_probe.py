"""Compare probes of endgame tables from Python with python-chess's reader of Syzygy tables.

    python benches/endgame_probe.py SYZYGY [--tables DIR] [--probes 5000] [--rounds 5] [--json] [MATERIAL ...]

SYZYGY is a folder of Syzygy tables (`.rtbw`). DIR has our tables of results; missing tables are built
(without DIR: in a temporary folder). Positions are random, either side to move, and set up in advance: ours
as `Position`, theirs as `chess.Board`. Every answer is compared: a wrong answer ends the program with exit
code 1.

The output: CPU microseconds per probe, the minimum of the rounds, in which all ways take turns; every block
was read once before. `probe` calls `Endgames.probe` for each position, `column` calls `Endgames.probe_all`
once for all, which also parses their FENs.
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

import chess
import chess.syzygy

from bookbuilder.engine.endgames import Endgames, build_tables
from bookbuilder.games.position import as_position

MATERIALS = ["KQvKR", "KRvKN", "KPvKP"]


def main() -> int:
    """Check and measure the ways to ask, print the figures."""
    arguments = parsed()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.tables or Path(scratch)
        build_tables(arguments.materials, folder, metric="wld", verify=False)
        tables = Endgames(folder)
        with chess.syzygy.open_tablebase(str(arguments.syzygy)) as syzygy:
            rows = [measured(material, tables, syzygy, arguments) for material in arguments.materials]
    if arguments.json:
        print(json.dumps(rows))
    else:
        for row in rows:
            print(
                f"{row['material']}: probe {row['probe']:.2f} us, column {row['column']:.2f} us, "
                f"python-chess {row['syzygy']:.1f} us: {row['ratio']:.0f} times as fast; "
                f"{row['positions']} answers equal"
            )
    return 0


def measured(
    material: str, tables: Endgames, syzygy: chess.syzygy.Tablebase, arguments: argparse.Namespace
) -> dict[str, float | int | str]:
    """Compare the answers of both, then time the ways in turns."""
    rng = random.Random(material)
    boards = [random_board(material, rng) for _ in range(arguments.probes)]
    fens = [board.fen() for board in boards]
    positions = [as_position(board, "chess") for board in boards]
    for board, found in zip(boards, tables.probe_all(fens), strict=True):
        wdl = syzygy.probe_wdl(board)
        if found is None or found.wdl != (wdl > 0) - (wdl < 0):
            sys.exit(f"{board.fen()}: {found}, Syzygy says {wdl}")
    ways: dict[str, Callable[[], object]] = {
        "probe": lambda: [tables.probe(position) for position in positions],
        "column": lambda: tables.probe_all(fens),
        "syzygy": lambda: [syzygy.probe_wdl(board) for board in boards],
    }
    least = dict.fromkeys(ways, float("inf"))
    for _ in range(arguments.rounds):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            least[name] = min(least[name], (time.process_time() - begun) / len(boards) * 1e6)
    ratio = least["syzygy"] / least["probe"]
    return {"material": material, "positions": len(boards), **least, "ratio": ratio}


def random_board(material: str, rng: random.Random) -> chess.Board:
    """Return a legal position of the material, either side to move."""
    first, second = material.split("v")
    while True:
        board = chess.Board(None)
        squares = rng.sample(range(64), len(material) - 1)
        for square, letter in zip(squares, first + second.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def parsed() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(description="How fast endgame tables answer beside python-chess.")
    parser.add_argument("syzygy", type=Path, metavar="SYZYGY")
    parser.add_argument("materials", nargs="*", default=MATERIALS, metavar="MATERIAL")
    parser.add_argument("--tables", type=Path, metavar="DIR")
    parser.add_argument("--probes", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    return parser.parse_intermixed_args()


if __name__ == "__main__":
    sys.exit(main())
