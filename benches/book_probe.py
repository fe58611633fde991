"""How fast a memory-mapped book answers, in one run beside python-chess's reader of Polyglot books.

Both books are made here, with the same random keys: ours by the core's writer, the other as 16-byte entries
of Polyglot's layout. Each key's place is stored with it (as usage; as Polyglot's `learn` field), so that each
answer can be checked: a wrong one ends the program with exit code 1. Half of the keys asked for are in the
books.

    python benches/book_probe.py [--records 10000000] [--probes 200000] [--rounds 5] [--json]

What is told: nanoseconds per probe, medians over rounds that take all ways in turns, so that a slow moment of
the machine falls on all; and the time to open a book. `native` probes a column of keys in the core, `probe`
makes one call of `Book.native.probe` for each key, `position` one of `Book.probe` for each of some real
positions. The pages of both files are read once before anything is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.book import Book, write_records
from bookbuilder.games import as_position

POLYGLOT = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
MISSING = 0xFFFF_FFFF
# Probed by position: the start and what follows it, two plies deep.
PLIES = 2


def main() -> int:
    """Make the books, check and measure the ways to ask them, print the figures."""
    arguments = parsed()
    rng = np.random.default_rng(1)
    drawn = np.unique(rng.integers(0, 2**64, arguments.records, dtype=np.uint64))
    positions = real_positions()
    known = np.array([position.key for position in positions[::2]], np.uint64)
    keys = np.unique(np.concatenate([drawn, known]))
    probes = np.concatenate(
        [
            rng.choice(drawn, arguments.probes // 2),
            rng.integers(0, 2**64, arguments.probes // 2, dtype=np.uint64),
        ]
    )
    rng.shuffle(probes)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder, "a.book"), Path(folder, "a.bin")
        write_ours(ours, keys)
        write_polyglot(theirs, keys)
        warm(ours)
        warm(theirs)
        figures = measured(ours, theirs, keys, probes, positions, arguments.rounds)
    if figures is None:
        return 1
    show(figures, len(keys), as_json=arguments.json)
    return 0


def parsed() -> argparse.Namespace:
    """The arguments."""
    parser = argparse.ArgumentParser(description="Probes of a book, beside python-chess's Polyglot reader.")
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--probes", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def real_positions() -> list[Position]:
    """The positions of the first plies, as the core knows them."""
    found, front = [], [as_position("startpos", "chess")]
    for _ in range(PLIES):
        front = [position.play(code) for position in front for code in position.moves()]
        found += front
    return found


def lock_of(keys: np.ndarray) -> np.ndarray:
    """The lock that a key has here: any function of it will do; a real position's is its own."""
    return (keys & np.uint64(0xFFFF_FFFF)).astype(np.uint32)


def write_ours(path: Path, keys: np.ndarray) -> None:
    """A book with columns whose usage is the place of each key."""
    locks = lock_of(keys)
    for position in real_positions():
        place = int(np.searchsorted(keys, np.uint64(position.key)))
        if place < keys.size and keys[place] == position.key:
            locks[place] = position.lock
    none = np.zeros(keys.size, np.uint64)
    columns = {
        "key": keys,
        "lock": locks,
        "usage": np.arange(keys.size, dtype=np.uint64),
        "wins": none,
        "draws": none,
        "losses": none,
        "quality": np.zeros(keys.size, np.uint8),
    }
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    write_records(path, table, game="chess", fold=False, columns=True, recipe={})


def write_polyglot(path: Path, keys: np.ndarray) -> None:
    """A Polyglot book with one move a key, whose `learn` is the place of the key."""
    entries = np.zeros(keys.size, POLYGLOT)
    entries["key"], entries["move"], entries["weight"] = keys, 796, 1
    entries["learn"] = np.arange(keys.size)
    # The reader leaves out a move that is not legal on the board that it is given.
    for position in real_positions():
        place = int(np.searchsorted(keys, np.uint64(position.key)))
        if place < keys.size and keys[place] == position.key:
            move = chess.Move.from_uci(position.coordinates(position.moves()[0]))
            entries["move"][place] = move.from_square << 6 | move.to_square
    entries.tofile(path)


def warm(path: Path) -> None:
    """Read the file once, so that all its pages are in memory."""
    with path.open("rb") as stream:
        while stream.read(1 << 24):
            pass


Way = Callable[[], list[int]]


def measured(
    ours: Path, theirs: Path, keys: np.ndarray, probes: np.ndarray, positions: list[Position], rounds: int
) -> dict[str, dict[str, float]] | None:
    """Nanoseconds by way, and seconds to open; None if an answer was wrong."""
    book = Book.open(ours)
    locks = lock_of(probes)
    columns = pa.array(probes), pa.array(locks)
    pairs = list(zip(probes.tolist(), locks.tolist(), strict=True))
    boards = [chess.Board(position.fen) for position in positions]
    with chess.polyglot.open_reader(theirs) as reader:
        native, entries = book.native, [key for key, _ in pairs]
        of_key = {
            "native": lambda: pa.array(native.find(*columns)).to_numpy().tolist(),
            "probe": lambda: [native.probe(key, lock) for key, lock in pairs],
            "python-chess": lambda: [reader.get(key) for key in entries],
        }
        of_position = {
            "position": lambda: [book.probe(position) for position in positions],
            "python-chess, board": lambda: [reader.get(board) for board in boards],
        }
        place = np.searchsorted(keys, probes)
        place = np.minimum(place, keys.size - 1)
        expected = np.where(keys[place] == probes, place, -1).tolist()
        of_real = [
            int(number) if number < keys.size and keys[number] == position.key else -1
            for position in positions
            for number in [np.searchsorted(keys, np.uint64(position.key))]
        ]
        if not is_right(of_key, expected) or not is_right(of_position, of_real):
            return None
        times = {
            **timed(of_key, len(pairs), rounds),
            **timed(of_position, len(positions), rounds),
        }
    times["open"] = opened(lambda: Book.open(ours))
    return times


def is_right(ways: dict[str, Way], expected: list[int]) -> bool:
    """Whether every way gives the places that are expected."""
    for name, ask in ways.items():
        answers = [place_of(answer) for answer in ask()]
        if answers != expected:
            wrong = sum(a != b for a, b in zip(answers, expected, strict=True))
            print(f"{name}: {wrong} of {len(expected)} answers are wrong", file=sys.stderr)
            return False
    return True


def place_of(answer: object) -> int:
    """The place that an answer tells, -1 = none."""
    if answer is None or answer == MISSING:
        return -1
    return answer if isinstance(answer, int) else getattr(answer, "learn", getattr(answer, "usage", -1))


def timed(ways: dict[str, Way], probes: int, rounds: int) -> dict[str, dict[str, float]]:
    """Median, least and largest nanoseconds of each way, all of them in turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, ask in ways.items():
            begun = time.process_time()
            ask()
            taken[name].append((time.process_time() - begun) * 1e9 / probes)
    return {name: spread(values) for name, values in taken.items()}


def opened(open_it: Callable[[], object], times: int = 50) -> dict[str, float]:
    """Nanoseconds to open a book."""
    values = []
    for _ in range(times):
        begun = time.perf_counter()
        open_it()
        values.append((time.perf_counter() - begun) * 1e9)
    return spread(values)


def spread(values: list[float]) -> dict[str, float]:
    """Median, least and largest."""
    return {"median": statistics.median(values), "least": min(values), "largest": max(values)}


def show(figures: dict[str, dict[str, float]], records: int, *, as_json: bool) -> None:
    """Print the figures, and how many times as long the other reader takes."""
    ratios = {
        "native": figures["python-chess"]["median"] / figures["native"]["median"],
        "probe": figures["python-chess"]["median"] / figures["probe"]["median"],
        "position": figures["python-chess, board"]["median"] / figures["position"]["median"],
    }
    if as_json:
        answer = {"records": records, "nanoseconds": figures, "times_python_chess": ratios}
        print(json.dumps({"schema": 1, **answer}, indent=1))
        return
    print(f"{records:,} records; every answer was checked; CPU nanoseconds per probe, opening by the clock")
    print(f"{'':22} {'median':>12} {'least':>12} {'largest':>12} {'python-chess takes':>20}")
    for name, row in figures.items():
        ratio = f"{ratios[name]:.1f} ×" if name in ratios else ""
        print(
            f"{name:22} {row['median']:>12,.0f} {row['least']:>12,.0f} {row['largest']:>12,.0f} {ratio:>20}"
        )


if __name__ == "__main__":
    sys.exit(main())
