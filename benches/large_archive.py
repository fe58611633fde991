"""Write a large chess archive: games recombined from lines of White and lines of Black.

    python benches/large_archive.py OUT.pgn.zst --games 1300000

The output is PGN with UCI moves, the same for the same seed. Each side's lines move knights and pawns only in
its own half of the board. So no line of White can capture, check or block a line of Black, and any two of
them make a legal game; a few thousand lines make millions of different games. Lines are drawn from a tree in
which the first choices are frequent, so that openings repeat and middle games do not, as in archives of real
games.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import pyarrow as pa

FILES = "abcdefgh"
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
RESULTS = ("1-0", "1/2-1/2", "0-1")
# Chance that the first of the choices left is taken, at the first move and at least; chosen.
FIRST_SHARE, LEAST_SHARE = 0.45, 0.08


def line(rng: random.Random, length: int) -> list[str]:
    """Moves of White's knights and pawns on ranks 1 to 4, in UCI."""
    knights = [(1, 0), (6, 0)]
    pawns = dict.fromkeys(range(8), 1)
    moves: list[str] = []
    while len(moves) < length:
        taken = {*knights, *pawns.items()}
        choices = [
            (here, there)
            for here in knights
            for step in KNIGHT_STEPS
            if (there := (here[0] + step[0], here[1] + step[1])) not in taken
            # The other pieces occupy rank 1, except the initial squares of the knights.
            and (there in ((1, 0), (6, 0)) or (0 <= there[0] < 8 and 1 <= there[1] < 4))
        ]
        choices += [
            ((file, rank), (file, to))
            for file, rank in pawns.items()
            for to in range(rank + 1, 4)
            if to - rank <= (2 if rank == 1 else 1)
            and not {(file, each) for each in range(rank + 1, to + 1)} & taken
        ]
        choices.sort(key=lambda move: hash((move, len(moves))))
        share = max(LEAST_SHARE, FIRST_SHARE - 0.02 * len(moves))
        place = 0
        while rng.random() > share:
            place += 1
        here, there = choices[place % len(choices)]
        if here in knights:
            knights[knights.index(here)] = there
        else:
            pawns[here[0]] = there[1]
        moves.append(f"{FILES[here[0]]}{here[1] + 1}{FILES[there[0]]}{there[1] + 1}")
    return moves


def mirrored(moves: list[str]) -> list[str]:
    """The same moves for Black."""
    return [f"{move[0]}{9 - int(move[1])}{move[2]}{9 - int(move[3])}" for move in moves]


def game(number: int, rng: random.Random, first: list[str], second: list[str]) -> str:
    """One game of the two lines, with tags."""
    plies = rng.randrange(40, 2 * len(first))
    moves = [move for pair in zip(first, second, strict=True) for move in pair][:plies]
    result = rng.choices(RESULTS, (36, 37, 27))[0]
    date = f"{rng.randrange(1950, 2026)}.{number % 12 + 1:02}.{number % 28 + 1:02}"
    return (
        f'[Event "Recombined"]\n[Date "{date}"]\n'
        f'[White "Player {rng.randrange(20_000)}"]\n[Black "Player {rng.randrange(20_000)}"]\n'
        f'[WhiteElo "{rng.randrange(1800, 2800)}"]\n[BlackElo "{rng.randrange(1800, 2800)}"]\n'
        f'[Result "{result}"]\n\n{" ".join(moves)} {result}\n\n'
    )


def write(out: Path, *, games: int, lines: int, seed: int) -> None:
    """Write the archive, compressed."""
    rng = random.Random(seed)
    pool = [line(rng, 60) for _ in range(lines)]
    first, second = pool[: lines // 2], [mirrored(moves) for moves in pool[lines // 2 :]]
    with pa.output_stream(str(out), compression="zstd") as stream:
        for start in range(0, games, 1000):
            texts = [
                game(number, rng, rng.choice(first), rng.choice(second))
                for number in range(start, min(games, start + 1000))
            ]
            stream.write("".join(texts).encode())


def main() -> None:
    """Take the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", type=int, default=1_300_000)
    parser.add_argument("--lines", type=int, default=8_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write(given.out, games=given.games, lines=given.lines, seed=given.seed)


if __name__ == "__main__":
    main()
