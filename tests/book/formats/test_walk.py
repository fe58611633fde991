"""Many positions at once, and walks over books, compared with single positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.foreign_books import tally_of, whole_book
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder import _core
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.walk import follow
from bookbuilder.errors import FenError, MoveError, OptionError
from bookbuilder.games.columns import PositionIndex, mirror_moves, rows_table
from bookbuilder.schema import from_native

FENS = {
    "chess": [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "8/P6k/8/8/8/8/6Kp/8 b - - 0 1",
    ],
    "xiangqi": [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b - - 0 1",
        "4k4/9/9/9/9/9/9/4C4/4A4/3K5 w - - 0 1",
    ],
}


def column(stream: _core.ArrowStream, name: str) -> list[object]:
    """One column of a native table."""
    return from_native(stream).column(name).to_pylist()


@pytest.mark.parametrize(("game", "fold"), [("chess", False), ("xiangqi", False), ("xiangqi", True)])
def test_an_index_finds_the_legal_moves_to_its_positions(game: bb.Game, fold: bool) -> None:
    ones = [bb.Position(game, fen) for fen in FENS[game]]
    moves = [
        (place, move, one.play(move).stored(fold)) for place, one in enumerate(ones) for move in one.moves()
    ]
    wanted = sorted({stored for _, move, stored in moves if move % 3 == 0})
    keys, locks = zip(*wanted, strict=True)
    key, lock = np.array(keys, np.uint64), np.array(locks, np.uint32)
    found = PositionIndex(key, lock).successors(_core.Positions(game, FENS[game]), fold=fold)
    expected = [(place, move, wanted.index(at)) for place, move, at in moves if at in wanted]
    assert list(zip(*(each.tolist() for each in found), strict=True)) == expected
    by_key = PositionIndex(key)
    assert by_key.find(key, lock + np.uint32(1)).tolist() == list(range(key.size))
    assert PositionIndex(key, lock).find(key, lock + np.uint32(1)).tolist() == [-1] * key.size
    assert PositionIndex(key, lock).find(key, None).tolist() == list(range(key.size))


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_many_positions_match_single_positions(game: bb.Game) -> None:
    many, ones = _core.Positions(game, FENS[game]), [bb.Position(game, fen) for fen in FENS[game]]
    assert (len(many), many.game) == (len(ones), game)
    for fold in (False, True):
        keys = from_native(many.keys(fold))
        assert list(zip(*(keys.column(n).to_pylist() for n in ("key", "lock")), strict=True)) == [
            one.stored(fold) for one in ones
        ]
        assert keys.column("side").to_pylist() == [one.side for one in ones]
    assert column(many.fens(), "fen") == [one.fen for one in ones]
    moves = from_native(many.legal_moves())
    pairs = list(zip(moves.column("index").to_pylist(), moves.column("move").to_pylist(), strict=True))
    assert pairs == [(place, move) for place, one in enumerate(ones) for move in one.moves()]
    after, legal = many.play(moves)
    assert all(column(legal, "legal"))
    assert column(after.fens(), "fen") == [ones[place].play(move).fen for place, move in pairs]
    for notation in _core.notations(game):
        assert column(many.texts(moves, notation), "text") == [
            ones[place].format_move(move, notation) for place, move in pairs
        ]
    swapped = many.take(rows_table(index=np.array([1, 0, 1], np.uint32)))
    assert column(swapped.fens(), "fen") == [ones[place].fen for place in (1, 0, 1)]


def test_illegal_moves_are_reported_and_skipped() -> None:
    start = _core.Positions("chess")
    moves = rows_table(index=np.zeros(3, np.uint32), move=np.array([0, 796, 65535], np.uint16))
    after, legal = start.play(moves)
    assert column(legal, "legal") == [False, True, False]
    assert column(after.fens(), "fen") == ["rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]
    with pytest.raises(MoveError, match="move code 0"):
        start.texts(moves, "san")
    with pytest.raises(OptionError, match="index 1 is beyond the 1 positions"):
        start.take(rows_table(index=np.array([1], np.uint32)))
    with pytest.raises(OptionError, match="notation"):
        start.texts(moves, "wxf")
    with pytest.raises(FenError, match="8 ranks"):
        _core.Positions("chess", ["8/8 w - - 0 1"])
    assert len(start.take(rows_table(index=np.empty(0, np.uint32)))) == 0


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_a_walk_reaches_every_row_of_a_whole_tally(game: bb.Game) -> None:
    book = whole_book(game)
    reached = follow(book, notations=["uci" if game == "chess" else "iccs"], fens=True)
    assert sorted(reached.row[reached.row >= 0].tolist()) == list(range(len(book)))
    # A tally holds the first move that a game played from a position: others of that game may lead on.
    assert 0 < (reached.row < 0).sum() < 10
    assert reached.illegal.size == 0
    # Each move, played on a single board, leads where the walk says.
    texts = next(iter(reached.texts.values()))
    for edge in np.flatnonzero(reached.row >= 0)[::37]:
        before = bb.Position(game, reached.fens[reached.position[edge]])
        row = int(reached.row[edge])
        assert before.stored(book.fold) == (book.column("key")[row], book.column("lock")[row])
        move = int(reached.move[edge])
        assert before.stored_move(move, book.fold) == book.column("move")[row]
        assert before.coordinates(move) == texts[edge]
        child = int(reached.child[edge])
        assert before.play(move).stored(book.fold) == (reached.key[child], reached.lock[child])
    plies = tally_of(game).to_pandas().groupby(["key", "lock"])["ply"].min()
    found = dict(zip(zip(reached.key.tolist(), reached.lock.tolist(), strict=True), reached.ply, strict=True))
    assert all(found[at] <= ply for at, ply in plies.items() if at in found)


def test_book_of_one_side_is_walked_across_replies() -> None:
    # A game may repeat a position and play another move, and only its first move there is counted.
    chosen = bb.select(
        tally_of("chess"), LITERATURE, shape="moves", min_win_rate=0, for_side="first", max_ply=20
    )
    whole = MoveBook.from_selection(chosen)
    bare = MoveBook(table=whole.table, game="chess", fold=False, statistic="own")
    assert np.unique(follow(bare).row[follow(bare).row >= 0]).size == len(bare)


@settings(max_examples=30)
@given(st.integers(0, 89), st.integers(0, 89))
def test_mirrored_moves_match_mirrored_squares(origin: int, target: int) -> None:
    code = np.array([origin << 7 | target], np.uint16)
    (mirrored,) = mirror_moves(code).tolist()
    assert (mirrored >> 7, mirrored & 127) == tuple(p // 9 * 9 + 8 - p % 9 for p in (origin, target))
    assert mirror_moves(mirror_moves(code)).tolist() == code.tolist()
