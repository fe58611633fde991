"""The tuner keeps what `select` keeps, and shows it with sliders or without."""

from __future__ import annotations

import pytest

from bookbuilder import Tuner, select
from bookbuilder.errors import OptionError, SelectionError
from bookbuilder.tally.tally import Tally

PNG = b"\x89PNG\r\n\x1a\n"
LIVE = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def tally(make_tally) -> Tally:
    return make_tally(7, 600)


def sliders(box) -> dict:
    return {
        child.description: child for row in box.children if hasattr(row, "children") for child in row.children
    }


def test_the_selection_is_that_of_its_options(tally) -> None:
    tuner = Tuner(tally, min_win_rate="0.45", min_games=3, max_ply=20, side="first")
    wanted = select(tally, min_win_rate="0.45", min_games=3, max_ply=20, side="first")
    assert tuner.selection().reasons() == wanted.reasons()
    assert f"{wanted.reasons()['']:,} positions" in tuner.summary()


def test_sliders_change_what_is_kept_and_shown(tally) -> None:
    tuner = Tuner(tally, min_games=2)
    box = tuner.widget()
    *_, picture, summary = box.children
    before = bytes(picture.value)
    assert before.startswith(PNG)
    by_name = sliders(box)
    by_name["P ≥"].value = 0.57
    by_name["games ≥"].value = 3
    by_name["side"].value = "second"
    wanted = select(tally, min_win_rate="0.57", min_games=3, side="second")
    assert tuner.selection().reasons() == wanted.reasons()
    assert f"{wanted.reasons()['']:,} positions" in summary.value
    assert bytes(picture.value) != before
    by_name["plies ≤"].value = 9
    assert (
        tuner.selection().reasons()
        == select(tally, min_win_rate="0.57", min_games=3, side="second", max_ply=9).reasons()
    )


def test_a_slider_asks_for_the_number_it_shows(tally) -> None:
    tuner = Tuner(tally)
    sliders(tuner.widget())["P ≥"].value = 0.29  # no binary number; 29/100 is asked for
    assert tuner.min_win_rate == "0.29"


def test_without_a_kernel_it_is_a_picture(tally) -> None:
    tuner = Tuner(tally)
    shown = tuner._repr_mimebundle_()
    assert set(shown) == {"text/plain", "image/png"}
    assert shown["image/png"].startswith(PNG)
    assert shown["text/plain"] == tuner.summary()


def test_in_a_kernel_the_sliders_live_beside_the_picture(tally, monkeypatch) -> None:
    monkeypatch.setattr("bookbuilder.analysis.tuner._is_in_kernel", lambda: True)
    assert set(Tuner(tally)._repr_mimebundle_()) == {"text/plain", "image/png", LIVE}


def test_without_ipywidgets_the_picture_is_left(tally, monkeypatch) -> None:
    monkeypatch.setattr("bookbuilder.analysis.tuner._is_in_kernel", lambda: True)
    monkeypatch.setattr("bookbuilder.analysis.tuner.find_spec", lambda _: None)
    assert set(Tuner(tally)._repr_mimebundle_()) == {"text/plain", "image/png"}
    with pytest.raises(OptionError, match="ipywidgets"):
        Tuner(tally).widget()


def test_what_has_no_meaning_is_refused(tally) -> None:
    with pytest.raises(SelectionError):
        Tuner(tally, min_win_rate="1.2")
    with pytest.raises(OptionError, match="empty"):
        Tuner(Tally.empty(tally.options))
