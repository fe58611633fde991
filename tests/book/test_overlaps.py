"""Where lines of a book meet and where its owner has a choice."""

from __future__ import annotations

import chess
import chess.polyglot
import pytest
from support.selections import graph_of_selection

from bookbuilder.book.graph import BookGraph
from bookbuilder.book.overlaps import book_overlaps
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> BookGraph:
    """A book of all moves of three games, two of which reach one position."""
    path = tmp_path_factory.mktemp("games") / "a.pgn"
    lines = ["1. d4 Nf6 2. c4 e6 *", "1. c4 Nf6 2. d4 e6 *", "1. d4 d5 *"]
    path.write_text("\n\n".join(f'[Result "*"]\n\n{line}' for line in lines) + "\n")
    tally = Tally.from_archives(path)
    rules = {
        "min_win_rate": 0,
        "min_games": 1,
        "margin": None,
        "sharpen": 0,
        "min_share": None,
    }
    return graph_of_selection(select(tally, shape="moves", **rules))


def test_transpositions_are_named_by_their_lines(graph: BookGraph) -> None:
    found = book_overlaps(graph, "first")
    assert found.transposed == 1
    (meeting,) = found.transpositions
    assert sorted(meeting.lines) == ["1. c4 Nf6 2. d4", "1. d4 Nf6 2. c4"]
    board = chess.Board()
    for move in ("d4", "Nf6", "c4"):
        board.push_san(move)
    assert chess.polyglot.zobrist_hash(chess.Board(meeting.fen)) == chess.polyglot.zobrist_hash(board)
    assert (meeting.games, meeting.count) == (2, 2)
    assert book_overlaps(graph, "second").transposed == 0


def test_choices_list_the_moves(graph: BookGraph) -> None:
    first, second = (book_overlaps(graph, side) for side in ("first", "second"))
    assert (first.choices, second.choices) == (1, 1)
    (start,) = first.first_choices
    assert (start.line, start.games, start.count) == ("", 3, 2)
    assert {move.san for move in start.moves} == {"d4", "c4"}
    (after,) = second.first_choices
    assert (after.line, {move.san for move in after.moves}) == ("1. d4", {"Nf6", "d5"})


def test_examples_are_limited(graph: BookGraph) -> None:
    found = book_overlaps(graph, "first", most=0)
    assert (found.transposed, found.transpositions, found.first_choices) == (1, (), ())
