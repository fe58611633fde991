"""Every writing command, killed or with a failing call, leaves the old or the new result.

Afterwards the same command gives the bytes of an undisturbed run, and leaves no other files. Stores have
several parts of few rows.
"""

from __future__ import annotations

import errno
import os
import random
import signal
from typing import Final

import pytest
from support.fault_jobs import JOBS
from support.fault_program import KILL
from support.fault_stage import Stage, assert_reported_in_a_line

FAULTS: Final = {
    "killed": KILL,
    "full disk": errno.ENOSPC,
    "broken disk": errno.EIO,
    "interrupted call": errno.EINTR,
    "no handles": errno.EMFILE,
    "no permission": errno.EACCES,
}
"""The effect at a call. On a full disk later calls that need space fail too."""
MOMENTS: Final = int(os.environ.get("MOMENTS", "24"))
"""Moments of one command in the slow run; 24 with all commands are some 1,000 of each fault."""
SOME: Final = ("tally more", "build again", "edit", "convert bin", "endgame", "merge")


def disturb_often(stage: Stage, kind: str, times: int) -> int:
    """Disturb a job at some of its calls; return the number of runs that did not succeed."""
    failed = 0
    for at in stage.chosen_calls(times, kind):
        stage.reset()
        ended = stage.disturb(at=at, error=FAULTS[kind], is_lasting=kind == "full disk")
        assert_reported_in_a_line(ended)
        failed += ended.code != 0
        stage.finish()
    return failed


def kill_at_times(stage: Stage, times: int) -> int:
    """Kill a job at random times, up to three times in a row, and repeat it; return the kills that hit it."""
    chance = random.Random(f"{stage.job.words} {times}")
    tried = hit = 0
    while tried < times:
        stage.reset()
        for _ in range(chance.choice((1, 1, 2, 3))):
            ended = stage.disturb(kill_after=chance.uniform(1e-4, stage.whole.seconds))
            tried += 1
            hit += ended.code == -signal.SIGKILL
            if stage.job.is_once and stage.is_done():
                break
        stage.finish()
    return hit


@pytest.mark.parametrize("kind", ["killed", "full disk", "interrupted call"])
@pytest.mark.parametrize("name", SOME)
def test_fault_leaves_old_or_new_output(kind: str, stage: Stage) -> None:
    failed = disturb_often(stage, kind, 2)
    assert failed == 2 or kind != "killed"


@pytest.mark.parametrize("name", ["tally more", "edit", "convert games"])
def test_kill_at_random_time_leaves_old_or_new_output(stage: Stage) -> None:
    kill_at_times(stage, 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*FAULTS, "killed at random times"])
@pytest.mark.parametrize("name", JOBS)
def test_any_fault_leaves_old_or_new_output(name: str, kind: str, stage: Stage) -> None:
    failed = disturb_often(stage, kind, MOMENTS) if kind in FAULTS else kill_at_times(stage, MOMENTS)
    assert failed > 0 or kind == "interrupted call"
    print(f"FIGURE {name}, {kind}: {failed} runs failed")
