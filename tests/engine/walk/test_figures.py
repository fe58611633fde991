"""Figures of walks, against computations by hand."""

from __future__ import annotations

import pytest

from bookbuilder.engine.walk.figures import Estimate, book_differences, book_values
from bookbuilder.engine.walk.walk import Walk
from bookbuilder.games.position import SideName


def walk(number: int, owner: SideName, exit_cp: int, late_cp: int = 0, plies: int = 4) -> Walk:
    """A line with these values."""
    return Walk(
        number=number,
        owner=owner,
        moves=("e2e4",) * 10,
        cause="book" if number % 2 else "store",
        exit_ply=plies,
        exit_cp=exit_cp,
        late_ply=10,
        late_cp=late_cp,
    )


def lines(first: tuple[int, ...], second: tuple[int, ...]) -> list[Walk]:
    """Lines of both sides with these values at the exit."""
    return [
        walk(number, owner, value)  # type: ignore[arg-type]
        for owner, values in (("first", first), ("second", second))
        for number, value in enumerate(values, start=1)
    ]


def test_interval_of_a_mean() -> None:
    # Mean 70 / 3, s² = (40² + 10² + 50²) / 9 / 2 = 700 / 3, half-width 1.96 · √(700 / 3 / 3).
    estimate = Estimate.of([10, 20, 40])
    assert estimate.mean == pytest.approx(23.3333, abs=1e-4)
    assert estimate.margin == pytest.approx(1.959964 * 8.819171, abs=1e-4)
    assert Estimate.of([5, 5]) == Estimate(5, 0)


def test_values_of_each_side_and_their_mean() -> None:
    first, second, both = book_values({"a": lines((10, 20, 40), (-10, -10, -40))})
    assert (first.owner, second.owner, both.owner) == ("first", "second", "both")
    assert first.exit == Estimate.of([10, 20, 40])
    assert second.exit.mean == -20
    # s² = (10² + 10² + 20²) / 2 = 300, half-width 1.96 · √(300 / 3).
    assert second.exit.margin == pytest.approx(19.59964, abs=1e-4)
    assert both.exit.mean == pytest.approx((70 / 3 - 20) / 2)
    assert both.exit.margin == pytest.approx((17.28526**2 + 19.59964**2) ** 0.5 / 2, abs=1e-4)
    assert (first.walks, both.walks) == (3, 6)
    assert first.plies == Estimate(4, 0)
    assert first.causes == {"book": 2, "store": 1}
    assert both.causes == {"book": 4, "store": 2}


def test_differences_are_taken_line_by_line() -> None:
    base, other = lines((10, 200, -40), (0, 0, 0)), lines((11, 203, -38), (6, 0, 0))
    first, second, both = book_differences({"base": base, "other": other})
    assert (first.book, first.other) == ("other", "base")
    # Differences 1, 3, 2: s = 1.
    assert first.exit.mean == 2
    assert first.exit.margin == pytest.approx(1.959964 / 3**0.5, abs=1e-5)
    # Differences 6, 0, 0: s² = (16 + 4 + 4) / 2 = 12, half-width 1.96 · √(12 / 3).
    assert second.exit.mean == 2
    assert second.exit.margin == pytest.approx(3.919928, abs=1e-5)
    assert both.exit.mean == 2
    assert both.exit.margin == pytest.approx((1.131586**2 + 3.919928**2) ** 0.5 / 2, abs=1e-5)
    assert first.late == Estimate(0, 0)


def test_differences_of_one_book_are_none() -> None:
    assert book_differences({"a": lines((1, 2), (3, 4))}) == []
