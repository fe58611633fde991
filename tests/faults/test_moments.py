"""Every writing command, interrupted at a call that changes files, leaves the old or the new result.

Afterwards the same command gives the bytes of an undisturbed run, and leaves no other files.
"""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from support.fault_jobs import JOBS, State, begin, finish, require_old_or_new, state, words_of
from support.fault_program import KILL, Ended, Program


class Fault(NamedTuple):
    """The effect at a call: an errno or `KILL`, and whether later calls that need space fail too."""

    error: int
    is_lasting: bool = False


FAULTS = {
    "killed": Fault(KILL),
    "full disk": Fault(errno.ENOSPC, is_lasting=True),
    "broken disk": Fault(errno.EIO),
    "no handles": Fault(errno.EMFILE),
    "no permission": Fault(errno.EACCES),
}
MOST_MOMENTS = 24
"""Moments of one command in the slow run; with all commands that are some 300 of each fault."""


def assert_reported(ended: Ended) -> None:
    """Check that a failed command printed one line, and a killed command nothing."""
    assert "Traceback" not in ended.err, ended.err
    if ended.code > 0:
        assert ended.err.splitlines()[-1].startswith("bookbuilder: "), ended.err


class Stage:
    """A job with its state before and after; it can be run repeatedly."""

    def __init__(self, name: str, program: Program, inputs: Path, folder: Path) -> None:
        self.job, self.program, self.inputs = JOBS[name], program, inputs
        self.place, self.before = folder / "out", folder / "before"
        self.old: State = begin(self.job, inputs, self.place)
        shutil.copytree(self.place, self.before)
        self.words = words_of(self.job.words, inputs, self.place)
        whole = program.run(self.words, self.place)
        assert whole.code == 0, whole.err
        self.calls, self.new = whole.calls, state(self.place)
        assert self.new != self.old

    def disturb(self, at: int, fault: Fault) -> Ended:
        """Run the job with a fault at one of its calls, check the result, and repeat the job."""
        shutil.rmtree(self.place)
        shutil.copytree(self.before, self.place)
        ended = self.program.run(
            self.words, self.place, at=at, error=fault.error, is_lasting=fault.is_lasting
        )
        assert_reported(ended)
        now = state(self.place)
        require_old_or_new(self.job, now, self.old, self.new)
        if ended.code == 0:
            assert now == self.new
        finish(self.job, self.inputs, self.place, self.new)
        return ended


def disturb_often(stage: Stage, fault: Fault, times: int) -> int:
    """Disturb a job at some of its calls; return the number of runs that did not succeed."""
    chance = random.Random(f"{stage.job.words} {fault}")
    moments = chance.sample(range(1, stage.calls + 1), min(times, stage.calls))
    return sum(stage.disturb(at, fault).code != 0 for at in moments)


@pytest.mark.parametrize("name", ["tally more", "build again", "edit", "convert bin", "endgame", "merge"])
def test_kill_leaves_old_or_new_output(name: str, program: Program, inputs: Path, tmp_path: Path) -> None:
    assert disturb_often(Stage(name, program, inputs, tmp_path), FAULTS["killed"], 2) == 2


@pytest.mark.parametrize("name", ["tally more", "convert parquet"])
def test_full_disk_is_reported_and_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    assert disturb_often(Stage(name, program, inputs, tmp_path), FAULTS["full disk"], 2) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", JOBS)
def test_fault_at_any_call_leaves_old_or_new_output(
    name: str, kind: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    stage = Stage(name, program, inputs, tmp_path)
    failed = disturb_often(stage, FAULTS[kind], MOST_MOMENTS)
    assert failed >= min(2, stage.calls // 4)
