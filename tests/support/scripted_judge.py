"""A UCI engine for tests: its score of a position depends on the position only, and it logs what it is asked.

Arguments: the game, a file for the log, and optionally what goes wrong: `die` at the first search, `silent`
gives no score, `slow` never answers.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

from bookbuilder import Position
from bookbuilder.games.position import Game, as_game

__all__ = ["answers", "best_of", "command", "score_of"]


def score_of(position: Position) -> int:
    """Return the score for the side to move, -150 … 150."""
    return position.key // 3 % 301 - 150


def best_of(position: Position) -> str:
    """Return the move that the engine plays."""
    return min(position.coordinates(code) for code in position.moves())


def command(log: Path, game: Game = "chess", fault: str = "") -> str:
    """Return the command line of the engine."""
    return shlex.join([sys.executable, "-P", __file__, game, str(log), *([fault] if fault else [])])


def answers(position: Position, fault: str) -> list[str]:
    """Return the answer to `go`."""
    if fault == "die":
        sys.exit(3)
    if fault == "slow":
        time.sleep(600)
    score = [] if fault == "silent" else [f"info depth 1 score cp {score_of(position)} nodes 1"]
    return [*score, f"bestmove {best_of(position)}"]


def main(game: Game, log: Path, fault: str) -> None:
    """Speak UCI until `quit`."""
    position = Position(game)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "uci":
            print("id name scripted\nuciok", flush=True)
        elif word == "isready":
            print("readyok", flush=True)
        elif word == "position":
            position = Position(game, None if rest[0] == "startpos" else " ".join(rest[1:7]))
            for move in rest[rest.index("moves") + 1 :] if "moves" in rest else ():
                position = position.play(position.parse_move(move))
        elif word == "go":
            with log.open("a", encoding="utf-8") as stream:
                stream.write(f"{os.getpid()} {position.fen}\n")
            print("\n".join(answers(position, fault)), flush=True)
        elif word == "quit":
            break


if __name__ == "__main__":
    main(as_game(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
