"""Books as lists of moves: weights by a statistic, scaled without changing their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.foreign_books import rows_of, tally_of
from support.selections import LITERATURE

import bookbuilder as bb
from bookbuilder.book.formats.moves import MoveBook, merged, move_table, scaled_weights

WEIGHTS = st.lists(st.one_of(st.integers(0, 10), st.integers(0, 2**64 - 1)), min_size=1, max_size=40)


@given(WEIGHTS, st.sampled_from([9, 255, 65535, 2**31 - 1]))
def test_scaled_weights_fit_and_keep_order(weights: list[int], limit: int) -> None:
    scaled = scaled_weights(np.array(weights, np.uint64), limit).tolist()
    assert max(scaled) <= limit
    in_order = [new for _, new in sorted(zip(weights, scaled, strict=True))]
    assert in_order == sorted(in_order)
    if max(weights) <= limit:
        assert scaled == weights
    else:
        assert max(scaled) == limit


@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_move_book_has_kept_moves_and_counts(game: bb.Game) -> None:
    chosen = bb.select(tally_of(game), LITERATURE, shape="moves", min_win_rate="0.4", min_games=2)
    book = MoveBook.from_selection(chosen)
    kept = chosen.to_pandas().query("kept")
    expected = kept[["key", "lock", "move", "played", "wins", "draws", "losses", "quality"]]
    assert rows_of(book, "games", "wins", "draws", "losses", "quality") == sorted(
        expected.itertuples(index=False, name=None)
    )
    assert book.column("weight").tolist() == (2 * book.column("wins") + book.column("draws")).tolist()
    dropped = (~chosen.to_pandas()["kept"]) & (chosen.to_pandas()["move"] != 0)
    assert book.bridges.num_rows == dropped.sum() > 0
    key, weight = book.column("key"), book.column("weight").astype(np.int64)
    assert (key[1:] >= key[:-1]).all()
    assert ((key[1:] != key[:-1]) | (weight[1:] <= weight[:-1])).all()


def test_merged_rows_add_up_and_keep_their_order() -> None:
    table = move_table(
        3,
        key=np.array([9, 5, 9], np.uint64),
        move=np.array([7, 7, 7], np.uint16),
        weight=np.array([1, 2, 4], np.uint64),
        quality=np.array([3, 1, 2], np.uint8),
    )
    once = merged(table)
    assert once.column("key").to_pylist() == [9, 5]
    assert once.column("weight").to_pylist() == [5, 2]
    assert once.column("quality").to_pylist() == [3, 1]
    assert once.column("games").null_count == 2
    assert merged(table.slice(0, 0)).num_rows == 0
