"""Evaluations by a scripted engine: the same table whatever goes wrong, and the losses computed by hand."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run
from support.scripted_judge import best_of, command, is_bad, score_of

from bookbuilder import Evals, Tally, demo
from bookbuilder.engine.drivers import workers
from bookbuilder.engine.drivers.player import PlayerFault
from bookbuilder.engine.drivers.spec import ThinkLimit, parse_engine
from bookbuilder.engine.evaluate.evaluate import Evaluated, evaluate, evaluate_tally
from bookbuilder.engine.evaluate.plan import Plan, plan_tally
from bookbuilder.errors import EvalsError
from bookbuilder.games.position import Game, as_position
from bookbuilder.journal import Journal

POSITIONS = 60


@pytest.fixture(scope="module")
def tallies() -> dict[Game, Tally]:
    """The tallies of the bundled archives."""
    return {game: Tally.from_archives(*demo(game), max_ply=20) for game in ("chess", "xiangqi")}


@pytest.fixture(scope="module")
def plan(tallies: dict[Game, Tally]) -> Plan:
    """The most reached positions of chess."""
    return plan_tally(tallies["chess"], most=POSITIONS, min_games=2, max_ply=20)


def equal(plan: Plan) -> Plan:
    """A plan whose positions get equal nodes."""
    return replace(plan, targets=[replace(target, reach=1.0) for target in plan.targets])


def evaluated(
    plan: Plan,
    folder: Path,
    *,
    fault: str = "",
    known: Evals | None = None,
    game: Game = "chess",
    **options: Any,
) -> Evaluated:
    """Evaluate a plan with the scripted engine."""
    text = command(folder / "log", game, fault)
    spec = parse_engine(text, game, name="scripted", options=(), limit=ThinkLimit(nodes=1))
    journal = folder / "a.journal"
    options = {"nodes": 100, "verify_cp": None, **options}
    return evaluate(plan, game, spec, known=known, journal=journal, **options)


def test_plan_has_the_most_reached_positions_of_the_tally(tallies: dict[Game, Tally], plan: Plan) -> None:
    tally = tallies["chess"]
    assert len(plan.targets) == POSITIONS
    reached = [tally.reached(target.position) for target in plan.targets]
    assert reached == sorted(reached, reverse=True)
    assert plan.targets[0].position == as_position("startpos", "chess")
    for target, games in zip(plan.targets, reached, strict=True):
        assert (target.key, target.lock) == target.position.stored(True)
        assert target.reach == pytest.approx(games / reached[0])
    everything = tally.tree(max_ply=20, min_games=2)
    least = (
        everything.loc[~everything["is_again"], "reached"].sort_values(ascending=False).iloc[POSITIONS - 2]
    )
    assert reached[-1] == least


@pytest.mark.parametrize("fault", ["die-often", ""])
@pytest.mark.parametrize("jobs", [1, 3])
def test_crashing_engine_gives_the_table_of_a_sound_one(
    plan: Plan, tmp_path: Path, fault: str, jobs: int
) -> None:
    sound = evaluated(plan, tmp_path)
    (tmp_path / "a.journal").unlink()
    assert evaluated(plan, tmp_path, fault=fault, jobs=jobs).evals.table == sound.evals.table


@pytest.mark.parametrize("fault", ["illegal-some", "slow-some"])
def test_position_where_the_engine_fails_costs_only_its_evaluation(
    plan: Plan, tmp_path: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "TIMEOUT_SECONDS", 0.5)
    small = Plan(plan.targets[:12], [], plan.fold)
    bad = {each.position.fen for each in small.targets if is_bad(each.position)}
    assert 0 < len(bad) < 6
    done = evaluated(small, tmp_path, fault=fault, jobs=3)
    assert {fen for fen, _ in done.failed} == bad
    assert len(done.evals) == 12 - len(bad)


def test_most_reached_positions_come_first_in_a_limited_time(plan: Plan, tmp_path: Path) -> None:
    done = evaluated(plan, tmp_path, seconds=0)
    start = plan.targets[0]
    assert done.searched == 1
    assert [(row["key"], row["lock"]) for row in done.evals.table.to_pylist()] == [(start.key, start.lock)]


@pytest.mark.parametrize(("fault", "what"), [("die", "has ended|engine"), ("silent", "gave no score")])
def test_engine_that_always_fails_ends_the_run(plan: Plan, tmp_path: Path, fault: str, what: str) -> None:
    few = Plan(plan.targets[:3], [], plan.fold)
    for part, where in ((few, "every position"), (plan, "20 positions in a row")):
        with pytest.raises(PlayerFault, match=f"({what}).*{where}"):
            evaluated(part, tmp_path, fault=fault)


def test_known_searches_are_not_made_again(plan: Plan, tmp_path: Path) -> None:
    half = Plan(plan.targets[::2], [], plan.fold)
    first = evaluated(equal(half), tmp_path)
    (tmp_path / "a.journal").unlink()
    second = evaluated(equal(plan), tmp_path, known=first.evals)
    assert (second.known, second.searched) == (POSITIONS / 2, POSITIONS / 2)
    other = evaluated(equal(plan), tmp_path, known=second.evals, nodes=200, verify_cp=60)
    assert other.known == 0 or other.searched > POSITIONS


def test_run_resumes_from_its_journal_with_a_torn_last_line(plan: Plan, tmp_path: Path) -> None:
    whole = evaluated(plan, tmp_path)
    journal = tmp_path / "a.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:21]) + lines[21][:15])
    again = evaluated(plan, tmp_path)
    assert (again.known, again.searched) == (20, POSITIONS - 20)
    assert again.evals.table == whole.evals.table


def test_journal_of_another_run_is_refused(plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "a.journal"
    with Journal(path, {"evaluation": {"game": "xiangqi"}}):
        pass  # a run without a result leaves it to another run
    evaluated(plan, tmp_path)
    for head, why in (({"evaluation": {}}, "other options"), ({"match": 1}, "of this kind")):
        path.unlink()
        with Journal(path, head) as journal:
            journal.append({"key": 1})
        with pytest.raises(EvalsError, match=why):
            evaluated(plan, tmp_path)


def test_moves_that_lose_are_searched_again_and_listed(plan: Plan, tmp_path: Path) -> None:
    plan = equal(plan)
    done = evaluated(plan, tmp_path, verify_cp=60)
    scores = [score_of(target.position) for target in plan.targets]
    best = [best_of(target.position) for target in plan.targets]
    losses = {}
    for move in plan.moves:
        is_own = plan.targets[move.before].position.coordinates(move.code) == best[move.before]
        losses[move] = 0 if is_own else max(0, scores[move.before] + scores[move.after])
    expected = {move: loss for move, loss in losses.items() if loss > 60}
    assert {each.move: each.loss_cp for each in done.losing} == expected
    assert expected
    doubtful = {end for move, loss in losses.items() if loss > 30 for end in (move.before, move.after)}
    assert done.searched == POSITIONS + len(doubtful)
    limits = done.evals.table.column("limit").to_pylist()
    assert limits.count("nodes=400") == len(doubtful)
    assert done.compared == len(plan.moves)


def test_python_agrees_with_the_command(store: Path, tmp_path: Path) -> None:
    log, output = tmp_path / "log", tmp_path / "a.evals"
    assert run(*words(store, output, log, "--min-games", "1")).code == 0
    tally, search = Tally.open(store), {"nodes": 100, "min_games": 1, "engine": command(log)}
    evals = evaluate_tally(tally, positions=30, **search)
    assert evals.table.equals(Evals.read(output).table)
    few = evaluate_tally(tally, positions=9, **search)
    assert few.positions == 9 < evaluate_tally(tally, positions=30, known=few, **search).positions


def words(store: Path, output: Path, log: Path, *more: str) -> list[str]:
    """Return the words of a small evaluation."""
    given = ["evaluate", str(store), "-o", str(output), "--engine", command(log), "--positions", "30"]
    return [*given, "--nodes", "100", "--quiet", *more]


@pytest.fixture
def store(chess_pgn: Path, tmp_path: Path) -> Path:
    """A small store."""
    assert run("tally", chess_pgn, "-o", tmp_path / "a.store", "--quiet").code == 0
    return tmp_path / "a.store"


def test_command_writes_evaluations_and_removes_its_journal(store: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.evals"
    ran = run(*words(store, output, tmp_path / "log", "--min-games", "1", "--json"))
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert answer["rows"] == len(Evals.read(output)) == answer["searched"]
    assert sorted(each.name for each in tmp_path.glob("a.evals*")) == ["a.evals"]
    before = output.read_bytes()
    again = json.loads(run(*words(store, output, tmp_path / "log", "--min-games", "1", "--json")).out)
    assert (again["searched"], again["known"]) == (0, answer["searched"])
    assert output.read_bytes() == before


def test_command_refuses_what_it_cannot_evaluate(store: Path, chess_pgn: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    ran = run(*words(chess_pgn, tmp_path / "a.evals", log))
    assert (ran.code, ran.out) == (2, "")
    assert "expected a tally store" in ran.err
    ran = run(*words(store, chess_pgn, log))
    assert ran.code == 3
    assert "not a file of evaluations" in ran.err
    Evals.empty("xiangqi").write(tmp_path / "x.evals")
    ran = run(*words(store, tmp_path / "x.evals", log))
    assert ran.code == 3
    assert "has evaluations of xiangqi; give another name" in ran.err
    ran = run(*words(store, tmp_path, log))
    assert (ran.code, "is a directory" in ran.err) == (4, True)


@pytest.mark.parametrize("hits", [1, 9, 25])
def test_killed_command_resumes_to_the_same_bytes(store: Path, tmp_path: Path, hits: int) -> None:
    log, output, whole = tmp_path / "log", tmp_path / "a.evals", tmp_path / "whole.evals"
    more = ("--min-games", "1")
    assert run(*words(store, whole, tmp_path / "other", *more)).code == 0
    line = [sys.executable, "-P", "-m", "bookbuilder", *words(store, output, log, *more)]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if log.exists() and log.read_bytes().count(b"\n") >= hits:
            process.send_signal(signal.SIGKILL)
            process.wait()
        time.sleep(0.001)
    ran = run(*words(store, output, log, *more))
    assert ran.code == 0, ran.err
    assert output.read_bytes() == whole.read_bytes()
