"""A selection from frequent positions is the selection from all, without the rows that no rule keeps."""

from __future__ import annotations

from typing import Any

import pytest

from bookbuilder._core import Position
from bookbuilder.archives.demo import demo
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game
from bookbuilder.selection.by_hand import MoveEdit, MoveEdits
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.tally import Tally

LEAST = 4
CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "early plies": {"max_ply": 7},
    "one side, early plies": {"for_side": "second", "max_ply": 6},
    "more games": {"min_games": 9},
    "own rule": {"keep": lambda rows: rows.wins >= rows.losses, "reason": "lost"},
}


@pytest.fixture(scope="module", params=["chess", "xiangqi"])
def tally(request: pytest.FixtureRequest) -> Tally:
    game: Game = request.param
    # The games of the demo are counted further than some of the cases go.
    return Tally.from_archives(*demo(game), max_ply=14)


@pytest.mark.parametrize("shape", ["positions", "moves"])
@pytest.mark.parametrize("case", CASES)
def test_same_selection_as_from_all_rows(tally: Tally, case: str, shape: str) -> None:
    options = {"min_games": LEAST, "shape": shape, **CASES[case]}
    whole, found = select(tally, **options), select(tally.frequent(LEAST), **options)
    assert found.reasons() == whole.reasons()
    assert sum(found.reasons().values()) == len(whole) > len(found)
    assert found.kept().equals(whole.kept())
    assert found.recipe == whole.recipe
    assert Selection.from_arrow(found.to_arrow()).reasons() == whole.reasons()


@pytest.mark.parametrize(
    "options",
    [
        SelectionOptions(min_games=LEAST - 1),
        SelectionOptions(min_games=LEAST, margin=None),
    ],
)
def test_refuses_rules_that_need_rare_rows(tally: Tally, options: SelectionOptions) -> None:
    with pytest.raises(SelectionError, match="lacks positions of fewer than 4 games"):
        select(tally.frequent(LEAST), options)


@pytest.mark.parametrize("shape", ["positions", "moves"])
def test_moves_kept_by_hand_are_looked_up(tally: Tally, shape: str) -> None:
    edits = rare_moves_kept(tally)
    options = SelectionOptions(min_games=LEAST, shape=shape, edits=edits)
    places = edits.kept_places(fold=tally.options.fold)
    whole, found = select(tally, options), select(tally.frequent(LEAST, also=places), options)
    assert found.reasons() == whole.reasons()
    assert found.kept().equals(whole.kept())
    with pytest.raises(SelectionError, match="select from the whole tally"):
        select(tally.frequent(LEAST), options)


def rare_moves_kept(tally: Tally) -> MoveEdits:
    """Return changes that keep a line of two rare moves."""
    edits, here = MoveEdits(tally.game), Position(tally.game)
    line: list[str] = []
    for ply in range(4):
        moves = tally.moves(here)
        move = moves.move.iloc[0 if ply < 2 else -1]
        if ply >= 2:
            edits = edits.added(MoveEdit(position=here.fen, move=move, keep=True))
        here = here.play(here.parse_move(move))
        line.append(move)
    assert tally.reached(here) < LEAST, line
    return edits
