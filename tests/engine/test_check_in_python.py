"""`check_book` and `evaluate_tally`: the same figures as the commands, as frames, and the plot of a check."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import run
from support.scripted_judge import command

import bookbuilder as bb
from bookbuilder.errors import OptionError

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


def test_known_evaluations_are_not_made_again(files: Path, tmp_path: Path) -> None:
    tally = bb.Tally.open(files / "a.store")
    limit = bb.ThinkLimit(nodes=1)
    engine = bb.parse_engine(command(tmp_path / "log"), "chess", name=None, options=(), limit=limit)
    first = bb.check_book(files / "a.book", tally, nodes=100, engine=engine)
    searches = (tmp_path / "log").read_text().splitlines()
    assert searches
    again = bb.check_book(files / "a.book", tally, nodes=100, engine=engine, evals=first.evals)
    assert (tmp_path / "log").read_text().splitlines() == searches
    assert again.evals.table.equals(first.evals.table)


def test_xiangqi_names_its_sides(xiangqi_zip: Path, tmp_path: Path) -> None:
    tally = bb.Tally.from_archives(xiangqi_zip)
    bb.write_book(bb.select(tally, bb.preset("own-games")), tmp_path / "a.book")
    engine = command(tmp_path / "log", "xiangqi")
    check = bb.check_book(tmp_path / "a.book", tally, nodes=100, engine=engine)
    assert check.figures().columns.tolist() == ["red", "black"]
    moves = check.moves()
    assert moves["owner"].unique().tolist() == ["red", "black"]
    first = bb.as_position(moves["line"][0] or "startpos", "xiangqi")
    assert first.san(first.parse_move(moves["move"][0])) == moves["move"][0]


def test_book_and_tally_of_different_games_are_refused(files: Path, xiangqi_zip: Path) -> None:
    tally = bb.Tally.from_archives(xiangqi_zip)
    with pytest.raises(bb.BookBuilderError, match="chess"):
        bb.check_book(files / "a.book", tally)


def test_book_that_is_never_used_is_refused(files: Path, tmp_path: Path) -> None:
    here = bb.as_position("1.a4 a5", "chess")
    record = (
        here.key.to_bytes(8, "big") + here.parse_move("b4").to_bytes(2, "big") + bytes([0, 1, 0, 0, 0, 0])
    )
    (tmp_path / "b.bin").write_bytes(record)
    with pytest.raises(OptionError, match="has no move at the start position or after a move of the store"):
        bb.check_book(tmp_path / "b.bin", bb.Tally.open(files / "a.store"))


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


@pytest.mark.parametrize(("suffix", "head"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_command_draws_the_check(files: Path, tmp_path: Path, suffix: str, head: bytes) -> None:
    plot = tmp_path / f"a.{suffix}"
    words = ("book", "check", files / "a.book", "--against", files / "a.store", *NODES, "--plot", plot)
    ran = run(*words, "--engine", command(tmp_path / "log"))
    assert ran.code == 0, ran.err
    assert plot.read_bytes().startswith(head)
    assert f"{plot}: drawn" in ran.err
    assert run(*words).code == 4


def test_command_refuses_other_pictures_before_it_searches(files: Path, tmp_path: Path) -> None:
    words = ("book", "check", files / "a.book", "--against", files / "a.store")
    ran = run(*words, "--plot", tmp_path / "a.gif")
    assert (ran.code, "a picture ends in .svg, .png or .pdf" in ran.err) == (2, True)
