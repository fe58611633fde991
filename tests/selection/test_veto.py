"""The engine's veto: by hand on a small tally, in both shapes, in recipes and in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.cli_runner import run

from bookbuilder import Evals, Selection, Tally, as_position, explain, select
from bookbuilder.errors import SelectionError
from bookbuilder.evals.table import Valued
from bookbuilder.schema import EVALS
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.selection.engine import expected, fitted_scale
from bookbuilder.selection.evidence import as_evidence
from bookbuilder.selection.options import SelectionOptions

# 40 games: 1. e4 e5 2. Nf3 is played 30 times, 2. Ba6 10 times, and White wins all of those.
GAMES = {"1. e4 e5 2. Nf3 Nc6": ("1-0", "0-1", "1/2-1/2") * 10, "1. e4 e5 2. Ba6 bxa6": ("1-0",) * 10}
GOOD, BAD, BEFORE = "1.e4 e5 2.Nf3", "1.e4 e5 2.Ba6", "1.e4 e5"
OPTIONS = {"min_games": 1, "margin": None}


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    """The tally of these games."""
    path = tmp_path_factory.mktemp("veto") / "a.pgn"
    games = [(line, result) for line, results in GAMES.items() for result in results]
    path.write_text("".join(f'[Result "{result}"]\n\n{line} {result}\n\n' for line, result in games))
    return Tally.from_archives(path)


def evals_of(
    scores: Mapping[str, int], *, best: Mapping[str, str] | None = None, nodes: tuple[int, ...] = (100, 400)
) -> Evals:
    """Return evaluations of lines, equal for each number of nodes."""
    rows = []
    for line, score in scores.items():
        here = as_position(line, "chess")
        code = here.parse_move((best or {})[line]) if line in (best or {}) else None
        for count in nodes:
            key, lock = here.stored(False)
            known = {"engine": "E", "network": None, "limit": f"nodes={count}", "depth": 9, "nodes": count}
            rows.append({"key": key, "lock": lock, **known, "score": score, "best": code})
    return Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "chess")


def reason_of(chosen: Selection, line: str) -> str:
    """Return the reason of the last move of a line, or of the position after it."""
    *_, last = line.split()
    before = line.removesuffix(last).removesuffix("2.").strip()
    rows = explain_rows(chosen, before)
    return str(rows.loc[rows["san"] == last.removeprefix("2."), "reason"].iloc[0])


def explain_rows(chosen: Selection, line: str):
    """Return the explanation at a line."""
    assert chosen.origin is not None
    return explain(chosen.origin.tally, chosen, line)


@pytest.mark.parametrize("shape", ["moves", "positions"])
@pytest.mark.parametrize(("loss", "reason"), [(59, ""), (60, ""), (61, "engine-veto"), (300, "engine-veto")])
def test_move_that_loses_more_than_the_limit_is_dropped(
    tally: Tally, shape: str, loss: int, reason: str
) -> None:
    evals = evals_of({BEFORE: 30, GOOD: -30, BAD: loss - 30})
    chosen = select(tally, evals=evals, shape=shape, **OPTIONS)
    assert (reason_of(chosen, BAD), reason_of(chosen, GOOD)) == (reason, "")


@pytest.mark.parametrize(("loss", "reason"), [(100, ""), (101, "engine-veto")])
def test_limit_of_xiangqi_is_higher(xiangqi_zip: Path, loss: int, reason: str) -> None:
    tally = Tally.from_archives(xiangqi_zip)
    start = as_position("startpos", "xiangqi")
    code = start.parse_move(str(tally.moves(start)["move"].iloc[0]))
    rows = []
    for position, score in ((start, 0), (start.play(code), loss)):
        key, lock = position.stored(True)
        known = {"key": key, "lock": lock, "engine": "E", "network": None, "depth": 9, "best": None}
        rows += [{**known, "limit": f"nodes={n}", "nodes": n, "score": score} for n in (100, 400)]
    evals = Evals.of(pa.Table.from_pylist(rows, schema=EVALS), "xiangqi", fold=True)
    moves = explain(tally, select(tally, evals=evals, **OPTIONS), start)
    assert moves["reason"].iloc[0] == reason


@pytest.mark.parametrize(
    ("own", "after_own", "reason"),
    [
        ("g1f3", -30, "engine-veto"),
        ("g1f3", 300, ""),
        ("g1f3", 299, "engine-veto"),
        ("d2d4", 300, "engine-veto"),
    ],
)
def test_move_stays_if_the_engines_own_turns_out_no_better(
    tally: Tally, own: str, after_own: int, reason: str
) -> None:
    """Before the move the engine promises 30; a search after its own move says otherwise."""
    evals = evals_of({BEFORE: 30, GOOD: after_own, BAD: 300}, best={BEFORE: own})
    assert reason_of(select(tally, evals=evals, **OPTIONS), BAD) == reason


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [((100,), ""), ((100, 399), ""), ((100, 400), "engine-veto"), ((1_000_000,), "engine-veto")],
)
def test_veto_needs_a_second_search_or_a_long_one(tally: Tally, nodes: tuple[int, ...], reason: str) -> None:
    evals = evals_of({BEFORE: 30, GOOD: -30, BAD: 400}, nodes=nodes)
    assert reason_of(select(tally, evals=evals, **OPTIONS), BAD) == reason


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (31, 61, "engine-veto"),  # the shortest search doubts the move, the longest one refutes it
        (30, 61, ""),
        (300, 61, "engine-veto"),
        (300, 60, ""),
    ],
)
def test_shortest_search_doubts_and_the_longest_decides(
    tally: Tally, first: int, second: int, reason: str
) -> None:
    short, long = (evals_of({BEFORE: 0, BAD: bad}, nodes=(n,)) for bad, n in ((first, 100), (second, 400)))
    both = Evals.of(pa.concat_tables([short.table, long.table]), "chess")
    assert reason_of(select(tally, evals=both, **OPTIONS), BAD) == reason


@pytest.mark.parametrize(
    ("loss", "copies", "limit", "reason"),
    [
        (80, 4, 60, "engine-veto"),  # too few results
        (80, 5, 60, ""),  # 50 wins out of 50 stand against it
        (90, 50, 40, "engine-veto"),  # no statistics overrule twice the limit
        (121, 50, 100, "engine-veto"),  # nor more than 120
        (119, 50, 100, ""),
    ],
)
def test_statistics_overrule_a_small_loss_only(
    tmp_path: Path, loss: int, copies: int, limit: int, reason: str
) -> None:
    path, games = tmp_path / "a.pgn", [(line, result) for line, all_ in GAMES.items() for result in all_]
    texts = (f'[Result "{result}"]\n\n{line} {result}\n\n' for line, result in games)
    path.write_text("".join(text * (copies if "Ba6" in text else 1) for text in texts))
    evals = evals_of({BEFORE: 30, GOOD: -30, BAD: loss - 30})
    chosen = select(Tally.from_archives(path), evals=evals, veto=limit, **OPTIONS)
    assert reason_of(chosen, BAD) == reason


def test_opponents_moves_are_not_vetoed(tally: Tally) -> None:
    evals = evals_of({BEFORE: 30, GOOD: -30, BAD: 400})
    for side, reason in (("white", "engine-veto"), ("black", "")):
        chosen = select(tally, evals=evals, for_side=side, **OPTIONS)
        assert reason_of(chosen, BAD) == reason


def test_transposition_keeps_a_position_by_another_move(tmp_path: Path) -> None:
    """A position stays if one of the moves that lead to it is sound."""
    path = tmp_path / "a.pgn"
    lines = ["1. d4 d5 2. c4", "1. c4 d5 2. d4"]
    path.write_text("".join(f'[Result "1-0"]\n\n{line} 1-0\n\n' for line in lines * 3))
    tally = Tally.from_archives(path)
    evals = evals_of({"1.d4 d5": 100, "1.c4 d5": 0, "1.d4 d5 2.c4": 0})
    by_move = select(tally, evals=evals, shape="moves", **OPTIONS)
    assert by_move.reasons()["engine-veto"] == 1
    assert "engine-veto" not in select(tally, evals=evals, **OPTIONS).reasons()


def test_scale_is_fitted_to_the_results(tally: Tally) -> None:
    numbers = np.random.default_rng(5)
    score = numbers.integers(-300, 301, 400).astype(np.float64)
    chance = expected(score, 250.0)
    lost = np.round(1000 * chance).astype(np.uint64)
    nothing = np.zeros(400, np.uint64)
    columns = count_candidates(tally, "positions").part(np.zeros(400, np.intp))
    found = {"wins": np.uint64(1000) - lost, "draws": nothing, "losses": lost}
    for name, column in found.items():
        object.__setattr__(columns, name, column)
    best = np.zeros(400, np.uint16)
    valued = Valued(score, nothing, best, score, nothing, best, best)
    assert abs(fitted_scale(valued, columns) - 250) <= 1
    few = Valued(*(column[:49] for column in valued))
    assert fitted_scale(few, columns.part(slice(0, 49))) == 174


def test_explanation_has_the_loss_the_better_move_and_the_refutation(tally: Tally) -> None:
    best = {BEFORE: "g1f3", BAD: "b7a6", GOOD: "b8c6"}
    chosen = select(tally, evals=evals_of({BEFORE: 30, GOOD: -30, BAD: 400}, best=best), **OPTIONS)
    whys = explain_rows(chosen, BEFORE).set_index("san")["why"]
    assert whys["Nf3"].endswith("; engine: +0.30, loses nothing")
    assert whys["Ba6"] == (
        "loses too much by two searches; engine: loses 430 cp after bxa6; Nf3 is better, +0.30"
    )


def test_explanation_allows_for_an_engine_that_overrates_the_mover(
    tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = {BEFORE: "g1f3"}
    chosen = select(tally, evals=evals_of({BEFORE: 30, GOOD: 10, BAD: 400}, best=best), **OPTIONS)
    assert "loses 430 cp" in explain_rows(chosen, BEFORE).set_index("san")["why"]["Ba6"]
    monkeypatch.setattr("bookbuilder.evals.loss.LEAST_OWN", 1)
    assert "loses 390 cp" in explain_rows(chosen, BEFORE).set_index("san")["why"]["Ba6"]


def test_evaluations_of_another_game_are_refused(tally: Tally, tmp_path: Path) -> None:
    Evals.empty("xiangqi").write(tmp_path / "x.evals")
    with pytest.raises(SelectionError, match="evaluations of xiangqi, the games are of chess"):
        select(tally, evals=tmp_path / "x.evals")
    with pytest.raises(SelectionError, match=r"no such file; `bookbuilder evaluate` writes it"):
        select(tally, evals=tmp_path / "none.evals")
    with pytest.raises(SelectionError, match="expected evals"):
        select(tally, veto=30)


def test_options_with_evaluations_are_repeated_from_a_recipe(tally: Tally, tmp_path: Path) -> None:
    path = tmp_path / "a.evals"
    evals_of({BEFORE: 30}).write(path)
    options = SelectionOptions(evals=path, veto=44)
    assert SelectionOptions.from_json(options.to_json()) == options
    assert select(tally, options).recipe["selection"]["evals"]["path"] == str(path)
    evals_of({BEFORE: 31}).write(path)
    with pytest.raises(SelectionError, match="has changed since the book was built"):
        SelectionOptions.from_json(options.to_json())
    with pytest.raises(SelectionError, match="were in no file"):
        as_evidence(SelectionOptions(evals=evals_of({})).to_json()["evals"])


def test_command_builds_explains_and_repeats(tally: Tally, tmp_path: Path) -> None:
    games, evals = tally.sources[0].source, tmp_path / "a.evals"
    evals_of({BEFORE: 30, GOOD: -30, BAD: 400}, best={BAD: "b7a6"}).write(evals)
    book, again = tmp_path / "a.book", tmp_path / "again.book"
    usual = ("--preset", "own-games", "--evals", evals)
    built = run("build", games, "-o", book, *usual)
    assert built.code == 0, built.err
    assert "losing, says the engine" in built.out
    explained = run("build", games, "--explain", BEFORE, *usual)
    assert "engine: loses 430 cp after bxa6" in " ".join(explained.out.split())
    assert run("build", "--recipe", book, "-o", again, "--quiet").code == 0
    assert again.read_bytes() == book.read_bytes()
    other = run("build", games, "-o", tmp_path / "b.book", *usual, "--veto", "500")
    assert "losing, says the engine" not in other.out
