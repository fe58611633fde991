"""Presets: names, options, and the recipes that name them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bookbuilder.errors import SelectionError
from bookbuilder.selection.options import PRESETS, SelectionOptions, minimum_for, preset, preset_of
from bookbuilder.selection.select import select
from bookbuilder.selection.verdicts import needed_games


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("shape", ["positions", "moves"])
@pytest.mark.parametrize("game", ["chess", "xiangqi"])
def test_preset_is_known_by_its_options(name, shape, game) -> None:
    options = preset(name, shape=shape)
    assert preset_of(options, game) == name
    assert preset_of(options.resolved(game, 2_000_000), game) == name
    assert SelectionOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


def test_unknown_preset_is_refused() -> None:
    with pytest.raises(SelectionError, match="preset x: expected engine, broad, human, repertoire"):
        preset("x")


def test_recipe_names_its_preset(make_tally) -> None:
    tally = make_tally()
    for name in PRESETS:
        recipe = select(tally, preset(name)).recipe
        assert recipe.get("preset") == name
    assert "preset" not in select(tally, top=2).recipe


def test_one_game_more_changes_the_minimum_at_one_ply_at_most() -> None:
    plies = np.arange(1, 61)
    for games in (*range(20, 4_000, 7), 12_000, 138_608, 249_999, 10**6, 10**7):
        before, after = (needed_games(minimum_for(count), plies) for count in (games, games + 1))
        assert (before >= 1).all()
        assert (np.diff(before) >= 0).all()
        assert (after - before).sum() in (0, 1, 21)  # the last ply stands for those after it
        assert (needed_games(3, plies) == 3).all()
    assert SelectionOptions(min_games=1).resolved("chess", games).min_games == 1
    assert preset("repertoire").resolved("chess", games).opponent.min_games == minimum_for(games)


def test_power_of_weights_depends_on_the_game() -> None:
    assert [SelectionOptions().resolved(game, 0).sharpen for game in ("chess", "xiangqi")] == [3, 2]
    assert SelectionOptions(sharpen=1).resolved("chess", 0).sharpen == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 2}, "expected a number from 0 to 1"),
        ({"margin": "x"}, "expected a number from 0 to 1"),
        ({"sharpen": -1}, "sharpen is -1: expected at least 0"),
        ({"sharpen": 9}, "sharpen is 9: expected at most 8"),
        ({"sharpen": "x"}, "sharpen is x: expected a whole number or auto"),
        ({"quality": "p=1"}, "quality is p=1: expected a function"),
        ({"min_games": "some"}, "expected a whole number or auto"),
    ],
)
def test_invalid_option_is_refused(options, message) -> None:
    with pytest.raises(SelectionError, match=message):
        SelectionOptions(**options)
