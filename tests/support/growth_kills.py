"""A book that grows by searches, killed and resumed."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

from support.fault_jobs import litter, words_of
from support.fault_program import Ended, Program
from support.fault_stage import Kills

GROW = "book grow IN/a.store -o OUT/a.csv --searches 12 --nodes 50 --min-games 2 --force -q"
IN_A_ROW = 3


class Growth:
    """The command, with the log of an undisturbed run."""

    def __init__(self, program: Program, inputs: Path, folder: Path) -> None:
        """Run the command undisturbed."""
        self._program, self._inputs, self._place = program, inputs, folder / "out"
        self._begin()
        first = self._run()
        self._calls, self._seconds = first.calls, first.seconds
        self._whole = self._log()

    def _begin(self) -> None:
        shutil.rmtree(self._place, ignore_errors=True)
        self._place.mkdir()

    def _run(self, *, at: int = 0, kill_after: float = 0) -> Ended:
        words = words_of(GROW, self._inputs, self._place)
        return self._program.run(words, self._place, at=at, kill_after=kill_after)

    def _log(self) -> bytes:
        return (self._place / "a.csv.growth").read_bytes()

    def kill(self, where: str, times: int) -> Kills:
        """Kill the command at `calls` or at `random times`, and let it grow on."""
        chance = random.Random(where)
        tried = hit = 0
        while tried < times:
            self._begin()
            for _ in range(chance.randint(1, IN_A_ROW)):
                at = chance.randint(1, self._calls) if where == "calls" else 0
                ended = self._run(at=at, kill_after=0 if at else chance.uniform(1e-4, self._seconds))
                tried += 1
                hit += ended.code == -signal.SIGKILL
                assert ended.code in (0, -signal.SIGKILL), ended.err
            self._finish()
        return Kills(tried, hit)

    def _finish(self) -> None:
        """Let it grow on: the log is that of an undisturbed run, and the book is that of the log."""
        assert self._run().code == 0
        assert self._log() == self._whole
        left = litter(self._place) + [path.name for path in self._program.temporary.iterdir()]
        assert left == [], f"left behind: {left}"
        book = (self._place / "a.csv").read_bytes()
        assert self._run().code == 0
        assert (self._place / "a.csv").read_bytes() == book
