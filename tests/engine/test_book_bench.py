"""Positions outside a book with a way back, and what the modes of its use are worth there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_runner import run
from support.selections import LITERATURE

from bookbuilder._core import Position
from bookbuilder.book.book import Book
from bookbuilder.engine.book_bench import bench_book, find_roots
from bookbuilder.engine.engine import BOOK_MODES
from bookbuilder.errors import OptionError
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

# Both orders of some moves, so that lines leave the book by others and come back.
GAMES = """[Result "1-0"]

1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 O-O 5. Bd3 d5 6. Nf3 c5 1-0

[Result "0-1"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Nf3 Be7 5. Bf4 O-O 6. e3 c5 0-1
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Book:
    folder: Path = tmp_path_factory.mktemp("book")
    (folder / "games.pgn").write_text(GAMES, encoding="utf-8")
    return Book.write(
        folder / "a.book", select(Tally.from_archives(folder / "games.pgn"), LITERATURE, min_win_rate=0)
    )


def test_positions_outside_the_book_have_a_way_back(book: Book) -> None:
    roots = find_roots(book, 12)
    assert {root.plies_out for root in roots} == {0, 1, 2, 3}
    for root in roots:
        here = Position("chess")
        inside = [True]
        for text in (*root.moves, *root.way_back):
            here = here.play(here.parse_move(text))
            inside.append(book.probe(here) is not None)
        at, out = len(root.moves), root.plies_out
        assert inside[at - out]
        assert not any(inside[at - out + 1 : at + 1])
        assert inside[-1]
        assert not any(inside[at + 1 : -1])
    assert len({root.moves for root in roots}) == len(roots)
    assert find_roots(book, 12) == roots != find_roots(book, 12, seed=2)


def test_modes_are_compared_with_mode_off(book: Book) -> None:
    rows = bench_book(book, positions=3, depth=4, times=3)
    assert [(row.plies_out, row.mode) for row in rows] == [
        (plies, mode) for plies in range(4) for mode in BOOK_MODES
    ]
    for row in rows:
        if row.mode == "off":
            assert (row.nodes.value, row.nodes.low, row.nodes.high, row.answered) == (1, 1, 1, 0)
        if row.nodes.value is not None:
            assert row.nodes.low <= row.nodes.value <= row.nodes.high
        assert 0 <= row.agreement.low <= row.agreement.value <= row.agreement.high <= 1
    # In the book the mode that plays from it does so; outside it searches as mode off does.
    first, *others = (row for row in rows if row.mode == "root")
    assert (first.answered, first.book_moves.value) == (first.positions, 1)
    for row in others:
        assert row.answered > 0 or row.nodes.value == 1


def test_book_of_one_move_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.pgn").write_text('[Result "1-0"]\n\n1. d4 1-0\n', encoding="utf-8")
    tally = Tally.from_archives(tmp_path / "one.pgn")
    with pytest.raises(OptionError, match="line"):
        bench_book(Book.write(tmp_path / "one.book", select(tally, LITERATURE, min_win_rate=0)))


def test_bench_book_prints_table_and_legend(book: Book) -> None:
    options = (book.path, "--positions", 2)
    ran = run("engine", "bench-book", *options, "--depth", 3, "--times", 2, "--quiet")
    assert ran.code == 0, ran.err
    for word in ("plies out", "hints", "agreement", "Wilson", "bootstrap"):
        assert word in ran.out
    answer = json.loads(
        run("engine", "bench-book", *options, "--depth", 3, "--times", 2, "--json", "--quiet").out
    )
    assert (answer["game"], answer["depth"], answer["times"]) == ("chess", 3, 2)
    assert {row["mode"] for row in answer["rows"]} == set(BOOK_MODES)
    assert set(answer["rows"][0]["nodes"]) == {"value", "low", "high"}
