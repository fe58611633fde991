"""Clustered books as lists of moves, and back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.foreign_books import rows_of, tally_of, usual_book
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.book.formats.clustered import read_clustered, write_clustered
from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.book.formats.walk import follow

GAMES = ["chess", "xiangqi"]


@pytest.mark.parametrize("game", GAMES)
def test_moves_of_a_book_lead_to_its_records(tmp_path: Path, game: bb.Game) -> None:
    chosen = bb.select(tally_of(game), LITERATURE, min_win_rate=0, min_games=2)
    path = tmp_path / "a.book"
    opened = bb.Book.write(path, chosen)
    book = read_clustered(path)
    assert book.basis == "reached"
    start = bb.Position(game)
    expected = opened.moves(start)
    stored = {start.stored_move(code, opened.fold): row for code, *row in expected[
        ["code", "reached", "wins", "draws", "losses", "quality"]
    ].itertuples(index=False)}  # fmt: skip
    at_start = rows_of(book, "games", "wins", "draws", "losses", "quality")
    found = {
        move: list(rest) for key, lock, move, *rest in at_start if (key, lock) == start.stored(opened.fold)
    }
    assert found == stored
    heaviest = [row for row in book.table.to_pylist() if row["key"] == start.stored(opened.fold)[0]]
    assert [row["weight"] for row in heaviest] == sorted((row["weight"] for row in heaviest), reverse=True)


@pytest.mark.parametrize("game", GAMES)
def test_moves_that_lead_to_one_position_add_up(tmp_path: Path, game: bb.Game) -> None:
    book = usual_book(game)
    _, lost = write_clustered(tmp_path / "a.book", book)
    assert lost["moves that the start position does not lead to"] == 0
    frame = bb.Book.open(tmp_path / "a.book").to_pandas()
    records = dict(zip(zip(frame["key"], frame["lock"], strict=True), frame["usage"].tolist(), strict=True))
    reached = follow(book, fens=True)
    expected: dict[tuple[int, int], int] = {}
    games = book.column("games").tolist()
    for edge in np.flatnonzero(reached.row >= 0):
        before = bb.Position(game, reached.fens[reached.position[edge]])
        after = before.play(int(reached.move[edge])).stored(book.fold)
        expected[after] = expected.get(after, 0) + games[reached.row[edge]]
    assert records == expected


def test_weights_alone_become_usage(tmp_path: Path) -> None:
    book = usual_book("chess")
    table = move_table(len(book), **{name: book.column(name) for name in ("key", "lock", "move", "weight")})
    bare = MoveBook(table=table, game="chess", fold=False, statistic="own")
    _, lost = write_clustered(tmp_path / "a.book", bare)
    assert lost["games and results, unknown: weights stand for usage"] == len(book)
    opened = bb.Book.open(tmp_path / "a.book")
    start = {row[2]: row[3] for row in rows_of(book, "weight") if row[0] == bb.Position("chess").key}
    # A position that several moves lead to has the weights of all of them.
    assert all(weight >= max(start[code], 1) for code, weight in opened.weighted_moves(bb.Position("chess")))
    moves = opened.moves("startpos")
    assert (moves["quality"] == 0).all()
    assert (moves["first_wins"] == 0).all()
