"""Every writing command, killed thousands of times: at calls and at random times, on small and real inputs.

`MOMENTS` sets the number of kills. The summary of the tests counts those that hit: the process has ended by
the signal, before the command was done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.fault_jobs import JOBS
from support.fault_program import Program, build_faults, warm_program
from support.fault_stage import Kills, Stage, kill_at_calls, kill_at_times
from support.growth_kills import Growth
from support.pressure_jobs import (
    COMPACTING,
    PRESSED,
    REAL,
    ROWS_PER_PART,
    SLOW,
    make_real_inputs,
)

MOMENTS = int(os.environ.get("MOMENTS", "24"))
"""Kills of a command at calls, and kills at times. Slow commands get a quarter, and so do real inputs."""
FEW = 4

Count = Callable[[str, Kills], None]


def press(stage: Stage, name: str, size: str, count: Count) -> None:
    """Kill a job at calls and at times, and count the kills."""
    moments = MOMENTS // (4 if size == "real" else 1) // (4 if name in SLOW else 1)
    for where, kill in (("calls", kill_at_calls), ("random times", kill_at_times)):
        kills = kill(stage, max(moments, FEW))
        count(f"at {where}, {size} inputs", kills)
        assert kills.hit > 0


@pytest.fixture(scope="module")
def real_program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The command line, with stores in parts that suit the real inputs."""
    folder = tmp_path_factory.mktemp("real")
    with warm_program(build_faults(folder), folder / "scratch", rows_per_part=ROWS_PER_PART) as warm:
        yield warm


@pytest.fixture(scope="module")
def real_inputs(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Inputs of real size, and stores in the same parts as those of `real_program`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bookbuilder.tally.store.reduce.ROWS_PER_PART", ROWS_PER_PART)
        yield make_real_inputs(tmp_path_factory.mktemp("real") / "in", corpus)


@pytest.mark.parametrize("name", ["tally more", "edit", "convert games"])
def test_kill_at_random_time_leaves_old_or_new_output(
    name: str, program: Program, inputs: Path, tmp_path: Path, count_kills: Count
) -> None:
    kills = kill_at_times(Stage(JOBS[name], program, inputs, tmp_path), FEW)
    count_kills("at random times, small inputs", kills)
    assert kills.tried == FEW


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESSED)
def test_any_kill_leaves_old_or_new_output(
    name: str, program: Program, more_inputs: Path, tmp_path: Path, count_kills: Count
) -> None:
    press(Stage(PRESSED[name], program, more_inputs, tmp_path), name, "small", count_kills)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("name", REAL)
def test_any_kill_on_real_inputs_leaves_old_or_new_output(
    name: str, real_program: Program, real_inputs: Path, tmp_path: Path, count_kills: Count
) -> None:
    press(Stage(REAL[name], real_program, real_inputs, tmp_path), name, "real", count_kills)


@pytest.mark.slow
@pytest.mark.corpus
def test_any_kill_of_compacting_leaves_old_or_new_store(
    real_program: Program,
    real_inputs: Path,
    tmp_path: Path,
    count_kills: Count,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The store has parts of half the size, so that all of them are merged."""
    monkeypatch.setattr("bookbuilder.tally.store.reduce.ROWS_PER_PART", ROWS_PER_PART // 2)
    press(Stage(COMPACTING, real_program, real_inputs, tmp_path), "tally compact", "real", count_kills)


@pytest.mark.slow
def test_any_kill_of_growing_leaves_a_log_that_grows_on(
    program: Program, more_inputs: Path, tmp_path: Path, count_kills: Count
) -> None:
    """The run that ends has the log of an undisturbed one, and the book is that of the log."""
    growth = Growth(program, more_inputs, tmp_path)
    for where in ("calls", "random times"):
        count_kills(f"at {where}, small inputs", growth.kill(where, max(MOMENTS // 4, FEW)))
