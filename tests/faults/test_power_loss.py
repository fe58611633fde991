"""Every writing command, cut off by a power loss that takes unsynced writes with it.

A command runs once, undisturbed and recorded. `lost_writes` says what the disk may hold after each of its
calls: the old state or the new one, and never anything else. Once the command has ended, all is there.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.fault_jobs import (
    JOBS,
    Job,
    begin,
    done,
    finish,
    litter,
    require_old_or_new,
    state,
    words_of,
)
from support.fault_program import Program
from support.lost_writes import Disk, read_calls, tree_of, write_tree
from support.power_loss import EVERYTHING, NOTHING, Cut, cuts
from support.pressure_jobs import PRESSED

MOMENTS = 120
"""Moments of one command in the slow run: more than most commands have calls."""
SEEDS = 10
"""Random losses at a moment, in the slow run."""


class Recorded:
    """A job that ran once, recorded."""

    def __init__(
        self, job: Job, program: Program, inputs: Path, folder: Path, before: Path | None = None
    ) -> None:
        """Run a job from the state that it names, or from that of another folder."""
        self.job, self.inputs, self.place = job, inputs, folder / "out"
        self.old = begin(job, inputs, self.place) if before is None else state(before.rename(self.place))
        self.disk = Disk(self.place)
        words = words_of(self.job.words, inputs, self.place)
        ended = program.run(words, self.place, record=folder / "calls")
        assert ended.code == 0, ended.err
        self.calls, self.new = read_calls(folder / "calls"), state(self.place)
        self.after = tree_of(self.place)

    def check(self, cut: Cut) -> None:
        """Put a state on the disk: it is the old or the new one, and the job again gives the new one."""
        shutil.rmtree(self.place)
        write_tree(cut.tree, self.place)
        require_old_or_new(self.job, state(self.place), self.old, self.new)
        finish(self.job, self.inputs, self.place, self.new)

    def check_all(self, moments: int, seeds: int) -> int:
        """Check states at some moments, and that nothing is lost after the end; return their number."""
        found = list(cuts(self.disk, self.calls, moments=moments, seeds=seeds, seed=self.job.words))
        assert self.disk.after(EVERYTHING) == self.after, "a call was not recorded"
        for cut in found:
            print(cut)  # shown if it fails
            self.check(cut)
        shutil.rmtree(self.place)
        write_tree(self.disk.after(NOTHING), self.place)
        assert state(self.place) == self.new, "the command has ended, and its result is lost"
        return len(found)


@pytest.mark.parametrize("name", ["tally more", "build again", "edit", "convert bin", "merge"])
def test_power_loss_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path
) -> None:
    assert Recorded(JOBS[name], program, inputs, tmp_path).check_all(4, 2) > 2


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESSED)
def test_power_loss_at_any_call_leaves_old_or_new_output(
    name: str, program: Program, more_inputs: Path, tmp_path: Path
) -> None:
    recorded = Recorded(PRESSED[name], program, more_inputs, tmp_path)
    count = recorded.check_all(MOMENTS, SEEDS)
    print(f"FIGURE {name}: {len(recorded.calls)} calls, {count} states")


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
    """The parts of an interrupted run are not those of another plan, whichever of their names survive."""
    job = Job("tally IN/chess.pgn -o OUT/a.store --jobs 1")
    before = begin_tally(program, inputs, tmp_path / "begun")
    recorded = Recorded(job, program, inputs, tmp_path, before)
    plan = next(place for place, call in enumerate(recorded.calls) if call.two.name == "plan.json")
    recorded.calls = recorded.calls[: plan + 2]
    found = list(cuts(recorded.disk, recorded.calls, moments=99, seeds=20, seed="plan"))
    assert len(found) > 10
    for cut in found:
        print(cut)  # shown if it fails
        recorded.check(cut)


@pytest.mark.slow
def test_grown_book_resumes_after_power_loss(program: Program, inputs: Path, tmp_path: Path) -> None:
    """The command reads a log of any state, and what it adds is what an undisturbed run has added."""
    grow = "book grow IN/a.store -o OUT/a.csv --searches 12 --nodes 50 --min-games 2 --force -q"
    job = Job(grow, grows=("a.csv.growth",))
    recorded = Recorded(job, program, inputs, tmp_path)
    [whole] = recorded.new["a.csv.growth"].values()
    for cut in cuts(recorded.disk, recorded.calls, moments=10, seeds=2, seed=grow):
        print(cut)  # shown if it fails
        shutil.rmtree(recorded.place)
        write_tree(cut.tree, recorded.place)
        require_old_or_new(job, state(recorded.place), recorded.old, recorded.new)
        done(grow, inputs, recorded.place)
        assert (recorded.place / "a.csv.growth").read_bytes().startswith(whole)
        assert litter(recorded.place) == []
