"""Sessions that use the explorer for an hour, and a look at the memory of its process."""

from __future__ import annotations

import http.client
import json
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from support.served_versions import BOOK, STORE, as_text

from bookbuilder import Position, Tally

API = "/api/v1"
# Of a hundred requests; an entry in braces is drawn for each request.
SHARES = {
    f"{API}/position?src={STORE}&play={{line}}&p={{p}}&min_games={{least}}": 25,
    f"{API}/position?src={BOOK}&play={{line}}": 5,
    f"{API}/position?src={STORE}&play={{line}}&rating={{rating}}&year_to={{year}}": 6,
    f"{API}/games?src={STORE}&play={{line}}&limit=20": 6,
    f"{API}/games/{{id}}?src={STORE}&play={{line}}": 5,
    f"{API}/size?src={STORE}&p={{p}}&min_games={{least}}": 4,
    f"{API}/curve?src={STORE}&min_games={{least}}": 1,
    f"{API}/tree?src={STORE}&play={{line}}&depth=2&width=3": 2,
    f"{API}/line?src={STORE}&play={{line}}&text=B9": 2,
    f"{API}/commands?what=show&src={STORE}&play={{line}}": 1,
    f"{API}/reach?src={BOOK}&games={STORE}": 0.1,
    f"{API}/calibration?src={STORE}": 0.1,
    f"{API}/search?src={STORE}&play={{line}}&movetime=100": 1,
    f"{API}/values?src={STORE}&play={{line}}&nodes=300": 0.5,
    f"{API}/sources": 2,
    "/lichess?play={line}&topGames=4": 4,
    "/tune": 1,
    # Invalid ones.
    f"{API}/position?src=nothing&play={{line}}": 1,
    f"{API}/position?src={STORE}&play={{line}},e1e8": 1,
    f"{API}/games/0123456789abcdef": 1,
}
# Compared with the answers of every version: a third of all requests.
COMPARED = (
    f"{API}/position?src={STORE}&play={{line}}",
    f"{API}/position?src={BOOK}&play={{line}}",
    f"{API}/position?src={STORE}&play={{line}}&year_from=2000",
    f"{API}/games?src={STORE}&play={{line}}&limit=50",
    f"{API}/tree?src={STORE}&play={{line}}&depth=3&width=3",
    f"{API}/size?src={STORE}",
    "/lichess?play={line}",
)
STREAMS = (f"{API}/search", f"{API}/values")


def walks(tally: Tally, count: int, *, seed: int = 1, deepest: int = 24) -> list[str]:
    """Return lines to positions, each move drawn by the number of games that played it."""
    rng, found = random.Random(seed), {""}
    for _ in range(count):
        here, line = Position("chess"), []
        for _ in range(rng.randint(1, deepest)):
            rows = tally.move_rows(here)
            if not rows:
                break
            line.append(rng.choices([row["move"] for row in rows], [row["played"] for row in rows])[0])
            here = here.play(here.parse_move(line[-1]))
        found.add(",".join(line))
    return sorted(found)


def requests_to_compare(lines: Sequence[str], *, seed: int = 2, each: int = 12) -> list[str]:
    """Return requests whose answers are compared."""
    rng = random.Random(seed)
    drawn = (form.format(line=line) for form in COMPARED for line in ["", *rng.choices(lines, k=each)])
    return sorted(set(drawn))


@dataclass
class Load:
    """What sessions ask, and what they found: number of answers by status, and what is wrong.

    Attributes:
        port: of the server.
        lines: lines to positions.
        ids: games.
        expected: answers of every version to the requests that are compared, as text.
    """

    port: int
    lines: Sequence[str]
    ids: Sequence[str]
    expected: Mapping[str, Sequence[str]]
    statuses: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, number: int, think: float) -> None:
        """Ask as one session until the load is stopped, after random pauses."""
        rng, compared = random.Random(number), sorted(self.expected)
        forms, weights = list(SHARES), list(SHARES.values())
        while not self.stopped.wait(rng.expovariate(1 / think)):
            if rng.random() < 1 / 3:
                url = rng.choice(compared)
            else:
                url = rng.choices(forms, weights)[0].format(
                    line=rng.choice(self.lines),
                    p=rng.randrange(101) / 100,
                    least=rng.randrange(1, 30),
                    year=rng.randrange(1950, 2020),
                    rating=rng.randrange(2000, 2700, 100),
                    id=rng.choice(self.ids),
                )
            try:
                self._judge(url, *self._asked(url, leaves=rng.random() < 0.5))
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._problem(f"{url}: {error!r}")

    def _asked(self, url: str, *, leaves: bool) -> tuple[int, bytes]:
        """Return the status and the body. One that leaves reads only the start of a stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request("GET", url)
            response = connection.getresponse()
            is_left = url.startswith(STREAMS) and response.status == 200 and leaves
            return response.status, response.read(60) if is_left else response.read()
        finally:
            connection.close()

    def _judge(self, url: str, status: int, body: bytes) -> None:
        self.statuses[status] += 1
        is_busy = status == 503 and url.startswith(STREAMS)
        if status not in (200, 400, 404, 409) and not is_busy:
            self._problem(f"{url}: {status} {body[:300]!r}")
        elif url in self.expected and as_text(json.loads(body)) not in self.expected[url]:
            self._problem(f"{url}: the answer of no version: {body[:300]!r}")

    def _problem(self, text: str) -> None:
        self.problems.append(f"{time.strftime('%H:%M:%S')} {text}")
        print(f"problem: {self.problems[-1]}", flush=True)


class Look(NamedTuple):
    """A look at a process: MiB of memory, handles, threads."""

    at: float
    memory: float
    handles: int
    threads: int


def look(process: int) -> Look:
    """Look at a process."""
    home = Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (home / "status").read_text().splitlines())
    handles, threads = (sum(1 for _ in (home / part).iterdir()) for part in ("fd", "task"))
    return Look(time.monotonic(), int(status["VmRSS"].split()[0]) / 1024, handles, threads)


def sixths(looks: Sequence[Look], name: str) -> list[float]:
    """Return the median of a figure in each sixth of the time."""
    size = len(looks) // 6
    parts = [looks[size * number : size * (number + 1)] for number in range(6)]
    return [round(statistics.median([getattr(each, name) for each in part]), 1) for part in parts]
