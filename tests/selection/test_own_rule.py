"""Rules of the user's own: `select(tally, keep=…)` and `Selection.where`."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

import bookbuilder as bb
from bookbuilder.book.recipe import read_recipe
from bookbuilder.errors import BookError, SelectionError


@pytest.fixture(scope="module")
def tally(data: Path) -> bb.Tally:
    return bb.Tally.from_archives(data / "chess_selfplay.pgn", max_ply=12)


def verdicts(chosen: bb.Selection) -> list[str]:
    return chosen.table.column("reason").cast(pa.string()).to_pylist()


@pytest.mark.parametrize("shape", ["positions", "moves"])
def test_rule_sees_the_rows_that_single_rules_keep(tally: bb.Tally, shape) -> None:
    seen = []

    def keep(rows):
        seen.append(rows)
        return (rows.wins - rows.losses).sort_values() > -3  # its index says which rows are meant

    chosen = bb.select(tally, shape=shape, keep=keep, reason="negative", min_games=5)
    (rows,) = seen
    frame = chosen.to_pandas().loc[rows.index]
    assert (rows.games >= 5).all()
    assert set(frame.reason) & {"below-games", "root", "no-move"} == set()
    is_bad = frame.wins - frame.losses <= -3
    assert ((frame.reason == "negative") == is_bad).all()
    assert chosen.reasons()["negative"] == int(is_bad.sum()) > 0


def test_dropped_row_makes_its_lines_unreachable(tally: bb.Tally) -> None:
    start = bb.Position("chess")
    first = tally.moves("startpos").iloc[0]
    key = start.play(start.parse_move(first["move"])).key
    options = {"margin": None, "connected": True, "min_games": 5}
    without = bb.select(tally, keep=lambda rows: rows.key != key, reason="never", **options)
    later = bb.select(tally, **options).where(lambda rows: rows.key != key, "never")
    for chosen in (without, later):
        assert not bb.explain(tally, chosen, "startpos").set_index("move").loc[first["move"], "kept"]
        assert chosen.reasons()["never"] == 1
    # What only that move leads to is lost; `where` leaves it in the book.
    assert without.reasons().get("unreachable", 0) > later.reasons().get("unreachable", 0)


def test_reason_travels(tally: bb.Tally, tmp_path: Path) -> None:
    chosen = bb.select(tally).where(lambda rows: rows.draws == 0, "drawish")
    assert list(chosen.reasons())[-1] == "drawish"
    again = bb.Selection.from_arrow(chosen.to_arrow())
    assert again.reasons() == chosen.reasons() == pickle.loads(pickle.dumps(chosen)).reasons()
    whys = bb.explain(tally, chosen, "startpos")
    assert "dropped by your own rule: drawish" in set(whys.why)
    bb.write_book(chosen, tmp_path / "a.book")
    book = bb.Book.open(tmp_path / "a.book")
    assert len(book) == chosen.reasons()[""]
    assert book.recipe["own_rules"][0]["reason"] == "drawish"
    with pytest.raises(BookError, match=r'function in Python \("drawish"\)'):
        read_recipe(tmp_path / "a.book")


@pytest.mark.parametrize(
    ("mask", "reason", "message"),
    [
        (lambda _: [True], "own", "expected one value for each"),
        (lambda rows: rows.wins, "own", "expected bool"),
        (lambda rows: rows.wins > 0, "below-p", "reason of a rule"),
        (lambda rows: rows.wins > 0, "", "reason is empty"),
        (lambda rows: rows.wins > 0, 5, "reason is 5"),
    ],
)
def test_wrong_rule_is_refused(tally: bb.Tally, mask, reason, message) -> None:
    with pytest.raises(SelectionError, match=message):
        bb.select(tally, keep=mask, reason=reason)
    with pytest.raises(SelectionError, match=message):
        bb.select(tally).where(mask, reason)


def test_selection_of_the_other_shape_is_made_again(tally: bb.Tally) -> None:
    def rule(rows):
        return rows.games >= 4

    positions = bb.select(tally, keep=rule, reason="few", min_games=2)
    moves = positions.shaped("moves")
    assert verdicts(moves) == verdicts(bb.select(tally, shape="moves", keep=rule, reason="few", min_games=2))
    assert positions.shaped("positions") is positions
    with pytest.raises(SelectionError, match='select with shape="moves" first'):
        positions.where(lambda rows: rows.wins >= 0, "own").shaped("moves")
