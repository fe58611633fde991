"""Measure a store: bytes per row of each column, and CPU time per position.

    python benches/store.py STORE

The output is JSON. Positions are drawn from the store, every row with the same probability; each answer is
compared with the table. `show` is the whole command, in turns with an interpreter that does nothing. GOALS
has the limits of the project.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from contenders import cpu, waited

from bookbuilder import Tally
from bookbuilder._core import Position
from bookbuilder.tally.store.reading import OpenStore

# Maxima for a store of ten million rows.
GOALS = {"move_rows_p50_ms": 1.0, "show_cpu_seconds": 0.3}


def sizes(store: OpenStore) -> dict[str, float]:
    """Bytes a row of each column."""
    import pyarrow.parquet as pq

    found: dict[str, int] = {}
    for part in store.manifest.parts:
        metadata = pq.ParquetFile(store.directory / part["file"]).metadata
        for group in (metadata.row_group(number) for number in range(metadata.num_row_groups)):
            for column in (group.column(number) for number in range(group.num_columns)):
                name = column.path_in_schema
                found[name] = found.get(name, 0) + column.total_compressed_size
    return {name: size / store.manifest.rows for name, size in found.items()}


def lookups(store: OpenStore, count: int) -> list[float]:
    """CPU milliseconds for all rows of a position, for positions drawn from one part."""
    rng = np.random.default_rng(1)
    import pyarrow.parquet as pq

    part = store.manifest.parts[len(store.manifest.parts) // 2]
    table = pq.read_table(store.directory / part["file"], columns=["key", "lock", "games"])
    key, lock, games = (table.column(name).to_numpy() for name in table.column_names)
    spent = []
    for row in rng.integers(0, key.size, count).tolist():
        started = time.process_time()
        found = store.rows_at(int(key[row]), int(lock[row]))
        spent.append(1000 * (time.process_time() - started))
        assert int(games[row]) in {each.games for each in found}
    return spent


def walks(tally: Tally, count: int) -> dict[str, list[float]]:
    """CPU milliseconds for the moves of a position, as plain rows and as a frame, on walks from the start."""
    rng = random.Random(1)
    spent: dict[str, list[float]] = {"move_rows": [], "moves": []}
    here = Position(tally.game)
    for _ in range(count):
        for name, found in spent.items():
            started = time.process_time()
            answer = getattr(tally, name)(here)
            found.append(1000 * (time.process_time() - started))
        moves, played = answer["move"].tolist(), answer["played"].tolist()
        # Weighted by games, as users of an explorer move.
        is_over = not moves or not sum(played)
        here = Position(tally.game) if is_over else here.play(here.parse_move(rng.choices(moves, played)[0]))
    return spent


def commands(store: Path, rounds: int) -> dict[str, float]:
    """CPU seconds of `show STORE` and of an interpreter that does nothing, medians of the rounds."""
    plain: dict[str, list[str]] = {
        "interpreter": ["-c", "pass"],
        "show": ["-m", "bookbuilder", "show", str(store)],
        "show_json": ["-m", "bookbuilder", "show", str(store), "--json"],
    }
    spent: dict[str, list[float]] = {name: [] for name in plain}
    for _ in range(rounds):
        for name, arguments in plain.items():
            stdout, usage = waited([sys.executable, "-P", *arguments])
            assert bool(stdout) == (name != "interpreter")
            spent[name].append(cpu(usage))
    return {f"{name}_cpu_seconds": round(statistics.median(each), 3) for name, each in spent.items()}


def quantiles(spent: list[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"p50_ms": round(float(np.median(spent)), 3), "p99_ms": round(float(np.percentile(spent, 99)), 3)}


def main() -> None:
    """Take the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=11, help="runs of each command")
    given = parser.parse_args()
    started = time.process_time()
    tally = Tally.open(given.store)
    opened = 1000 * (time.process_time() - started)
    store = OpenStore(given.store)
    columns = sizes(store)
    answer: dict[str, Any] = {
        "rows": store.manifest.rows,
        "open_ms": round(opened, 3),
        "bytes_per_row": {name: round(size, 3) for name, size in columns.items()},
        "rows_at": quantiles(lookups(store, given.count)),
        **{name: quantiles(spent) for name, spent in walks(tally, given.count).items()},
        **commands(given.store, given.rounds),
    }
    found = {**answer, "move_rows_p50_ms": answer["move_rows"]["p50_ms"]}
    answer["goals"] = {
        name: f"at most {most:g}: {'held' if found[name] <= most else 'missed'}"
        for name, most in GOALS.items()
    }
    print(json.dumps(answer, indent=1))


if __name__ == "__main__":
    main()
