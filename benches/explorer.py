"""Measure the response times of the explorer, also with sixteen clients at once.

    python benches/explorer.py STORE [--seconds 60]

STORE is a tally store; if it does not exist, it is counted from the players' archive under BOOKBUILDER_CORPUS
(all plies, 11.9 million rows). The output is JSON. The server is `bookbuilder serve`, on loopback. Positions
come from walks from the start, each move drawn by how often it was played, each position requested once, so
that nothing is cached. A sample of the answers is compared with `Tally.moves`. Wall time is what a client
waits for; CPU time is the server's, of all its threads.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from bookbuilder import Tally
from bookbuilder._core import Position

PLAYERS = "data/chess/pgnmentor_players_dev.pgn.zst"
DEEPEST = 40  # plies of the longest walk; the position is at a depth drawn from 0 to that
COMPARED = (
    "move", "san", "played", "reached", "first_wins", "draws", "second_wins", "p", "p_low", "p_high",
    "score", "rating", "year_min", "year_max", "marks",
)  # fmt: skip


def require_store(path: Path) -> None:
    """Make the store if it is not there."""
    if not path.exists():
        archive = Path(os.environ["BOOKBUILDER_CORPUS"], PLAYERS)
        Tally.from_archives(archive, memory=2 << 30, jobs=1).save(path)


def walks(tally: Tally, count: int) -> list[str]:
    """Ways to distinct positions, as `play` takes them."""
    rng, found = random.Random(1), {""}
    while len(found) < count:
        here, way = Position(tally.game), []
        for _ in range(rng.randint(1, DEEPEST)):
            rows = tally.move_rows(here)
            if not rows:
                break
            move = rng.choices([row["move"] for row in rows], [row["played"] for row in rows])[0]
            here = here.play(here.parse_move(move))
            way.append(move)
            found.add(",".join(way))
    ways = sorted(found)
    rng.shuffle(ways)
    return ways[:count]


@contextmanager
def server(store: Path) -> Iterator[tuple[int, int]]:
    """A server's process and port."""
    command = [sys.executable, "-P", "-m", "bookbuilder", "serve", str(store), "-p", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            port = re.search(r":(\d+)/", process.stderr.readline())
            assert port is not None
            yield process.pid, int(port[1])
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def cpu_ms(process: int) -> float:
    """Milliseconds that all threads of a process have run."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def ask(connection: http.client.HTTPConnection, way: str, more: str = "") -> bytes:
    """The answer for a position."""
    connection.request("GET", f"/api/v1/position?play={quote(way)}{more}")
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, body[:200]
    return body


def one_client(process: int, port: int, ways: list[str], more: str = "") -> dict[str, object]:
    """Wall and CPU time of answers given one after the other."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for way in ("", "e2e4", "d2d4"):  # the first answers load what all need
        ask(connection, way)
    wall, spent = [], []
    for way in ways:
        cpu, started = cpu_ms(process), time.perf_counter()
        ask(connection, way, more)
        wall.append(1000 * (time.perf_counter() - started))
        spent.append(cpu_ms(process) - cpu)
    connection.close()
    return {"positions": len(ways), "wall_ms": summary(wall), "cpu_ms": summary(spent)}


def summary(values: list[float]) -> dict[str, float]:
    """Percentiles, and the share of answers under 20 ms."""
    found = {f"p{q}": round(float(np.percentile(values, q)), 2) for q in (50, 95, 99)}
    under = round(float(np.mean(np.array(values) < 20)), 4)
    return {**found, "most": round(max(values), 2), "share_under_20_ms": under}


def compare(port: int, tally: Tally, ways: list[str]) -> int:
    """Compare answers with the frame of `Tally.moves`; returns how many moves there were."""
    connection, moves = http.client.HTTPConnection("127.0.0.1", port), 0
    for way in ways:
        here = Position(tally.game)
        for move in filter(None, way.split(",")):
            here = here.play(here.parse_move(move))
        frame = tally.moves(here)
        found = json.loads(ask(connection, way))
        assert found["reached"] == tally.reached(here), way
        for name in COMPARED:
            expected = [
                None if isinstance(value, float) and math.isnan(value) else value
                for value in frame[name].tolist()
            ]
            assert [row[name] for row in found["moves"]] == expected, (way, name)
        moves += len(frame)
    connection.close()
    return moves


def load(port: int, ways: list[str], *, clients: int, seconds: float) -> dict[str, object]:
    """Clients that ask at once, each over its own connection, until the time is over."""
    wall: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds

    def client(number: int) -> None:
        rng = random.Random(number)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            way, p = rng.choice(ways), rng.randrange(101) / 100
            started = time.perf_counter()
            try:
                ask(connection, way, f"&p={p}&min_games={rng.randrange(20)}")
                wall.append(1000 * (time.perf_counter() - started))
            except (OSError, http.client.HTTPException, AssertionError) as error:
                errors.append(f"{way}: {error!r}")
                connection.close()
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = round(len(wall) / seconds, 1)
    found = {"clients": clients, "seconds": seconds, "answers": len(wall), "answers_per_second": rate}
    return {**found, "errors": len(errors), "first_errors": errors[:3], "wall_ms": summary(wall)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--compared", type=int, default=200)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    require_store(given.store)
    tally = Tally.open(given.store)
    ways = walks(tally, given.positions)
    with server(given.store) as (process, port):
        report: dict[str, object] = {
            "rows": len(tally),
            "load_average": round(os.getloadavg()[0], 1),
            "one_client_first_time": one_client(process, port, ways),
            "one_client_other_threshold": one_client(process, port, ways, "&p=0.6&min_games=5"),
            "moves_compared": compare(port, tally, ways[: given.compared]),
            "load": load(port, ways, clients=given.clients, seconds=given.seconds),
        }
        status = Path(f"/proc/{process}/status").read_text()
        report["server_peak_mib"] = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
