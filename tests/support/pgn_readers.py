"""Three readers of PGN: the games that bookbuilder, pgn-extract and python-chess accept in a file.

`PYTHONPATH=tests python tests/support/pgn_readers.py CORPUS` prints the hostile files on which the readers
differ, and the number of files and games that all three read alike.
"""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import chess.pgn
from support.cli_runner import run
from support.nasty_files import FOLDER, table

PGN_EXTRACT: Final = shutil.which("pgn-extract") or "/usr/games/pgn-extract"
# One game a line, in coordinates, without tags, comments, glyphs and variations.
OPTIONS: Final = ("-s", "-Wuci", "-w1000000", "-C", "-N", "-V", "--notags")
RESULTS: Final = {"1-0", "0-1", "1/2-1/2", "*"}
MOVE: Final = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")


class Game(NamedTuple):
    """The main line and the result of a game."""

    moves: tuple[str, ...]
    result: str


def games_of(lines: Iterable[str]) -> list[Game]:
    """Return the games with moves. A line has moves and a result, and perhaps a start position first."""
    games = []
    for line in lines:
        words = line.lower().split()
        moves = tuple(word for word in words if MOVE.fullmatch(word))
        if moves and words[-1] in RESULTS:
            games.append(Game(moves, words[-1]))
    return games


def ours(path: Path) -> list[Game]:
    """Return the games that we read."""
    options = ("--game", "chess", "--to", "lines", "--notation", "uci", "--quiet")
    return games_of(run("games", "convert", path, *options).out.splitlines())


def pgn_extract(path: Path) -> tuple[list[Game], str]:
    """Return the games that pgn-extract accepts, and its messages."""
    command = [PGN_EXTRACT, *OPTIONS, str(path)]
    ran = subprocess.run(command, capture_output=True, encoding="latin-1", timeout=600, check=True)
    return games_of(ran.stdout.splitlines()), ran.stderr


def python_chess(path: Path) -> Iterator[Game]:
    """Return the games with moves that python-chess reads without an error."""
    logging.getLogger("chess.pgn").setLevel(logging.CRITICAL)
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        while game := chess.pgn.read_game(stream):
            moves = tuple(move.uci() for move in game.mainline_moves())
            if moves and not game.errors:
                result = game.headers.get("Result", "*")
                yield Game(moves, result if result in RESULTS else "*")


def main(folder: Path) -> None:
    """Print where the readers differ, and the number of files and games that they read alike."""
    counts: Counter[str] = Counter()
    for row in table():
        path = folder / row.file
        readings = {
            "bookbuilder": ours(path),
            "pgn-extract": pgn_extract(path)[0],
            "python-chess": list(python_chess(path)),
        }
        our, *others = readings.values()
        counts.update({f"games of {name}": len(games) for name, games in readings.items()})
        if all(games == our for games in others):
            counts.update({"equal files": 1, "equal files with games": bool(our), "equal games": len(our)})
        else:
            print(row.file, {name: len(games) for name, games in readings.items()})
    print(dict(counts))


if __name__ == "__main__":
    main(Path(sys.argv[1]) / FOLDER)
