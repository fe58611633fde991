"""A job that is disturbed again and again: by a fault at a call, a kill at a random time, or a limit."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

from support.fault_jobs import Job, State, begin, litter, require_old_or_new, state, words_of
from support.fault_program import Ended, Program
from support.lost_writes import Disk, Tree, write_tree


class Stage:
    """A job with its state before and after; it can be run repeatedly.

    Attributes:
        job: the job.
        place: the folder of its outputs.
        words: the command.
        old: the state before.
        new: the state after an undisturbed run.
        whole: the end of this run.
        disk: the folder of the outputs before this run.
    """

    def __init__(
        self,
        job: Job,
        program: Program,
        inputs: Path,
        folder: Path,
        record: Path | None = None,
        before: Path | None = None,
    ) -> None:
        """Create the state before a job, or take that of `before`, and run it; `record` gets its calls."""
        self.job, self._program = job, program
        for left in program.temporary.iterdir():  # by a job before that was done, and not repeated
            shutil.rmtree(left)
        self.place, self._before = folder / "out", folder / "before"
        self.old: State = (
            begin(job, inputs, self.place) if before is None else state(before.rename(self.place))
        )
        shutil.copytree(self.place, self._before)
        self.words, self.disk = words_of(job.words, inputs, self.place), Disk(self.place)
        self.whole = self._run(record=record)
        assert self.whole.code == 0, self.whole.err
        self.new = state(self.place)
        assert self.new != self.old

    def reset(self, tree: Tree | None = None) -> None:
        """Restore the state before the job, or another one."""
        shutil.rmtree(self.place)
        if tree is None:
            shutil.copytree(self._before, self.place)
        else:
            write_tree(tree, self.place)

    def _run(self, **how: Any) -> Ended:
        return self._program.run(self.words, self.place, **how)

    def disturb(self, **how: Any) -> Ended:
        """Run the job with a fault, named as for `Program.run`, and check what it prints and leaves."""
        ended = self._run(**how)
        self.check()
        if ended.code == 0:
            assert self.is_done()
        return ended

    def check(self) -> None:
        """Require the state before or after the job."""
        require_old_or_new(self.job, state(self.place), self.old, self.new)

    def finish(self) -> None:
        """Repeat an interrupted job: all is as after an undisturbed run, and nothing else is left."""
        if self.job.is_once and self.is_done():
            return
        ended = self._run()
        assert ended.code == 0, ended.err
        assert self.is_done(), "the repeated command gives other bytes"
        left = litter(self.place) + [path.name for path in self._program.temporary.iterdir()]
        assert left == [], f"left behind: {left}"

    def is_done(self) -> bool:
        """Return whether the state is that after the job."""
        return state(self.place) == self.new

    def chosen_calls(self, times: int, seed: str) -> list[int]:
        """Return the numbers of some of the calls of the undisturbed run."""
        calls = self.whole.calls
        return random.Random(f"{self.job.words} {seed}").sample(range(1, calls + 1), min(times, calls))


def assert_reported_in_a_line(ended: Ended) -> None:
    """Require that a command that failed says why in its last line."""
    assert "Traceback" not in ended.err, ended.err
    if ended.code > 0:
        assert ended.err.splitlines()[-1].startswith("bookbuilder: "), ended.err
