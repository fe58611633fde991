"""Any connected book comes back from every format with all that the format stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.foreign_books import rows_of

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook, move_table
from bookbuilder.book.formats.registry import FORMATS, read_moves, write_moves

COUNTS = ("wins", "draws", "losses")
KEPT = {
    "polyglot": ("weight",),
    "abk": ("games", *COUNTS),
    "book-dat": ("weight",),
    "obk": ("weight", *COUNTS),
    "csv": ("weight", "games", *COUNTS, "quality"),
}

LINES = st.lists(st.lists(st.integers(0, 200), min_size=1, max_size=8), min_size=1, max_size=6)
Numbers = tuple[int, int, int, int, int]
NUMBERS = st.tuples(
    st.integers(1, 65535),
    st.integers(0, 9000),
    st.integers(0, 9000),
    st.integers(0, 9000),
    st.integers(0, 31),
)


def book_of(game: bb.Game, lines: list[list[int]], numbers: Callable[[], Numbers]) -> MoveBook:
    """The book of lines whose moves are chosen by number among the legal ones."""
    fold = game == "xiangqi"
    rows: dict[tuple[int, int, int], Numbers] = {}
    for line in lines:
        position = bb.Position(game)
        for choice in line:
            legal = position.moves()
            if not legal:
                break
            move = legal[choice % len(legal)]
            rows.setdefault((*position.stored(fold), position.stored_move(move, fold)), numbers())
            position = position.play(move)
    keys, locks, moves = (np.array(column, np.uint64) for column in zip(*rows, strict=True))
    weight, wins, draws, losses, quality = (
        np.array(column, np.uint64) for column in zip(*rows.values(), strict=True)
    )
    table = move_table(
        len(rows),
        key=keys,
        lock=locks,
        move=moves,
        weight=weight,
        games=wins + draws + losses,
        wins=wins,
        draws=draws,
        losses=losses,
        quality=quality,
    )
    return MoveBook(table=table, game=game, fold=fold, statistic="own")


@pytest.mark.parametrize(
    ("game", "name"), [(game, name) for name in KEPT for game in FORMATS[name].games], ids=str
)
@settings(deadline=None, max_examples=15)
@given(lines=LINES, data=st.data())
def test_written_book_reads_back(
    tmp_path_factory: pytest.TempPathFactory,
    game: bb.Game,
    name: str,
    lines: list[list[int]],
    data: st.DataObject,
) -> None:
    book = book_of(game, lines, lambda: data.draw(NUMBERS))
    path: Path = tmp_path_factory.mktemp("round") / f"a{FORMATS[name].suffix}"
    written = write_moves(path, book)
    again = read_moves(path)
    assert "moves that the start position does not lead to" not in written.lost
    assert again.lost == {}
    if name == "polyglot":  # it keeps no locks
        found, expected = ([(row[0], *row[2:]) for row in rows_of(each, "weight")] for each in (again, book))
    else:
        found, expected = (rows_of(each, *KEPT[name]) for each in (again, book))
    assert found == expected
