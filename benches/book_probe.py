"""Compare probes of a memory-mapped book with python-chess's reader of Polyglot books.

Both books are generated with the same random keys: ours by the core's writer, the other as 16-byte entries of
Polyglot's layout. Each record stores its place (as usage; as Polyglot's `learn` field), so that every answer
can be
checked: a wrong answer ends the program with exit code 1.

    python benches/book_probe.py [--records 10000000] [--probes 100000] [--rounds 5] [--json]

The output: CPU nanoseconds per probe, medians over rounds in which all ways take turns; the ratios of
python-chess and of a plain binary search to each way; and the time to open a book. `native` probes a column
of keys in the core, `plain binary search` is numpy's, over a bare column of the same keys; `probe` calls
`Book.native.probe` for each key, `position` calls `Book.probe` for each of some real positions. All files
have been read and all maps used before, so no probe waits for the disk or for a page fault.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import chess.polyglot
import numpy as np
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.book.book import Book, write_records
from bookbuilder.games.position import as_position

POLYGLOT = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
MISSING = 0xFFFF_FFFF
PYTHON_CHESS = "python-chess"
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
    probes = {
        "hits": rng.choice(drawn, arguments.probes),
        "misses": rng.integers(0, 2**64, arguments.probes, dtype=np.uint64),
    }
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
    parser.add_argument("--probes", type=int, default=100_000, help="hits, and as many misses")
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


Way = Callable[[], object]
Spread = dict[str, float]


def measured(
    ours: Path,
    theirs: Path,
    keys: np.ndarray,
    probes: dict[str, np.ndarray],
    positions: list[Position],
    rounds: int,
) -> dict[str, dict[str, Spread]] | None:
    """Nanoseconds by kind of probe and way, and to open; None if an answer was wrong."""
    book = Book.open(ours)
    figures = {}
    with chess.polyglot.open_reader(theirs) as reader:
        kinds = {kind: (ways_by_key(book, reader, keys, asked), asked) for kind, asked in probes.items()}
        of_positions = np.array([position.key for position in positions], np.uint64)
        kinds["positions"] = ways_by_position(book, reader, positions), of_positions
        for kind, (ways, asked) in kinds.items():
            if not is_right(ways, places(keys, asked)):
                return None
            figures[kind] = timed(ways, len(asked), rounds)
    figures["opening"] = {"open": opened(lambda: Book.open(ours))}
    return figures


def ways_by_key(
    book: Book, reader: chess.polyglot.MemoryMappedReader, keys: np.ndarray, asked: np.ndarray
) -> dict[str, Way]:
    """The ways to ask for keys."""
    locks = lock_of(asked)
    columns = pa.array(asked), pa.array(locks)
    pairs = list(zip(asked.tolist(), locks.tolist(), strict=True))
    native, entries = book.native, asked.tolist()
    return {
        "native": lambda: native.find(*columns),
        "plain binary search": lambda: np.searchsorted(keys, asked),
        "probe": lambda: (native.probe(key, lock) for key, lock in pairs),
        PYTHON_CHESS: lambda: (reader.get(key) for key in entries),
    }


def ways_by_position(
    book: Book, reader: chess.polyglot.MemoryMappedReader, positions: list[Position]
) -> dict[str, Way]:
    """The ways to ask for positions."""
    boards = [chess.Board(position.fen) for position in positions]
    return {
        "position": lambda: (book.probe(position) for position in positions),
        PYTHON_CHESS: lambda: (reader.get(board) for board in boards),
    }


def places(keys: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """The place of each key that is asked for, -1 = none."""
    place = np.minimum(np.searchsorted(keys, asked), keys.size - 1)
    return np.where(keys[place] == asked, place, -1)


def is_right(ways: dict[str, Way], expected: np.ndarray) -> bool:
    """Whether every way gives the places that are expected."""
    for name, ask in ways.items():
        if name == "plain binary search":
            continue  # what is expected comes from it
        answers = ask()
        answers = list(answers) if isinstance(answers, Iterator) else pa.array(answers).to_pylist()
        wrong = sum(place_of(a) != b for a, b in zip(answers, expected.tolist(), strict=True))
        if wrong:
            print(f"{name}: {wrong} of {expected.size} answers are wrong", file=sys.stderr)
            return False
    return True


def place_of(answer: object) -> int:
    """The place that an answer tells, -1 = none."""
    if answer is None or answer == MISSING:
        return -1
    return answer if isinstance(answer, int) else getattr(answer, "learn", getattr(answer, "usage", -1))


def timed(ways: dict[str, Way], probes: int, rounds: int) -> dict[str, Spread]:
    """Median, least and largest nanoseconds of each way, all of them in turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, ask in ways.items():
            begun = time.process_time()
            answers = ask()
            if isinstance(answers, Iterator):
                # Answers are not kept: the memory of a hundred thousand takes longer to get than they do.
                deque(answers, maxlen=0)
            taken[name].append((time.process_time() - begun) * 1e9 / probes)
    return {name: spread(values) for name, values in taken.items()}


def opened(open_it: Callable[[], object], times: int = 50) -> Spread:
    """Nanoseconds to open a book."""
    values = []
    for _ in range(times):
        begun = time.perf_counter()
        open_it()
        values.append((time.perf_counter() - begun) * 1e9)
    return spread(values)


def spread(values: list[float]) -> Spread:
    """Median, least and largest."""
    return {"median": statistics.median(values), "least": min(values), "largest": max(values)}


def show(figures: dict[str, dict[str, Spread]], records: int, *, as_json: bool) -> None:
    """Print the figures, and how many times as long the others take."""
    if as_json:
        print(json.dumps({"schema": 2, "records": records, "nanoseconds": figures}, indent=1))
        return
    print(f"{records:,} records; all answers checked; CPU nanoseconds per probe, wall time to open")
    print(f"{'':31} {'median':>10} {'least':>10} {'largest':>10} {'plain takes':>13} {PYTHON_CHESS:>13}")
    for kind, ways in figures.items():
        for name, row in ways.items():
            line = f"{kind:10} {name:20} " + " ".join(f"{value:>10,.0f}" for value in row.values())
            for other in ("plain binary search", PYTHON_CHESS):
                ratio = f"{ways[other]['median'] / row['median']:.2f} ×" if other in ways else ""
                line += f" {ratio:>13}"
            print(line.rstrip())


if __name__ == "__main__":
    sys.exit(main())
