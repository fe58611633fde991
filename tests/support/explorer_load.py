"""Clients that ask the explorer for an hour, and a look at the memory of its process."""

from __future__ import annotations

import http.client
import json
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from support.served_versions import BOOK, STORE, as_text

from bookbuilder import Position, Tally

API = "/api/v1"
# Out of a thousand requests; an entry in braces is drawn for each request.
SHARES = {
    f"{API}/position?src={STORE}&play={{line}}&p={{p}}&min_games={{least}}": 250,
    f"{API}/position?src={BOOK}&play={{line}}": 50,
    f"{API}/position?src={STORE}&play={{line}}&year_from={{year}}": 40,
    f"{API}/position?src={STORE}&play={{line}}&rating={{rating}}&year_to={{year}}": 20,
    f"{API}/games?src={STORE}&play={{line}}&limit=20": 60,
    f"{API}/games/{{id}}?src={STORE}&play={{line}}": 40,
    f"{API}/games/{{id}}.pgn": 15,
    f"{API}/curve?src={STORE}&min_games={{least}}": 20,
    f"{API}/size?src={STORE}&p={{p}}&min_games={{least}}": 20,
    f"{API}/tree?src={STORE}&play={{line}}&depth=2&width=3": 20,
    f"{API}/compare?a={STORE}&b={BOOK}&play={{line}}": 20,
    f"{API}/commands?what=show&src={STORE}&play={{line}}": 10,
    f"{API}/line?text=1.+e4+c5+2.+Nf3&src={STORE}": 10,
    f"{API}/sources": 15,
    f"{API}/health": 10,
    f"{API}/openapi.json": 3,
    f"{API}/book?src={BOOK}": 5,
    f"{API}/reach?src={BOOK}&games={STORE}": 0.4,
    f"{API}/calibration?src={STORE}": 0.4,
    f"{API}/follow?src={BOOK}&games={STORE}": 0.4,
    f"{API}/search?src={STORE}&play={{line}}&movetime=100": 8,
    f"{API}/values?src={STORE}&play={{line}}&nodes=300": 3,
    "/lichess?play={line}&topGames=4": 30,
    "/masters?play={line}": 10,
    "/player?play={line}&player=nobody": 5,
    "/cdb.php?action=queryall&board={fen}&json=1": 10,
    "/": 10,
    "/tune": 5,
    # Invalid ones.
    f"{API}/position?src=nothing&play={{line}}": 10,
    f"{API}/position?src={STORE}&play={{line}},e1e8": 10,
    f"{API}/position?src={STORE}&p=1.2.3": 10,
    f"{API}/games?src={BOOK}": 10,
    f"{API}/games/0123456789abcdef": 5,
    f"{API}/nothing": 5,
}
# Compared with the answers of every version: a third of all requests.
COMPARED = (
    f"{API}/position?src={STORE}&play={{line}}",
    f"{API}/position?src={BOOK}&play={{line}}",
    f"{API}/position?src={STORE}&play={{line}}&year_from=2000",
    f"{API}/games?src={STORE}&play={{line}}&limit=50",
    f"{API}/tree?src={STORE}&play={{line}}&depth=3&width=3",
    f"{API}/compare?a={STORE}&b={STORE}&play={{line}}&b_year_from=2000",
    f"{API}/size?src={STORE}",
    f"{API}/curve?src={STORE}",
    "/lichess?play={line}",
)
COMPARED_SHARE = 1 / 3
# A client that has read the first bytes of a stream leaves as often as it stays.
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


class Answered(NamedTuple):
    """A request with its path, and when it was answered."""

    path: str
    seconds: float
    status: int


@dataclass
class Load:
    """What clients ask, and what they found.

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
    answered: list[Answered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    versions: Counter[int] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, number: int, think: float) -> None:
        """Ask as one client until the load is stopped, after random pauses."""
        rng, client = random.Random(number), _Client(self.port)
        compared = sorted(self.expected)
        forms, weights = list(SHARES), list(SHARES.values())
        while not self.stopped.wait(rng.expovariate(1 / think)):
            if rng.random() < COMPARED_SHARE:
                form = url = rng.choice(compared)
            else:
                form = rng.choices(forms, weights)[0]
                url = self._filled(rng, form)
            try:
                self._judge(form, url, *client.ask(url, leaves=rng.random() < 0.5))
            except (OSError, http.client.HTTPException) as error:
                self._problem(f"{url}: {error!r}")
                client.close()
            if rng.random() < 0.05:
                client.close()
        client.close()
        self.counts["reconnections after an idle time"] += client.late

    def _filled(self, rng: random.Random, form: str) -> str:
        return form.format(
            line=rng.choice(self.lines),
            p=rng.randrange(101) / 100,
            least=rng.randrange(1, 30),
            year=rng.randrange(1950, 2020),
            rating=rng.randrange(2000, 2700, 100),
            id=rng.choice(self.ids),
            fen=quote("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        )

    def _judge(self, form: str, url: str, status: int, body: bytes, seconds: float) -> None:
        path = form.partition("?")[0]
        self.answered.append(Answered(path, seconds, status))
        if status not in (200, 400, 404, 409):
            self._problem(f"{url}: {status} {body[:300]!r}")
            return
        is_data = path.startswith(API) and not path.endswith(".pgn") and path not in STREAMS
        if is_data or (status >= 400 and path.startswith(API)):
            found = json.loads(body)
            if status >= 400 and set(found["error"]) < {"code", "message"}:
                self._problem(f"{url}: {status} {found}")
        if url in self.expected:
            text = as_text(json.loads(body))
            met = [n for n, version in enumerate(self.expected[url]) if version == text]
            if not met:
                self._problem(f"{url}: the answer of no version: {text[:600]}")
            if len(met) == 1:
                self.versions[met[0]] += 1
            self.counts["compared"] += 1

    def _problem(self, text: str) -> None:
        self.problems.append(f"{time.strftime('%H:%M:%S')} {text}")
        print(f"problem: {self.problems[-1]}", flush=True)


class _Client:
    """A client with a connection that stays open between requests."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection: http.client.HTTPConnection | None = None
        self.late = 0

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def ask(self, url: str, *, leaves: bool) -> tuple[int, bytes, float]:
        """Return the status, the body and the seconds. One that leaves reads the start of a stream."""
        is_open = self._connection is not None
        try:
            return self._asked(url, leaves=leaves)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self.close()
            if not is_open:
                raise
            self.late += 1  # the server closes idle connections
        return self._asked(url, leaves=leaves)

    def _asked(self, url: str, *, leaves: bool) -> tuple[int, bytes, float]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        started = time.perf_counter()
        self._connection.request("GET", url)
        response = self._connection.getresponse()
        if url.startswith(STREAMS) and response.status == 200 and leaves:
            body = response.read(60)
            self.close()
        else:
            body = response.read()
        return response.status, body, time.perf_counter() - started


class Look(NamedTuple):
    """A look at a process: MiB of memory, of that its own and not of files, handles, threads, children."""

    at: float
    memory: float
    own: float
    handles: int
    threads: int
    children: int


def look(process: int) -> Look:
    """Look at a process."""
    home = Path(f"/proc/{process}")
    status = dict(line.split(":", 1) for line in (home / "status").read_text().splitlines())
    mib = {name: int(status[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")}
    children = sum(
        len(words.split()) for words in [(home / f"task/{process}/children").read_text()] if words.strip()
    )
    handles, threads = (sum(1 for _ in (home / part).iterdir()) for part in ("fd", "task"))
    return Look(time.monotonic(), mib["VmRSS"], mib["RssAnon"], handles, threads, children)


def sixths(
    looks: Sequence[Look], name: str, of: Callable[[Sequence[float]], float] = statistics.median
) -> list[float]:
    """Return the median of a figure in each sixth of the time, or the minimum."""
    size = len(looks) // 6
    parts = [looks[size * number : size * (number + 1)] for number in range(6)]
    return [round(of([getattr(each, name) for each in part]), 1) for part in parts]


def milliseconds(answered: Sequence[Answered]) -> dict[str, float]:
    """Return percentiles of the time of answers that are no streams."""
    times = sorted(1000 * each.seconds for each in answered if each.path not in STREAMS)
    if not times:
        return {}
    places = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    last = len(times) - 1
    return {name: round(times[min(int(part * len(times)), last)], 1) for name, part in places.items()}
