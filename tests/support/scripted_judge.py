"""A UCI engine for tests: its score of a position depends on the position only, and it logs what it is asked.

Arguments: the game, a file for the log, and optionally what goes wrong: `die` at the first search, `silent`
gives no score, `slow` never answers. `die-often` ends at every fifth search of a process, `illegal-some` and
`slow-some` cheat or hang at the positions of `is_bad`.
"""

from __future__ import annotations

import os
import shlex
import sys
import time
from pathlib import Path

from bookbuilder import Position
from bookbuilder.games.position import Game, as_game


def score_of(position: Position) -> int:
    """Return the score for the side to move, -150 … 150."""
    return position.key // 3 % 301 - 150


def best_of(position: Position) -> str:
    """Return the move that the engine plays."""
    return min(position.coordinates(code) for code in position.moves())


def is_bad(position: Position) -> bool:
    """Return whether a position is one of those where some faults happen."""
    return position.key % 5 == 0


def command(log: Path, game: Game = "chess", fault: str = "") -> str:
    """Return the command line of the engine."""
    return shlex.join([sys.executable, "-P", __file__, game, str(log), *([fault] if fault else [])])


def answers(position: Position, fault: str, searches: int) -> list[str]:
    """Return the answer to `go`."""
    if fault == "die" or (fault == "die-often" and searches % 5 == 0):
        sys.exit(3)
    if fault == "slow" or (fault == "slow-some" and is_bad(position)):
        time.sleep(600)
    if fault == "illegal-some" and is_bad(position):
        return ["info depth 1 score cp 0 nodes 1", "bestmove a1a1"]
    score = [] if fault == "silent" else [f"info depth 1 score cp {score_of(position)} nodes 1"]
    return [*score, f"bestmove {best_of(position)}"]


def main(game: Game, log: Path, fault: str) -> None:
    """Speak UCI until `quit`."""
    position, searches = Position(game), 0
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
            searches += 1
            print("\n".join(answers(position, fault, searches)), flush=True)
        elif word == "quit":
            break


if __name__ == "__main__":
    main(as_game(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
