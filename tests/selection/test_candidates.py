"""Candidates: tally rows summed by position, as the side that made the move sees them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bookbuilder.schema import TALLY
from bookbuilder.selection.candidates import count_candidates
from bookbuilder.tally.options import TallyOptions
from bookbuilder.tally.tally import Tally


def tally_of(*rows: dict[str, int]) -> Tally:
    """A tally of the rows, all other columns 0."""
    whole = [dict.fromkeys(TALLY.names, 0) | row for row in rows]
    return Tally(pa.Table.from_pylist(whole, schema=TALLY), TallyOptions(game="chess"))


FIRST = {"key": 7, "lock": 1, "mover": 1}
TWO_LOCKS = tally_of(
    {**FIRST, "move": 0, "games": 2, "first_wins": 2, "ply": 5},
    {**FIRST, "move": 9, "games": 3, "second_wins": 1, "draws": 2, "ply": 3, "marks": 2},
    {"key": 7, "lock": 2, "move": 9, "games": 1, "first_wins": 1, "ply": 8, "year_max": 1999},
)


def test_rows_of_a_position_are_summed_by_key_and_lock() -> None:
    found = count_candidates(TWO_LOCKS, "positions")
    assert len(found) == 2
    assert found.move is None
    assert found.games.tolist() == [5, 1]
    # The second side is to move at the first position, so the first side moved into it.
    assert found.side.tolist() == [0, 1]
    assert (found.wins.tolist(), found.losses.tolist()) == ([2, 0], [1, 1])
    assert found.ply.tolist() == [3, 8]
    assert found.year_max.tolist() == [0, 1999]


def test_good_marks_of_replies_count_against_the_move_before() -> None:
    assert count_candidates(TWO_LOCKS, "positions").marks.tolist() == [-2, 0]
    assert count_candidates(TWO_LOCKS, "moves").marks.tolist() == [0, 2, 0]


def test_moves_have_their_own_ply_and_the_mover_s_results() -> None:
    found = count_candidates(TWO_LOCKS, "moves")
    assert found.ply.tolist() == [5, 4, 9]
    assert found.side.tolist() == [1, 1, 0]
    assert (found.wins.tolist(), found.losses.tolist()) == ([0, 1, 1], [2, 0, 0])
    assert found.group_starts().tolist() == [0, 2]


@pytest.mark.parametrize("shape", ["positions", "moves"])
def test_empty_tally_has_no_candidates(shape) -> None:
    assert len(count_candidates(tally_of(), shape)) == 0
