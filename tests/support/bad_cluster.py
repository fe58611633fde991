"""A Dask cluster on hosts of a bad network, with a service that starts dead workers again."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.namespaces import Network

WORKERS: Final = ("worker1", "worker2", "worker3", "worker4")
_PORT: Final = 8786


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong during a command: seconds after its start."""

    kills: tuple[tuple[float, str], ...]
    cuts: tuple[tuple[float, float, tuple[str, ...]], ...]

    @classmethod
    def of_seed(cls, seed: int, *, kills: int = 2, cut_seconds: float = 30) -> Faults:
        """Return kills of random workers, and one partition of one or two workers."""
        chance = random.Random(seed)
        start, number = chance.uniform(0, 10), chance.choice((1, 1, 2))
        cut = (start, start + cut_seconds, tuple(chance.sample(WORKERS, number)))
        return cls(
            tuple((chance.uniform(0, start + cut_seconds), chance.choice(WORKERS)) for _ in range(kills)),
            (cut,),
        )


@dataclass(slots=True)
class Outcome:
    """How a command ended, and the faults that hit before its end."""

    code: int | None = None
    errors: str = ""
    seconds: float = 0
    kills: int = 0
    cuts: int = 0
    restarts: int = 0


class BadCluster:
    """A scheduler, four workers and the host of the user. Dead workers are started again."""

    def __init__(self, network: Network, folder: Path) -> None:
        """Start the scheduler and the workers; they keep their files and logs in a folder."""
        self._network, self._folder = network, folder
        self.address = f"tcp://{network.address('scheduler')}:{_PORT}"
        words = ["--port", str(_PORT), "--no-dashboard", "--host", network.address("scheduler")]
        self._start("scheduler", "dask_scheduler", words)
        self._workers = {name: self._worker(name) for name in WORKERS}

    def lost(self) -> int:
        """Return the number of packets lost at random."""
        return sum(self._network.lost(host) for host in ("scheduler", "user", *WORKERS))

    def run(self, command: Sequence[str], faults: Faults, *, patience: float) -> Outcome:
        """Run a command on the host of the user while faults happen; the network is whole at the end.

        `Outcome.code` is None if the command was killed since it had not ended after `patience` seconds.
        """
        outcome, begin = Outcome(), time.monotonic()
        started = self._network.start("user", command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        pending = sorted(self._events(faults, outcome), key=lambda event: event[0])
        while started.poll() is None and time.monotonic() - begin < patience:
            while pending and pending[0][0] <= time.monotonic() - begin:
                pending.pop(0)[1]()
            outcome.restarts += self.restart_dead()
            time.sleep(0.1)
        outcome.code, outcome.seconds = started.poll(), time.monotonic() - begin
        started.kill()
        outcome.errors = started.communicate()[1]
        for name in WORKERS:
            self._network.plug(name)
        return outcome

    def restart_dead(self) -> int:
        """Start workers that have ended again, as a service manager does; return their number."""
        dead = [name for name, worker in self._workers.items() if worker.poll() is not None]
        for name in dead:
            self._workers[name] = self._worker(name)
        return len(dead)

    def _events(self, faults: Faults, outcome: Outcome) -> Iterator[tuple[float, Callable[[], None]]]:
        def kill(name: str) -> None:
            self._workers[name].kill()
            outcome.kills += self._workers[name].wait() == -9

        def cut(names: Sequence[str]) -> None:
            outcome.cuts += 1
            for name in names:
                self._network.unplug(name)

        def mend(names: Sequence[str]) -> None:
            for name in names:
                self._network.plug(name)

        for moment, name in faults.kills:
            yield moment, lambda name=name: kill(name)  # type: ignore[misc]
        for start, end, names in faults.cuts:
            yield start, lambda names=names: cut(names)  # type: ignore[misc]
            yield end, lambda names=names: mend(names)  # type: ignore[misc]

    def _worker(self, name: str) -> subprocess.Popen[str]:
        scratch = self._folder / name
        words = [self.address, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        return self._start(name, "dask_worker", [*words, "--local-directory", str(scratch)])

    def _start(self, host: str, module: str, words: Sequence[str]) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", "-m", f"distributed.cli.{module}", *words]
        with (self._folder / f"{host}.log").open("a", encoding="utf-8") as log:
            return self._network.start(host, command, stdout=log, stderr=log)


@contextmanager
def bad_cluster(folder: Path, *, lost_percent: int) -> Iterator[BadCluster]:
    """Yield a cluster whose hosts lose some packets."""
    hosts = ("scheduler", "user", *WORKERS)
    with Network(hosts, lost_percent=lost_percent) as network:
        yield BadCluster(network, folder)
