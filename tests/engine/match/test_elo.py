"""Elo and SPRT against figures that others published."""

from __future__ import annotations

import pytest

from bookbuilder.engine.match.elo import Sprt, estimate_elo, expected_score, sprt_state


def game_counts(wins: int, losses: int, draws: int) -> tuple[int, int, int]:
    """Return counts of fastchess in our order."""
    return losses, draws, wins


def pair_counts(ll: int, ld: int, wl: int, dd: int, wd: int, ww: int) -> tuple[int, int, int, int, int]:
    """The order of fastchess, which tells two draws from a win each, in; ours out."""
    return ll, ld, wl + dd, wd, ww


# FIDE Handbook B.02, 8.1.2: differences and scoring probabilities.
@pytest.mark.parametrize(
    ("elo", "score"), [(0, 0.50), (50, 0.57), (100, 0.64), (200, 0.76), (300, 0.85), (-50, 0.43)]
)
def test_expected_score_matches_fide_table(elo: float, score: float) -> None:
    assert expected_score(elo) == pytest.approx(score, abs=0.01)


# Figures of fastchess's own tests (app/tests/elo_test.cpp).
@pytest.mark.parametrize(
    ("counts", "elo", "error", "los"),
    [
        (game_counts(136, 96, 111), 40.70, 30.43, 0.9960),
        (pair_counts(34, 54, 31, 32, 64, 75), 55.58, 27.65, 1.0),
        (pair_counts(332, 433, 457, 41, 333, 334), -8.64, 10.33, 0.0505),
        (pair_counts(7895, 8757, 5485, 200, 568, 9999), -21.04, 2.95, 0.0),
    ],
)
def test_elo_and_error_match_fastchess(counts: tuple[int, ...], elo: float, error: float, los: float) -> None:
    found = estimate_elo(counts)
    assert found is not None
    assert found.elo == pytest.approx(elo, rel=0.01)
    assert (found.high - found.low) / 2 == pytest.approx(error, rel=0.01)
    assert found.los == pytest.approx(los, abs=0.0005)


def test_equal_pairs_give_no_interval() -> None:
    assert str(estimate_elo((0, 0, 4, 0, 0))) == "EloEstimate(score=0.5, elo=0.0, low=nan, high=nan, los=nan)"


# Figures of fastchess's own tests (app/tests/sprt_test.cpp), logistic model.
@pytest.mark.parametrize(
    ("test", "counts", "llr"),
    [
        (Sprt(0.5, 2.5), game_counts(21404, 21184, 40708), -1.57),
        (Sprt(0, 2), game_counts(57433, 57030, 106593), -2.59),
        (Sprt(0.5, 2.5), pair_counts(223, 9863, 20279, 1000, 10037, 246), -3.07),
        (Sprt(0, 2), pair_counts(871, 26175, 55003, 980, 26678, 821), -4.98),
    ],
)
def test_llr_matches_fastchess(test: Sprt, counts: tuple[int, ...], llr: float) -> None:
    assert sprt_state(test, counts).llr == pytest.approx(llr, rel=0.01)
