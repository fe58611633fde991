"""Presets: names, options, and the recipes that name them."""

from __future__ import annotations

import json

import pytest
from support.selections import LITERATURE

from bookbuilder.errors import SelectionError
from bookbuilder.selection.options import GAMES_PER_STEP, OPTIONS, SelectionOptions
from bookbuilder.selection.presets import PRESETS, preset, preset_of
from bookbuilder.selection.select import select

# Options that recipes did not have before there were presets.
NEW = {"margin", "by", "prior", "own_lines", "sharpen"}


def test_engine_is_the_default() -> None:
    assert preset("engine") == SelectionOptions()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("shape", ["positions", "moves"])
def test_preset_is_known_by_its_options(name, shape) -> None:
    options = preset(name, shape=shape)
    assert preset_of(options) == name
    assert preset_of(options.for_games(2_000_000)) == name
    assert SelectionOptions.from_json(json.loads(json.dumps(options.to_json()))) == options


@pytest.mark.parametrize("name", ["engine", "broad", "own-games", "literature"])
@pytest.mark.parametrize("changes", [{"max_ply": 20}, {"min_games": 7}, {"basis": "played"}])
def test_limits_and_basis_do_not_change_the_name(name, changes) -> None:
    assert preset_of(preset(name, **changes)) in {name, "broad"}


def test_repertoire_is_for_either_side() -> None:
    for side in ("first", "second"):
        assert preset_of(preset("repertoire", for_side=side)) == "repertoire"


@pytest.mark.parametrize("changes", [{"margin": "0.03"}, {"top": 2}, {"sharpen": 2}, {"connected": True}])
def test_other_options_have_no_name(changes) -> None:
    assert preset_of(SelectionOptions(**changes)) is None


def test_unknown_preset_is_refused() -> None:
    with pytest.raises(SelectionError, match="preset x: expected engine, broad, repertoire"):
        preset("x")


def test_recipe_names_its_preset(make_tally) -> None:
    tally = make_tally()
    for name in PRESETS:
        recipe = select(tally, preset(name)).recipe
        assert recipe.get("preset") == (None if name == "literature" else name)
    assert "preset" not in select(tally, top=2).recipe


def test_recipe_of_absolute_thresholds_has_no_new_option(make_tally) -> None:
    data = select(make_tally(), LITERATURE).recipe["selection"]
    known = set(OPTIONS) - {"evals", "edits", "veto", "max_loss", "loss_scale"}
    assert set(data) == known - NEW
    assert set(preset("engine").to_json()) == known
    assert set(preset("broad").to_json()) == known - {"margin", "by", "prior", "own_lines"}


def test_old_recipe_has_no_margin_and_plain_weights() -> None:
    old = {name: value for name, value in LITERATURE.to_json().items() if name not in NEW}
    assert SelectionOptions.from_json(old) == LITERATURE
    empty = SelectionOptions.from_json({})
    assert (empty.margin, empty.sharpen, empty.own_lines) == (None, None, False)


@pytest.mark.parametrize(
    ("games", "least"), [(0, 3), (249_999, 3), (250_000, 4), (10_000_000, 43), (GAMES_PER_STEP * 97, 100)]
)
def test_default_minimum_grows_with_the_games(games, least) -> None:
    assert SelectionOptions().for_games(games).min_games == least
    assert SelectionOptions(min_games=1).for_games(games).min_games == 1
    both = preset("repertoire").for_games(games)
    assert (both.min_games, both.opponent_min_games) == (least, least)
    assert preset("repertoire", opponent_min_games=2).for_games(games).opponent_min_games == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": 2}, "expected a number from 0 to 1"),
        ({"margin": "x"}, "expected a number from 0 to 1"),
        ({"sharpen": 0}, "sharpen is 0: expected at least 1"),
        ({"sharpen": 9}, "sharpen is 9: expected at most 8"),
        ({"sharpen": "x"}, "sharpen is x: expected a whole number or off"),
        ({"prior": -1}, "prior is -1: expected at least 0"),
        ({"by": "wins"}, "by is wins: expected p or score"),
        ({"min_games": "some"}, "expected a whole number or auto"),
    ],
)
def test_invalid_option_is_refused(options, message) -> None:
    with pytest.raises(SelectionError, match=message):
        SelectionOptions(**options)


def test_words_unset_options() -> None:
    words = SelectionOptions(margin="off", min_share="off", sharpen="off", max_ply="all", min_games="auto")
    assert (words.margin, words.min_share, words.sharpen, words.max_ply, words.min_games) == (None,) * 5
