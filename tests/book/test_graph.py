"""The graph of a book file of any format, alone and against a tally."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.polyglot
import numpy as np
import pytest
from support.selections import graph_of_selection

from bookbuilder.book.book import Book
from bookbuilder.book.build import without_rare
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import write_moves
from bookbuilder.book.graph import graph_of_book, graph_of_file
from bookbuilder.book.graph import graph_of_selection as linked_graph
from bookbuilder.book.reach import Reach, book_reach
from bookbuilder.book.verify import walked
from bookbuilder.selection.options import Shape
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

RULES = {
    "min_win_rate": "0.45",
    "min_games": 2,
    "margin": None,
    "sharpen": 0,
    "max_ply": None,
}


@pytest.fixture(scope="module")
def tally(data: Path) -> Tally:
    return Tally.from_archives(data / "chess_selfplay.pgn", max_ply=10, limit=400)


@pytest.fixture(scope="module")
def xiangqi(data: Path) -> Tally:
    return Tally.from_archives(data / "xiangqi_selfplay.zip", max_ply=10, limit=300, fold=True)


@pytest.mark.parametrize("suffix", [".bin", ".csv"])
def test_file_has_reach_of_its_selection(tmp_path: Path, tally: Tally, suffix: str) -> None:
    chosen = select(tally, shape="moves", **RULES)
    path = tmp_path / f"a{suffix}"
    write_moves(path, MoveBook.from_selection(chosen))
    # Polyglot's format skips moves of weight 0.
    built = book_reach(graph_of_selection(chosen, min_weight=int(suffix == ".bin")), min_games=4)
    read = book_reach(graph_of_file(path, tally), min_games=4)
    for one, other in zip(built.sides, read.sides, strict=True):
        assert one._replace(plies=0) == other._replace(plies=0)
        assert one.plies == pytest.approx(other.plies)
    assert built.reachable == read.reachable
    assert {(gap.side, gap.fen, gap.games) for gap in built.gaps} == {
        (gap.side, gap.fen, gap.games) for gap in read.gaps
    }
    assert [branch.line for branch in built.branches] == [branch.line for branch in read.branches]


def test_polyglot_file_alone_equals_walk_on_boards(tmp_path: Path, tally: Tally) -> None:
    path = tmp_path / "a.bin"
    write_moves(path, MoveBook.from_selection(select(tally, shape="moves", **RULES)))
    reached, waiting, found = set(), [chess.Board()], 0
    with chess.polyglot.open_reader(path) as book:
        while waiting:
            board = waiting.pop()
            if (key := chess.polyglot.zobrist_hash(board)) in reached:
                continue
            reached.add(key)
            for entry in book.find_all(board):
                found += 1
                after = board.copy(stack=False)
                after.push(entry.move)
                waiting.append(after)
    reach = book_reach(graph_of_file(path))
    assert reach.reachable == found
    assert reach.positions == sum(any(book_moves(path, key)) for key in reached)
    assert [each.answered_share for each in reach.sides] == [None, None]
    assert reach.gaps == ()


def book_moves(path: Path, key: int) -> list[int]:
    with chess.polyglot.open_reader(path) as book:
        return [entry.weight for entry in book.find_all(key)]


@pytest.mark.parametrize("shape", ["positions", "moves"])
@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("name", ["tally", "xiangqi"])
def test_linked_rows_say_what_a_walk_on_boards_says(
    tmp_path: Path, request: pytest.FixtureRequest, name: str, least: int, shape: Shape
) -> None:
    chosen = select(request.getfixturevalue(name), shape=shape, min_games=least)
    assert chosen.origin is not None
    book = MoveBook.from_selection(chosen) if shape == "moves" else Book.write(tmp_path / "a.book", chosen)
    if isinstance(book, MoveBook):
        book = replace(book, bridges=book.bridges[:0])
    part = without_rare(chosen.origin.tally, chosen.origin.options)
    one, other = (
        comparable(book_reach(make(book, part), min_games=2, most=10**6))
        for make in (linked_graph, graph_of_book)
    )
    assert one == other


def comparable(reach: Reach) -> dict[str, Any]:
    """Return the facts without lines: of equally played ones, any may stand for a position."""
    facts = reach.to_json()
    facts["gaps"] = sorted(
        (gap.side, gap.fen.split()[:4], gap.games, round(gap.reach, 9)) for gap in reach.gaps
    )
    facts["lacking"] = sorted((each.side, each.games, each.share) for each in reach.lacking)
    facts["sides"] = [side._replace(plies=round(side.plies, 9)) for side in reach.sides]
    facts["branches"] = sorted(
        (b.line, b.games, b.more, sorted(b.replies, key=str)[0 : 6 * (not b.more)]) for b in reach.branches
    )
    return facts | {"openings": round(reach.openings, 9)}


def test_clustered_book_has_moves_that_no_game_played(tmp_path: Path, tally: Tally) -> None:
    chosen = select(tally, **RULES)
    book = Book.write(tmp_path / "a.book", chosen)
    read = book_reach(graph_of_file(book.path, tally))
    assert len(book) == read.records > read.reachable
    assert book_reach(graph_of_file(book.path)).reachable == read.reachable == walked(book)["reached"]


def test_folded_tally_joins_book_that_knows_no_mirrors(tmp_path: Path, xiangqi: Tally) -> None:
    chosen = select(xiangqi, shape="moves", **RULES)
    path = tmp_path / "a.obk"
    write_moves(path, MoveBook.from_selection(chosen))
    graph = graph_of_file(path, xiangqi)
    root = np.arange(graph.starts[0], graph.starts[1])
    assert graph.games[0] == xiangqi.game_count
    assert graph.played[root].max() > 0
    assert book_reach(graph).sides[0].answered_share > 0


def test_moves_of_weight_0_are_no_moves_of_the_book(tmp_path: Path) -> None:
    """Black's reply lost each game: the file has it for its results, and no program plays it."""
    path = tmp_path / "a.pgn"
    path.write_text('[Result "1-0"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n' * 12)
    chosen = select(Tally.from_archives(path), min_games=1, shape="moves")
    reach = book_reach(graph_of_selection(chosen))
    assert (len(chosen.kept()), reach.positions) == (4, 1)
    assert [(side.side, side.plies, side.gaps) for side in reach.sides] == [
        ("first", 3.0, 0),
        ("second", 1.0, 1),
    ]
