"""A selection from frequent positions is the selection from all, without the rows that no rule keeps."""

from __future__ import annotations

from typing import Any

import pytest

from bookbuilder.archives.demo import demo
from bookbuilder.errors import SelectionError
from bookbuilder.games.position import Game
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import Selection, select
from bookbuilder.tally.tally import Tally

LEAST = 4
CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "one side": {"side": "first"},
    "early plies": {"max_ply": 7},
    "one side, early plies": {"side": "second", "max_ply": 6},
    "score": {"by": "score", "margin": "0.1", "prior": 3},
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
        SelectionOptions(min_games=LEAST, half_life="5y"),
        SelectionOptions(min_games=LEAST, for_side="first", opponent_min_games=1),
    ],
)
def test_refuses_rules_that_need_rare_rows(tally: Tally, options: SelectionOptions) -> None:
    with pytest.raises(SelectionError, match="lacks positions of fewer than 4 games"):
        select(tally.frequent(LEAST), options)
