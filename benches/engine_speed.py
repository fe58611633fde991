"""Compare the speed of the bundled engine with Fairy-Stockfish: nodes per second, and CPU time to one depth.

Positions are reached by random legal moves. Each engine searches each of them to the same depth, in its own
process with one thread and an empty table of 16 MiB, in turns. The output for each game: nodes per CPU
second, nodes and CPU seconds of all positions, and their ratios, medians over the rounds. Engines prune
differently, so one depth means different
work: the ratio of CPU seconds says when an engine finishes, not how well it plays.

    python benches/engine_speed.py [--depth 11] [--positions 20] [--rounds 3] [--json]

Every answer is checked: each engine gives a legal move in every position, and the same nodes in every round.
Fairy-Stockfish is Debian's package fairy-stockfish; CPU time is read from Linux.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any, get_args

from bookbuilder import Position
from bookbuilder.games.position import Game

FAIRY = shutil.which("fairy-stockfish") or "/usr/games/fairy-stockfish"
ENGINES = {
    "bundled": [sys.executable, "-P", "-m", "bookbuilder", "engine", "uci"],
    "Fairy-Stockfish": [FAIRY],
}
OPENING_PLIES = 14


@dataclass(frozen=True)
class Ran:
    """What one engine spent on all positions."""

    nodes: int
    cpu_seconds: float


def main() -> int:
    """Let both engines search, check their answers, print the figures."""
    arguments = parsed()
    rows = []
    for game in get_args(Game):
        lines = [wandered(game, seed) for seed in range(arguments.positions)]
        runs: dict[str, list[Ran]] = {name: [] for name in ENGINES}
        for _ in range(arguments.rounds):
            for name, command in ENGINES.items():
                runs[name].append(searched(name, command, game, lines, arguments.depth))
        for name, rounds in runs.items():
            if len({ran.nodes for ran in rounds}) > 1:
                raise SystemExit(f"{name} searched other nodes in another round of {game}")
        rows.append(figures(game, runs))
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return 0
    for row in rows:
        print(f"{row['game']}: {arguments.positions} positions to depth {arguments.depth}")
        for name in ENGINES:
            own = row[name]
            speed = f"{own['nodes_per_second']:>10,.0f} nodes/s"
            print(f"  {name:16} {speed} {own['nodes']:>12,} nodes {own['cpu_seconds']:8.2f} s")
        print(f"  bundled to Fairy-Stockfish: nodes/s {row['speed']:.2f}, CPU seconds {row['cost']:.2f}")
    return 0


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--depth", type=int, default=11)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def wandered(game: Game, seed: int) -> list[str]:
    """Random legal moves from the start, in coordinates."""
    draw = random.Random(seed)
    position, texts = Position(game), []
    for _ in range(OPENING_PLIES):
        move = draw.choice(position.moves())
        texts.append(position.format_move(move, "uci"))
        position = position.play(move)
    return texts


def searched(name: str, command: list[str], game: Game, lines: list[list[str]], depth: int) -> Ran:
    """Run one engine in its own process over all positions."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(text: str, end: str) -> list[str]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(text)
        process.stdin.flush()
        answer = []
        for line in process.stdout:
            answer.append(line.strip())
            if line.startswith(end):
                return answer
        raise SystemExit(f"{name} ended before it said {end}")

    ask("uci\n", "uciok")
    options = {"Threads": 1, "Hash": 16, "UCI_Variant": game}
    setting = "".join(f"setoption name {option} value {value}\n" for option, value in options.items())
    ask(f"{setting}isready\n", "readyok")
    nodes, cpu_seconds = 0, 0.0
    for moves in lines:
        ask(f"ucinewgame\nposition startpos moves {' '.join(moves)}\nisready\n", "readyok")
        before = spent(process.pid)
        answer = ask(f"go depth {depth}\n", "bestmove")
        cpu_seconds += spent(process.pid) - before
        told = [line.split() for line in answer if line.startswith("info ") and " nodes " in line]
        nodes += int(told[-1][told[-1].index("nodes") + 1])
        check_legal(name, game, moves, answer[-1].split()[1])
    process.communicate("quit\n")
    return Ran(nodes, cpu_seconds)


def spent(pid: int) -> float:
    """Return the CPU seconds of a process, including threads that have ended."""
    # The id that clock_getcpuclockid(3) gives: Linux's MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED).
    return time.clock_gettime(~pid << 3 | 2)


def check_legal(name: str, game: Game, moves: list[str], best: str) -> None:
    """End the run where a move is not legal."""
    position = Position(game)
    for text in moves:
        position = position.play(position.parse_move(text, "uci"))
    if best not in {position.format_move(move, "uci") for move in position.moves()}:
        raise SystemExit(f"{name}: {best} is not legal after {' '.join(moves)}")


def figures(game: Game, runs: dict[str, list[Ran]]) -> dict[str, Any]:
    """The row of a game."""
    row: dict[str, Any] = {"game": game}
    for name, rounds in runs.items():
        seconds = statistics.median(ran.cpu_seconds for ran in rounds)
        row[name] = {
            "nodes": rounds[0].nodes,
            "cpu_seconds": seconds,
            "nodes_per_second": rounds[0].nodes / seconds,
        }
    pairs = list(zip(*runs.values(), strict=True))
    row["speed"] = statistics.median(
        (own.nodes / own.cpu_seconds) / (other.nodes / other.cpu_seconds) for own, other in pairs
    )
    row["cost"] = statistics.median(own.cpu_seconds / other.cpu_seconds for own, other in pairs)
    return row


if __name__ == "__main__":
    raise SystemExit(main())
