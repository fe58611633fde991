"""Fixtures of the fault tests: inputs, and the command line with system calls that fail on request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.fault_jobs import JOBS, make_inputs
from support.fault_program import Program, build_faults, warm_program
from support.fault_stage import Stage


@pytest.fixture(scope="session")
def inputs(data: Path, chess_pgn: Path, xiangqi_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the inputs of the jobs."""
    return make_inputs(tmp_path_factory.mktemp("faults") / "in", data, [chess_pgn, xiangqi_zip])


ROWS_PER_PART = 512
"""Rows of a part of a store, so that small stores have several."""


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The command line in a process that has imported everything."""
    folder = tmp_path_factory.mktemp("program")
    with warm_program(build_faults(folder), folder / "scratch", rows_per_part=ROWS_PER_PART) as warm:
        yield warm


@pytest.fixture(autouse=True)
def _halve_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the stores before a job parts of half the size, so that some commands merge them."""
    monkeypatch.setattr("bookbuilder.tally.store.reduce.ROWS_PER_PART", ROWS_PER_PART // 2)


@pytest.fixture
def stage(name: str, program: Program, inputs: Path, tmp_path: Path) -> Stage:
    """The job of a test's parameter `name`, run once undisturbed."""
    return Stage(JOBS[name], program, inputs, tmp_path)
