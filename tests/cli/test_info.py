"""`info` recognises files and folders, and `show` counts archives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from support.cli_runner import run

from bookbuilder import Evals, Position


def facts_of(path: Path) -> dict[str, object]:
    """Return the answer of `info --json`."""
    ran = run("info", path, "--json")
    assert ran.code == 0, ran.err
    answer: dict[str, object] = json.loads(ran.out)
    return answer


def test_archive_has_its_number_of_games(chess_pgn: Path) -> None:
    facts = facts_of(chess_pgn)
    assert (facts["kind"], facts["game"]) == ("archive", "chess")
    assert facts["games"] == 6
    assert facts["bytes"] == chess_pgn.stat().st_size


def test_store_book_and_recipe_agree_on_the_games(chess_pgn: Path, tmp_path: Path) -> None:
    store, book, recipe = (tmp_path / name for name in ("a.store", "a.book", "recipe.json"))
    assert run("tally", chess_pgn, "-o", store, "--quiet").code == 0
    assert run("build", store, "-o", book, "--preset", "literature", "--quiet").code == 0
    recipe.write_text(json.dumps(json.loads(run("info", book, "--json").out)["recipe"]))
    assert facts_of(store)["games"] == 6
    assert sum(each["games"] for each in facts_of(book)["recipe"]["sources"]) == 6
    assert (facts_of(recipe)["kind"], facts_of(recipe)["games"]) == ("recipe", 6)


def test_show_of_an_archive_equals_show_of_its_store(chess_pgn: Path, tmp_path: Path) -> None:
    store = tmp_path / "a.store"
    assert run("tally", chess_pgn, "-o", store, "--quiet").code == 0
    for words in ((), ("e4", "e5")):
        counted = run("show", chess_pgn, *words, "--json", "--quiet")
        assert counted.code == 0
        assert json.loads(counted.out) == json.loads(run("show", store, *words, "--json").out)


def test_show_puts_the_engines_values_beside_the_moves(chess_pgn: Path, tmp_path: Path) -> None:
    store, evals = tmp_path / "a.store", tmp_path / "a.evals"
    run("tally", chess_pgn, "-o", store, "-q")
    run("build", store, "-o", tmp_path / "a.bin", "--min-games", 1, "--margin", "off", "-q")
    run("evaluate", store, "-o", evals, "--positions", 9, "--nodes", 50, "--min-games", 1, "-q")
    known = Evals.read(evals)
    for source in (store, tmp_path / "a.bin", chess_pgn):
        moves = json.loads(run("show", source, "--evals", evals, "--json").out)["moves"]
        scores = {row["move"]: row["engine"] for row in moves}
        assert any(score is not None for score in scores.values())
        for move, score in scores.items():
            here = Position("chess")
            place = np.array([here.play(here.parse_move(move)).stored(False)], np.uint64)
            value = known.values(place[:, 0], place[:, 1].astype(np.uint32)).score[0]
            assert (score is None) == np.isnan(value)
            assert score is None or score == -value
        assert " engine " in run("show", source, "--evals", evals, "--wide").out
    assert "engine" not in run("show", store).out
    xiangqi = tmp_path / "x.evals"
    Evals.empty("xiangqi").write(xiangqi)
    ran = run("show", store, "--evals", xiangqi)
    assert (ran.code, "has evaluations of xiangqi" in ran.err) == (3, True)
