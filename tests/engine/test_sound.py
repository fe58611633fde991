"""`book check -o` and `check_book`: books without the moves that an engine refutes, else as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli_runner import run
from support.scripted_judge import command, score_of

import bookbuilder as bb
from bookbuilder.book.formats.registry import read_moves
from bookbuilder.errors import OptionError

LIMIT = 60


@pytest.fixture(scope="module")
def files(chess_pgn: Path, xiangqi_zip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    for name, archive, suffix in (("chess", chess_pgn, "bin"), ("xiangqi", xiangqi_zip, "obk")):
        store = folder / f"{name}.store"
        bb.Tally.from_archives(archive).save(store)
        for kind in ("book", suffix):
            book = folder / f"{name}.{kind}"
            assert run("build", store, "-o", book, "--preset", "own-games", "-q").code == 0
    return folder


def cleaned(files: Path, book: str, output: Path, *words: Any, is_alone: bool = False) -> dict[str, Any]:
    """Write a book without losing moves, and return what the command says as JSON."""
    game = book.split(".")[0]
    engine = command(output.with_name("log"), "chess" if game == "chess" else "xiangqi")
    words += () if is_alone else ("--against", files / f"{game}.store")
    usual = ("--engine", engine, "--nodes", 100, "--max-loss", LIMIT, "-o", output, "--json", "--quiet")
    ran = run("book", "check", files / book, *usual, *words)
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def rows_of(path: Path) -> set[tuple[int, int, int]]:
    book = read_moves(path)
    return set(zip(*(book.column(name).tolist() for name in ("key", "move", "weight")), strict=True))


@pytest.mark.parametrize("is_alone", [False, True])
@pytest.mark.parametrize("book", ["chess.bin", "chess.book", "xiangqi.obk", "xiangqi.book"])
def test_only_losing_moves_are_dropped_and_a_check_of_the_rest_finds_none(
    files: Path, tmp_path: Path, book: str, is_alone: bool
) -> None:
    game, suffix = book.split(".")
    output, evals = tmp_path / f"sound.{suffix}", tmp_path / "a.evals"
    told = cleaned(files, book, output, "--evals", evals, is_alone=is_alone)
    assert told["rounds"] > 1
    assert min(move["loss_cp"] for move in told["dropped"]) > LIMIT
    if suffix != "book":
        before, after, named = rows_of(files / book), rows_of(output), set()
        assert after < before
        fold = bb.open_book(files / book).fold
        for move in told["dropped"]:
            here = bb.as_position(move["after"] or "startpos", told["game"])
            named.add((here.stored(fold)[0], here.stored_move(here.parse_move(move["move"]), fold)))
        assert {row[:2] for row in before - after} == named
    # The evaluations know every position, so the engine, which always fails, is not asked.
    engine = command(tmp_path / "log", "chess" if game == "chess" else "xiangqi", "die")
    words = ("--engine", engine, "--nodes", 100, "--max-loss", LIMIT, "--evals", evals, "--quiet")
    against = () if is_alone else ("--against", files / f"{game}.store")
    assert run("book", "check", files / book, *against, *words).code == 1
    again = run("book", "check", output, *against, *words)
    assert again.code == 0, again.err


def test_records_of_losing_moves_are_dropped(files: Path, tmp_path: Path) -> None:
    output = tmp_path / "sound.book"
    told = cleaned(files, "chess.book", output)
    before, after = bb.Book.open(files / "chess.book"), bb.Book.open(output)
    assert 0 < len(before) - len(after) <= len(told["dropped"])
    assert {*after.to_pandas()["key"]} < {*before.to_pandas()["key"]}


def test_python_does_what_the_command_does(files: Path, tmp_path: Path) -> None:
    told = cleaned(files, "chess.bin", tmp_path / "a.bin")
    tally = bb.Tally.open(files / "chess.store")
    engine = command(tmp_path / "log")
    done = bb.check_book(files / "chess.bin", tally, tmp_path / "b.bin", nodes=100, engine=engine)
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    assert [*done.dropped["line"]] == [move["after"] for move in told["dropped"]]
    assert (done.rounds, done.written.to_json()) == (told["rounds"], told["written"])
    assert done.moves()["loss_cp"].max() <= LIMIT


def test_book_of_losing_moves_only_is_an_error(tmp_path: Path) -> None:
    start = bb.as_position("startpos", "chess")
    bad = max(start.moves(), key=lambda code: score_of(start.play(code)))
    (tmp_path / "a.pgn").write_text(f'[Result "1-0"]\n\n1. {start.san(bad)} 1-0\n\n' * 3)
    tally = bb.Tally.from_archives(tmp_path / "a.pgn")
    bb.write_book(bb.select(tally), tmp_path / "a.bin")
    loss, engine = score_of(start) + score_of(start.play(bad)), command(tmp_path / "log")
    with pytest.raises(OptionError, match=f"no move is left: 1 lose more than {loss - 1} centipawns"):
        bb.check_book(
            tmp_path / "a.bin", tally, tmp_path / "b.bin", max_loss_cp=loss - 1, nodes=100, engine=engine
        )
    assert not (tmp_path / "b.bin").exists()
