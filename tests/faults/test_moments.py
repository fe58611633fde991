"""Every writing command, interrupted at a call that changes files, leaves the old or the new result.

Afterwards the same command gives the bytes of an undisturbed run, and leaves no other files.
"""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path
from typing import NamedTuple

import pytest
from support.fault_jobs import JOBS
from support.fault_program import KILL, Program
from support.fault_stage import Stage
from support.pressure_jobs import PRESSED


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
MOMENTS = int(os.environ.get("MOMENTS", "24"))
"""Moments of one command in the slow run; 24 with all commands are some 300 of each fault."""


def disturb_often(stage: Stage, fault: Fault, times: int) -> int:
    """Disturb a job at some of its calls; return the number of runs that did not succeed."""
    chance = random.Random(f"{stage.job.words} {fault}")
    moments = chance.sample(range(1, stage.calls + 1), min(times, stage.calls))
    failed = 0
    for at in moments:
        stage.reset()
        ended = stage.disturb(at=at, error=fault.error, is_lasting=fault.is_lasting)
        failed += ended.code != 0
        stage.finish()
    return failed


@pytest.mark.parametrize("name", ["tally more", "build again", "edit", "convert bin", "endgame", "merge"])
def test_kill_leaves_old_or_new_output(name: str, program: Program, inputs: Path, tmp_path: Path) -> None:
    assert disturb_often(Stage(JOBS[name], program, inputs, tmp_path), FAULTS["killed"], 2) == 2


@pytest.mark.parametrize("name", ["tally more", "convert parquet"])
def test_full_disk_is_reported_and_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    assert disturb_often(Stage(JOBS[name], program, inputs, tmp_path), FAULTS["full disk"], 2) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("name", PRESSED)
def test_fault_at_any_call_leaves_old_or_new_output(
    name: str, kind: str, program: Program, more_inputs: Path, tmp_path: Path
) -> None:
    stage = Stage(PRESSED[name], program, more_inputs, tmp_path)
    failed = disturb_often(stage, FAULTS[kind], MOMENTS)
    assert failed >= min(2, stage.calls // 4)
