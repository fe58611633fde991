"""Fixtures of the fault tests: inputs, and the command line with system calls that fail on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.fault_jobs import make_inputs
from support.fault_program import Program, build_faults, warm_program
from support.fault_stage import Kills
from support.pressure_jobs import make_more_inputs


@pytest.fixture(scope="session")
def inputs(data: Path, chess_pgn: Path, xiangqi_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the inputs of the jobs."""
    return make_inputs(tmp_path_factory.mktemp("faults") / "in", data, [chess_pgn, xiangqi_zip])


@pytest.fixture(scope="session")
def more_inputs(inputs: Path) -> Path:
    """The folder with the inputs of all commands that write."""
    return make_more_inputs(inputs)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The command line in a process that has imported everything."""
    folder = tmp_path_factory.mktemp("program")
    with warm_program(build_faults(folder), folder / "scratch") as warm:
        yield warm


KILLS = pytest.StashKey[Counter[str]]()


@pytest.fixture
def count_kills(request: pytest.FixtureRequest) -> Callable[[str, Kills], None]:
    """A function that adds kills of a kind to the summary."""
    found = request.config.stash.setdefault(KILLS, Counter())

    def count(kind: str, kills: Kills) -> None:
        found[f"{kind}: runs"] += kills.tried
        found[f"{kind}: killed"] += kills.hit

    return count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many kills hit."""
    for kind, number in config.stash.get(KILLS, Counter()).items():
        terminalreporter.write_line(f"{kind} {number:,}")
