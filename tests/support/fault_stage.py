"""A job that is disturbed again and again: by a fault at one of its calls, or by a kill at a random time."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path
from typing import Any, NamedTuple

from support.fault_jobs import Job, State, begin, is_after, litter, require_old_or_new, state, words_of
from support.fault_program import KILL, Ended, Program


class Kills(NamedTuple):
    """Runs that were to be killed, and those of them that a kill ended."""

    tried: int
    hit: int


class Stage:
    """A job with its state before and after; it can be run repeatedly.

    Attributes:
        old: the state before.
        new: the state after an undisturbed run.
        calls: the calls of this run that change files.
    """

    def __init__(self, job: Job, program: Program, inputs: Path, folder: Path) -> None:
        """Create the state before a job, and run it undisturbed."""
        self.job, self._program = job, program
        for left in program.temporary.iterdir():  # by a job before that was done, and not repeated
            shutil.rmtree(left)
        self._place, self._before = folder / "out", folder / "before"
        self.old: State = begin(job, inputs, self._place)
        shutil.copytree(self._place, self._before)
        self._words = words_of(job.words, inputs, self._place)
        whole = self._run()
        assert whole.code == 0, whole.err
        self.calls, self.new = whole.calls, state(self._place)
        assert self.new != self.old

    def reset(self) -> None:
        """Restore the state before the job."""
        shutil.rmtree(self._place)
        shutil.copytree(self._before, self._place)

    def _run(self, **how: Any) -> Ended:
        return self._program.run(self._words, self._place, **how)

    def seconds(self) -> float:
        """Return how long an undisturbed run takes."""
        self.reset()
        return self._run().seconds

    def disturb(self, **how: Any) -> Ended:
        """Run the job with a fault, named as for `Program.run`, and check what it prints and leaves."""
        ended = self._run(**how)
        assert "Traceback" not in ended.err, ended.err
        if ended.code > 0:
            assert ended.err.splitlines()[-1].startswith("bookbuilder: "), ended.err
        now = state(self._place)
        require_old_or_new(self.job, now, self.old, self.new)
        if ended.code == 0:
            assert self.is_done()
        return ended

    def finish(self) -> None:
        """Repeat an interrupted job: all is as after an undisturbed run, and nothing else is left."""
        if self.job.is_once and self.is_done():
            return
        ended = self._run()
        assert ended.code == 0, ended.err
        assert self.is_done(), "the repeated command gives other bytes"
        left = litter(self._place) + [path.name for path in self._program.temporary.iterdir()]
        assert left == [], f"left behind: {left}"

    def is_done(self) -> bool:
        """Return whether the state is that after the job."""
        return is_after(self.job, state(self._place), self.new)


def kill_at_calls(stage: Stage, times: int) -> Kills:
    """Kill a job at some of its calls, each time from its state before, and repeat it."""
    chance = random.Random(f"{stage.job.words} {KILL}")
    moments = chance.sample(range(1, stage.calls + 1), min(times, stage.calls))
    hit = 0
    for at in moments:
        stage.reset()
        hit += stage.disturb(at=at).code == -signal.SIGKILL
        stage.finish()
    return Kills(len(moments), hit)


def kill_at_times(stage: Stage, times: int) -> Kills:
    """Kill a job at random times, up to three times in a row, before it is repeated to its end."""
    chance = random.Random(f"{stage.job.words} {times}")
    seconds = stage.seconds()
    tried = hit = 0
    while tried < times:
        stage.reset()
        for _ in range(min(chance.choice((1, 1, 2, 3)), times - tried)):
            ended = stage.disturb(kill_after=chance.uniform(1e-4, seconds))
            tried += 1
            hit += ended.code == -signal.SIGKILL
            if stage.job.is_once and stage.is_done():
                break
        stage.finish()
    return Kills(tried, hit)
