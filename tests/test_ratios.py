"""P, its Wilson bounds, and the score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookbuilder.ratios import result_figures, result_ratios, score, wilson_bounds, win_ratio


def counts(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def test_ratios_are_undefined_without_results() -> None:
    nothing = counts(0)
    low, high = wilson_bounds(nothing, nothing)
    assert np.isnan([win_ratio(nothing, nothing), low, high, score(nothing, nothing, nothing)]).all()


@pytest.mark.parametrize(
    ("wins", "losses", "low", "high"),
    # R 4: binom::binom.confint(x, n, methods = "wilson") gives these for 0/10, 5/10, 81/263.
    [(0, 10, 0.0, 0.2775328), (5, 5, 0.2365931, 0.7634069), (81, 182, 0.2552787, 0.3662063)],
)
def test_wilson_bounds_equal_published_values(wins: int, losses: int, low: float, high: float) -> None:
    found = wilson_bounds(counts(wins), counts(losses))
    assert np.allclose(np.concatenate(found), [low, high], atol=5e-5)


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_wilson_bounds_enclose_p(wins: int, losses: int) -> None:
    low, high = wilson_bounds(counts(wins), counts(losses))
    if wins + losses:
        p = wins / (wins + losses)
        assert 0.0 <= low[0] <= p <= high[0] <= 1.0


games = st.one_of(st.integers(0, 3), st.integers(0, 2**40))


@given(games, games, games, st.booleans())
def test_numbers_and_columns_give_same_ratios(first: int, draws: int, second: int, first_moves: bool) -> None:
    figures = result_figures(first, draws, second, first_moves=first_moves)
    wins, losses = (first, second) if first_moves else (second, first)
    assert (figures["wins"], figures["draws"], figures["losses"]) == (wins, draws, losses)
    low, high = wilson_bounds(counts(wins), counts(losses))
    points = score(counts(wins), counts(draws), counts(losses))
    expected = np.concatenate([win_ratio(counts(wins), counts(losses)), low, high, points])
    found = np.array([figures[name] for name in ("p", "p_low", "p_high", "score")])
    assert np.array_equal(found, expected, equal_nan=True)
    ratios = result_ratios(wins, draws, losses)
    assert {name: repr(figures[name]) for name in ratios} == {
        name: repr(each) for name, each in ratios.items()
    }
