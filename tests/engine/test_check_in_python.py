"""`check_book` and `evaluate_tally`: the same figures as the commands, as frames, and the plot of a check."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import run
from support.scripted_judge import command

import bookbuilder as bb

NODES = ("--nodes", "100")


@pytest.fixture(scope="module")
def files(chess_pgn: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and a book of it."""
    folder = tmp_path_factory.mktemp("checked")
    bb.Tally.from_archives(chess_pgn).save(folder / "a.store")
    assert run("build", folder / "a.store", "-o", folder / "a.book", "--preset", "own-games", "-q").code == 0
    return folder


def test_check_agrees_with_the_command(files: Path, tmp_path: Path) -> None:
    engine = ("--engine", command(tmp_path / "log"))
    words = ("book", "check", files / "a.book", "--against", files / "a.store", *NODES, *engine)
    ran = run(*words, "--json", "--quiet")
    assert ran.code == 0, ran.err
    tally = bb.Tally.open(files / "a.store")
    check = bb.check_book(files / "a.book", tally, nodes=100, engine=command(tmp_path / "log"))
    assert isinstance(check, bb.BookCheck)
    owners = json.loads(ran.out)["owners"]
    assert [each["owner"] for each in owners] == [each.owner for each in check.owners]
    figures = check.figures()
    for word, told in zip(("white", "black"), owners, strict=True):
        for name, value in figures[word].items():
            assert (np.isnan(value) and told[name] is None) or value == pytest.approx(told[name]), name


def test_frames_explain_the_figures(files: Path, tmp_path: Path) -> None:
    tally = bb.Tally.open(files / "a.store")
    check = bb.check_book(files / "a.book", tally, nodes=100, engine=command(tmp_path / "log"), blunder_cp=60)
    moves, exits, figures = check.moves(), check.exits(), check.figures()
    for word in ("white", "black"):
        own = moves[moves["owner"] == word]
        assert len(own) == figures.loc["moves", word]
        assert np.average(own["loss_cp"], weights=own["visits"]) == pytest.approx(
            figures.loc["mean_loss_cp", word]
        )
        blunders = 1000 * own["visits"][own["loss_cp"] > 60].sum() / own["visits"].sum()
        assert blunders == pytest.approx(figures.loc["blunders", word])
        known = exits[exits["owner"] == word].dropna()
        assert known["reach"].sum() == pytest.approx(figures.loc["exits_checked", word])
    for row in moves.itertuples():
        here = bb.as_position(row.line or "startpos", "chess")
        assert here.san(here.parse_move(row.move)) == row.move
        assert here.parse_move(row.best) is not None


def test_book_and_tally_of_different_games_are_refused(files: Path, xiangqi_zip: Path) -> None:
    tally = bb.Tally.from_archives(xiangqi_zip)
    with pytest.raises(bb.BookBuilderError, match="chess"):
        bb.check_book(files / "a.book", tally)


def test_evaluate_tally_agrees_with_the_command(files: Path, tmp_path: Path) -> None:
    engine = ("--engine", command(tmp_path / "log"))
    words = ("evaluate", files / "a.store", "-o", tmp_path / "a.evals", *NODES, "--min-games", 1, *engine)
    assert run(*words, "--positions", 9, "--quiet").code == 0
    tally = bb.Tally.open(files / "a.store")
    evals = bb.evaluate_tally(tally, positions=9, nodes=100, min_games=1, engine=command(tmp_path / "log"))
    assert evals.table.equals(bb.Evals.read(tmp_path / "a.evals").table)
    assert evals.positions == 9
    more = bb.evaluate_tally(tally, positions=12, nodes=100, min_games=1, known=evals)
    assert more.positions == 12
    assert bb.select(tally, min_games=1, evals=more).table.column("engine").null_count < len(tally)
