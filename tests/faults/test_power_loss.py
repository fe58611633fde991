"""Every writing command, cut off by a power loss that takes unsynced writes with it.

A command runs once, undisturbed and recorded. `lost_writes` says what the disk may hold after each of its
calls: the old state or the new one, and never anything else. Once the command has ended, all is there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.fault_jobs import JOBS, state, words_of
from support.fault_program import Program
from support.fault_stage import Stage
from support.lost_writes import EVERYTHING, NOTHING, Cut, cuts, read_calls, tree_of

MOMENTS = 120
"""Moments of one command in the slow run: more than most commands have calls."""
SEEDS = 10
"""Random losses at a moment, in the slow run."""


def check_cuts(stage: Stage, found: Iterable[Cut]) -> None:
    """Check states after a power loss, and that the next run ends as an undisturbed one."""
    for cut in found:
        print(cut)  # shown if it fails
        stage.reset(cut.tree)
        stage.check()
        stage.finish()


def check_losses(name: str, program: Program, inputs: Path, folder: Path, moments: int, seeds: int) -> int:
    """Check states after a power loss, and that nothing is lost after the end; return their number."""
    stage = Stage(JOBS[name], program, inputs, folder, folder / "calls")
    calls, after = read_calls(folder / "calls"), tree_of(stage.place)
    found = list(cuts(stage.disk, calls, moments=moments, seeds=seeds, seed=stage.job.words))
    assert stage.disk.after(EVERYTHING) == after, "a call was not recorded"
    check_cuts(stage, found)
    stage.reset(stage.disk.after(NOTHING))
    assert state(stage.place) == stage.new, "the command has ended, and its result is lost"
    return len(found)


@pytest.mark.parametrize("name", ["tally more", "build again", "edit", "convert bin", "merge"])
def test_power_loss_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    assert check_losses(name, program, inputs, tmp_path, 4, 2) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_power_loss_at_any_call_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    print(f"FIGURE {name}: {check_losses(name, program, inputs, tmp_path, MOMENTS, SEEDS)} states")


def begin_tally(program: Program, inputs: Path, folder: Path) -> Path:
    """Kill a tally when all parts of its store are counted, but none is in its place; return its folder."""
    at = 0
    for at in range(1, 100):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        words = words_of("tally IN/other.pgn -o OUT/a.store --jobs 1", inputs, folder)
        assert program.run(words, folder, at=at).code < 0
        if list(folder.glob("a.store/.tmp-work/part-*.json")):
            return folder
    raise AssertionError(f"no state found before call {at}")


def test_power_loss_mixes_no_run_with_an_earlier_one(program: Program, inputs: Path, tmp_path: Path) -> None:
    """The parts of an interrupted run differ from those of another plan, whatever names survive."""
    place = begin_tally(program, inputs, tmp_path / "begun")
    stage = Stage(JOBS["tally new"], program, inputs, tmp_path, tmp_path / "calls", place)
    calls = read_calls(tmp_path / "calls")
    plan = next(number for number, call in enumerate(calls) if call.two.name == "plan.json")
    found = list(cuts(stage.disk, calls[: plan + 2], moments=99, seeds=20, seed="plan"))
    assert len(found) > 10
    check_cuts(stage, found)
