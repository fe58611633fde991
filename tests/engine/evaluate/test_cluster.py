"""Engines on a Dask cluster: the evaluations are those of engines here, and nothing stays behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support.dask_workers import two_workers
from support.scripted_judge import command

from bookbuilder import Evals, Tally, demo
from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
from bookbuilder.engine.evaluate.evaluate import Evaluated, EvaluateOptions, evaluate
from bookbuilder.engine.evaluate.plan import Plan, plan_tally
from bookbuilder.errors import OptionError

distributed = pytest.importorskip("distributed", reason='needs the extra "cluster"')

HERE = EvaluateOptions(nodes=100, verify_cp=60)


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Some of the most reached positions."""
    return plan_tally(Tally.from_archives(*demo("chess"), max_ply=12), most=40, min_games=2, max_ply=12)


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory) -> Iterator[distributed.LocalCluster]:
    """Two worker processes."""
    with two_workers(tmp_path_factory.mktemp("workers")) as cluster:
        yield cluster


def evaluated(
    plan: Plan,
    folder: Path,
    address: str | None,
    *,
    fault: str = "",
    engine: str = "",
    report: Callable[[int], None] = lambda _done: None,
) -> Evaluated:
    """Evaluate a plan with the scripted engine, here or on a cluster."""

    @contextmanager
    def progress(_what: str, _total: int) -> Iterator[Callable[[int], None]]:
        yield report

    text = engine or command(folder / "log", "chess", fault)
    spec = parse_engine(text, "chess", name="scripted", options=(), limit=ThinkLimit(nodes=1))
    options, journal = replace(HERE, cluster=address), folder / f"{address is None}.journal"
    return evaluate(plan, "chess", spec, options, known=None, journal=journal, progress=progress)


def table_of(evals: Evals) -> list[dict[str, object]]:
    return evals.table.to_pylist()


def test_evaluations_are_those_of_engines_here(crew, plan: Plan, tmp_path: Path) -> None:
    here, there = (evaluated(plan, tmp_path, where) for where in (None, crew.scheduler_address))
    assert table_of(there.evals) == table_of(here.evals)
    assert there.losing == here.losing
    assert not there.failed


def test_missing_cluster_is_named(plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bookbuilder.tally.cluster.client._CONNECT_SECONDS", 1)
    with pytest.raises(OptionError, match="no Dask scheduler answers there"):
        evaluated(plan, tmp_path, "127.0.0.1:9")


def test_killed_worker_changes_nothing(crew, plan: Plan, tmp_path: Path) -> None:
    here = evaluated(plan, tmp_path, None)

    with distributed.Client(crew.scheduler_address, set_as_default=False) as client:
        workers = [*client.run(os.getpid).values()]

        def kill(done: int) -> None:
            if done == 3 and len(workers) == 2:
                os.kill(workers.pop(), signal.SIGKILL)

        there = evaluated(plan, tmp_path, crew.scheduler_address, report=kill)
    assert table_of(there.evals) == table_of(here.evals)


def test_no_engine_stays_behind(crew, plan: Plan, tmp_path: Path) -> None:
    assert engines_of(crew) == []
    during: list[str] = []
    evaluated(plan, tmp_path, crew.scheduler_address, report=lambda _: during.extend(engines_of(crew)))
    assert during
    assert engines_of(crew) == []


def engines_of(crew) -> list[str]:
    """The command lines of the processes that workers started."""

    # A function of its own text: workers cannot import tests.
    def children() -> list[str]:
        import psutil

        return [" ".join(each.cmdline()) for each in psutil.Process().children(recursive=True)]

    with distributed.Client(crew.scheduler_address, set_as_default=False) as client:
        return [each for found in client.run(children).values() for each in found]
