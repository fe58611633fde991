"""The lines of `build`, with every figure counted again by python-chess from the games and the file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import chess
import pytest
from support.cli_runner import run
from support.recount import MAX_PLY, Recount, write_simple_games

from bookbuilder.cli.book.summary import build_lines


@pytest.fixture(scope="module", params=[300, pytest.param(2000, marks=pytest.mark.full)])
def built(request: pytest.FixtureRequest, data: Path, tmp_path_factory: pytest.TempPathFactory):
    """A book, its lines, its JSON data, and the recount."""
    folder = tmp_path_factory.mktemp("summary")
    archive, book = folder / "games.pgn", folder / "a.bin"
    write_simple_games(data / "chess_selfplay.pgn", archive, request.param)
    ran = run("build", archive, "-o", book)
    assert ran.code == 0, ran.err
    answer = json.loads(run("build", archive, "-o", book, "--force", "--json").out)
    return ran.out.splitlines(), answer, Recount(archive, book), archive


def test_lines_fit_a_small_terminal(built) -> None:
    lines, answer, _, _ = built
    assert len(lines) <= 12
    assert max(len(line) for line in lines if not line.startswith(answer["book"])) <= 80
    assert lines == [*build_lines("chess", answer)]


def test_first_line_counts_the_file(built) -> None:
    lines, _, count, _ = built
    moves = sum(len(entries) for entries in count.book.values())
    places = sum(bool(entries) for entries in count.book.values())
    assert f": {moves:,} moves at {places:,} positions, from {count.games:,} games" in lines[0]


def test_dropped_moves_are_those_of_the_games(built) -> None:
    lines, answer, count, _ = built
    least = answer["min_games"]
    rows = [
        (row, int(least) + (count.ply[key] + 1 > MAX_PLY * (1 - least % 1)))
        for key, moves in count.played.items()
        for row in moves.values()
    ]
    assert f"{sum(games < need for (games, _), need in rows):,} in too few games" in lines[1]
    beaten = sum(games >= need and not points for (games, points), need in rows)
    lost, out = (
        int(found[1].replace(",", "")) if (found := re.search(rf"([\d,]+) {words}", lines[1])) else 0
        for words in ("never won or drew", "out of reach")
    )
    # Some of those are out of reach besides.
    assert lost <= beaten <= lost + out


def test_plies_and_openings_equal_a_walk(built) -> None:
    lines, answer, count, _ = built
    numbers = [float(text) for text in re.findall(r"\d+\.\d", lines[2])]
    expected = [count.plies(chess.WHITE), count.plies(chess.BLACK), count.openings()]
    assert numbers == pytest.approx(expected, abs=0.051)
    assert answer["reach"]["openings"] == pytest.approx(expected[2], rel=1e-9)


def test_branches_are_the_weights_of_the_file(built) -> None:
    lines, _, count, _ = built
    start = count.key(chess.Board())
    firsts = sorted(count.played[start].items(), key=lambda each: -each[1][0])[:4]
    places = [start, *(count.after(start, move) for move, _ in firsts)]
    for line, key in zip(lines[3:8], places, strict=True):
        assert re.findall(r"\S+ <?\d+ %", line[15:]) == count.words(key)


def test_missing_main_moves_are_counted(built) -> None:
    lines, answer, count, _ = built
    assert len(answer["reach"]["lacking"]) == count.lacking()
    assert lines[8].endswith("none") == (count.lacking() == 0)


def test_info_and_verify_say_the_same(built, tmp_path: Path) -> None:
    _, answer, _count, archive = built
    info = json.loads(run("info", answer["book"], "--json").out)
    for name in ("records", "reachable", "positions", "openings"):
        assert info["reach"][name] == pytest.approx(answer["reach"][name])
    store = tmp_path / "games.store"
    run("tally", archive, "-o", store)
    against = json.loads(run("info", answer["book"], "--against", store, "--json").out)
    for each, own in zip(against["reach"]["sides"], answer["reach"]["sides"], strict=True):
        assert each == {**own, "plies": pytest.approx(own["plies"], abs=1e-4)}
    verified = json.loads(run("book", "verify", answer["book"], "--json").out)["walk"]
    assert (verified["records"], verified["reached"]) == (
        info["reach"]["records"],
        info["reach"]["reachable"],
    )


def test_quiet_prints_nothing(data: Path, tmp_path: Path) -> None:
    ran = run("build", data / "chess_selfplay.pgn", "-o", tmp_path / "a.bin", "--max-games", 50, "-q")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_copies_are_told_with_the_option_that_counts_them_once(tmp_path: Path) -> None:
    archive, game = tmp_path / "a.pgn", '[Result "1-0"]\n\n1. e4 e5 1-0\n\n'
    archive.write_text(2 * game, encoding="utf-8")
    lines = run("build", archive, "-o", tmp_path / "a.bin").out.splitlines()
    assert lines[-1] == "1 game may be a copy of another; --dedupe exact skips copies"
    once = run("build", archive, "-o", tmp_path / "b.bin", "--dedupe", "exact").out.splitlines()
    assert once[-1] == "skipped games: 1 duplicate"


def test_few_results_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 e5 *\n\n" * 5 + "1. d4 d5 1-0\n")
    for more, count in (((), 1), (("--criteria", "result=0"), 0)):
        ran = run("build", tmp_path / "a.pgn", "-o", tmp_path / "a.bin", "--min-games", 1, "--force", *more)
        assert ran.err.count("--criteria result=0 counts games") == count


def test_one_game_more_moves_no_figure_by_much(data: Path, tmp_path: Path) -> None:
    figures = []
    for games in (1500, 1501):
        words = ("-o", tmp_path / f"{games}.bin", "--max-games", games, "--json")
        answer = json.loads(run("build", data / "chess_selfplay.pgn", *words).out)
        plies = [side["plies"] for side in answer["reach"]["sides"]]
        figures.append([answer["moves"], answer["positions"], answer["reach"]["openings"], *plies])
    assert figures[0] == pytest.approx(figures[1], rel=0.01)
