"""The tuner selects like `select`, with sliders or without."""

from __future__ import annotations

import pytest
from support.selections import LITERATURE

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


def test_sliders_change_selection_and_picture(tally) -> None:
    tuner = Tuner(tally, min_games=2)
    box = tuner.widget()
    *_, picture, summary = box.children
    before = bytes(picture.value)
    assert before.startswith(PNG)
    by_name = sliders(box)
    by_name["P ≥"].value = 0.57
    by_name["games ≥"].value = 3
    wanted = select(tally, LITERATURE, min_win_rate="0.57", min_games=3)
    assert tuner.selection().reasons() == wanted.reasons()
    assert f"{wanted.reasons()['']:,} positions" in summary.value
    assert bytes(picture.value) != before
    by_name["plies ≤"].value = 9
    assert (
        tuner.selection().reasons()
        == select(tally, LITERATURE, min_win_rate="0.57", min_games=3, max_ply=9).reasons()
    )


def test_sliders_and_picture_in_a_kernel(tally, monkeypatch) -> None:
    monkeypatch.setattr("bookbuilder.analysis.tuner._is_in_kernel", lambda: True)
    assert set(Tuner(tally)._repr_mimebundle_()) == {"text/plain", "image/png", LIVE}


def test_picture_without_ipywidgets(tally, monkeypatch) -> None:
    monkeypatch.setattr("bookbuilder.analysis.tuner._is_in_kernel", lambda: True)
    monkeypatch.setattr("bookbuilder.analysis.tuner.find_spec", lambda _: None)
    assert set(Tuner(tally)._repr_mimebundle_()) == {"text/plain", "image/png"}
    with pytest.raises(OptionError, match="ipywidgets"):
        Tuner(tally).widget()


def test_invalid_tuner_options_are_rejected(tally) -> None:
    with pytest.raises(SelectionError):
        Tuner(tally, min_win_rate="1.2")
    with pytest.raises(OptionError, match="empty"):
        Tuner(Tally.empty(tally.options))
