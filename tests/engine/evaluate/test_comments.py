"""Evaluations in comments of games: their mean, mates, variations, set-up starts, and mistakes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from support.cli_runner import run

from bookbuilder import Evals, Tally, as_position
from bookbuilder.engine.evaluate.imports import read_comments
from bookbuilder.engine.evaluate.plan import Plan, plan_tally
from bookbuilder.errors import ArchiveError

GAMES = (
    "1. e4 { [%eval 0.31] [%clk 0:03:00] } 1... e5 { [%eval 0.2] } (1... c5 { [%eval 9.0] } 2. Nf3) 2. Nf3",
    "1. e4 { [%eval 0.41] } 1... e5 { [%eval 0.1] } 2. Qh5 { [%eval -0.5] } 2... Ke7 { [%eval #1] }",
    "1. d4 { plain } 1... d5 { [%eval broken] }",
    "1. e4 { [%eval 0.33] } 1... Ke4 { [%eval 9.0] } 2. Nf3 { [%eval 9.0] }",
)
SET_UP = '[SetUp "1"]\n[FEN "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]\n'


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """These games."""
    games = [f'[Result "*"]\n\n{game} *\n\n' for game in GAMES]
    games.append(f'[Result "*"]\n{SET_UP}\n2. Qh5 {{ [%eval -0.7] }} *\n\n')
    (tmp_path / "a.pgn").write_text("".join(games))
    return tmp_path / "a.pgn"


@pytest.fixture
def plan(archive: Path) -> Plan:
    """The positions of the games."""
    return plan_tally(Tally.from_archives(archive, on_error="prefix"), most=50, min_games=1, max_ply=20)


def scores(evals: Evals) -> dict[str, tuple[int, str]]:
    """Return score and limit of each line that has a row."""
    rows = {(row["key"], row["lock"]): row for row in evals.table.to_pylist()}
    lines = (
        "startpos",
        "1.e4",
        "1.e4 e5",
        "1.e4 c5",
        "1.e4 e5 2.Qh5",
        "1.e4 e5 2.Qh5 Ke7",
        "1.d4",
        "1.d4 d5",
    )
    places = {line: as_position(line, "chess").stored(False) for line in lines}
    return {line: (rows[at]["score"], rows[at]["limit"]) for line, at in places.items() if at in rows}


@pytest.mark.parametrize("suffix", ["pgn", "pgn.gz"])
def test_comments_are_added_up_for_the_side_to_move(archive: Path, plan: Plan, suffix: str) -> None:
    path = archive.with_name(f"copy.{suffix}")
    path.write_bytes(gzip.compress(archive.read_bytes()) if suffix.endswith("gz") else archive.read_bytes())
    evals = read_comments(path, plan=plan)
    assert scores(evals) == {
        "1.e4": (-35, "comments=3"),
        "1.e4 e5": (15, "comments=2"),
        # Black is to move, and the game from a set-up start comes to the same position.
        "1.e4 e5 2.Qh5": (60, "comments=2"),
        "1.e4 e5 2.Qh5 Ke7": (29_998, "comments=1"),
    }
    assert {row["engine"] for row in evals.table.to_pylist()} == {"comments"}


def test_command_takes_comments_and_lists_what_loses(archive: Path, tmp_path: Path) -> None:
    store, evals = tmp_path / "a.store", tmp_path / "a.evals"
    run("tally", archive, "-o", store, "--on-error", "prefix", "-q")
    ran = run("evaluate", store, "-o", evals, "--min-games", 1, "--comments", archive, "--json", "-q")
    assert ran.code == 0, ran.err
    facts = json.loads(ran.out)
    assert (facts["engine"], facts["rows"]) == ("comments", 4)
    assert len(Evals.read(evals)) == 4
    # Nobody searched, so nothing is said of searches.
    told = run("evaluate", store, "-o", evals, "--min-games", 1, "--comments", archive).out
    assert "evaluations taken" in told
    assert "search" not in told


def test_mistakes_are_named(archive: Path, plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no such file"):
        read_comments(tmp_path / "none.pgn", plan=plan)
    whole = gzip.compress(archive.read_bytes() * 2000)
    (tmp_path / "bad.pgn.gz").write_bytes(whole[:-100])
    with pytest.raises(ArchiveError, match="truncated"):
        read_comments(tmp_path / "bad.pgn.gz", plan=plan)
    (tmp_path / "plain.pgn").write_text("1. e4 e5 *\n")
    assert len(read_comments(tmp_path / "plain.pgn", plan=plan)) == 0
    tags = '[Game "Chinese Chess"]\n[Format "ICCS"]\n[Result "1-0"]\n'
    (tmp_path / "x.pgn").write_text(f"{tags}\n1. H2-E2 H9-G7 1-0\n")
    xiangqi = plan_tally(Tally.from_archives(tmp_path / "x.pgn"), most=5, min_games=1, max_ply=5)
    with pytest.raises(ArchiveError, match="chess"):
        read_comments(archive, plan=xiangqi)
    store = Tally.from_archives(archive, on_error="prefix").save(tmp_path / "s.store")
    both = ("--comments", archive, "--lichess", archive)
    ran = run("evaluate", store, "-o", tmp_path / "b.evals", "--min-games", 1, *both)
    assert (ran.code, "one after the other" in ran.err) == (2, True)
