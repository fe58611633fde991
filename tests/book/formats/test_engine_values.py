"""Values of an engine in exports: python-chess and our own readers find them, and other books have none."""

from __future__ import annotations

from pathlib import Path

import chess
import chess.engine
import chess.pgn
import numpy as np
import pyarrow as pa
import pytest
from support.foreign_books import tally_of
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.book.formats.registry import read_moves
from bookbuilder.book.formats.walk import UNREACHED
from bookbuilder.games.position import Game
from bookbuilder.schema import EVALS
from bookbuilder.selection.engine import OF_ENGINE

OPTIONS = {"shape": "moves", "min_win_rate": "0.4", "min_games": 2}


def scores_of(game: Game) -> bb.Evals:
    """Evaluations of two thirds of the positions, with a mate of each side among them."""
    places = tally_of(game).to_pandas()[["key", "lock"]].drop_duplicates()
    places = places[places["key"] % 3 != 0]
    score = (places["key"] // 3 % 301).astype(int).to_numpy() - 150
    score[::7], score[1::7] = 29_994, -29_998
    known = {"key": places["key"], "lock": places["lock"], "score": score}
    known |= {"engine": ["E"] * len(places), "limit": ["nodes=9"] * len(places)}
    columns = [
        pa.array(known[each.name], each.type) if each.name in known else pa.nulls(len(places), each.type)
        for each in EVALS
    ]
    return bb.Evals.of(pa.Table.from_arrays(columns, schema=EVALS), game)


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def valued(request: pytest.FixtureRequest) -> bb.MoveBook:
    """A book of a selection with evaluations."""
    game: Game = request.param
    return bb.MoveBook.from_selection(
        bb.select(tally_of(game), LITERATURE, evals=scores_of(game), veto=None, **OPTIONS)
    )


@pytest.fixture(scope="module")
def chess_book() -> bb.MoveBook:
    """The same for chess."""
    return bb.MoveBook.from_selection(
        bb.select(tally_of("chess"), LITERATURE, evals=scores_of("chess"), veto=None, **OPTIONS)
    )


def by_move(book: bb.MoveBook) -> dict[tuple[int, int, int], tuple[float | None, ...]]:
    """The values of each move."""
    assert book.engine is not None
    places = zip(*(book.table.column(name).to_pylist() for name in ("key", "lock", "move")), strict=True)
    columns = zip(*(book.engine.column(name).to_pylist() for name in OF_ENGINE), strict=True)
    return dict(zip(places, columns, strict=True))


def test_values_are_those_of_the_selection(chess_book: bb.MoveBook) -> None:
    chosen = bb.select(tally_of("chess"), LITERATURE, evals=scores_of("chess"), veto=None, **OPTIONS)
    rows = chosen.kept().to_pylist()
    expected = {(r["key"], r["lock"], r["move"]): tuple(r[name] for name in OF_ENGINE) for r in rows}
    assert by_move(chess_book) == expected
    engine = [row[0] for row in expected.values()]
    assert None in engine
    assert {-29_994.0, 29_998.0} & set(engine)


def test_listings_keep_values(valued: bb.MoveBook, tmp_path: Path) -> None:
    report = bb.write_moves(tmp_path / "a.csv", valued)
    assert report.lost == {}
    again = read_moves(tmp_path / "a.csv")
    assert by_move(again) == by_move(valued)
    assert again.table.equals(valued.table)


def test_python_chess_reads_the_evals_of_pgn(chess_book: bb.MoveBook, tmp_path: Path) -> None:
    report = bb.write_moves(tmp_path / "a.pgn", chess_book)
    known = by_move(chess_book)
    with (tmp_path / "a.pgn").open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    ahead: list[chess.pgn.GameNode] = [game]
    mates = found = 0
    while ahead:
        node = ahead.pop()
        ahead += node.variations
        if not isinstance(node, chess.pgn.ChildNode) or not node.comment:
            continue
        here = bb.as_position(node.parent.board().fen(), "chess")
        score = known[(*here.stored(False), here.parse_move(node.move.uci()))][0]
        value = node.eval()
        found += 1
        if value is None or score is None:
            assert value is score
            continue
        side = chess.WHITE if here.side == 0 else chess.BLACK
        if abs(score) < 1000:
            assert value.pov(side) == chess.engine.Cp(round(score))
        else:
            assert value.pov(side) == chess.engine.Mate(1 if score > 0 else -3)
            mates += 1
        assert node.comment.split("] ")[1][0].isdigit()
    assert (mates > 0, found) == (True, len(chess_book) - report.lost.get(UNREACHED, 0))
    assert report.lost["backed-up and expected values"] > 0


def test_epd_has_the_value_for_the_side_to_move(chess_book: bb.MoveBook, tmp_path: Path) -> None:
    report = bb.write_moves(tmp_path / "a.epd", chess_book)
    scores = scores_of("chess")
    with_value = 0
    lines = (tmp_path / "a.epd").read_text().splitlines()
    reached = set()
    for place, row in by_move(chess_book).items():
        if row[0] is not None:
            reached.add(place)
    for line in lines:
        board = chess.Board()
        operations = board.set_epd(line)
        assert list(operations) == [name for name in ("bm", "c0", "ce") if name in operations]
        if "ce" in operations:
            key, lock = bb.Position("chess", board.fen()).stored(False)
            found = scores.values(np.array([key], np.uint64), np.array([lock], np.uint32)).score
            assert operations["ce"] == found[0]
            with_value += 1
    assert 0 < with_value < len(lines)
    ends = report.lost["values of an engine where the book ends"]
    assert with_value + ends <= len(reached)
