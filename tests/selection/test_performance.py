"""Results against ratings: performance as column, threshold and weight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import bookbuilder as bb
from bookbuilder.ratios import performance
from bookbuilder.tally.tally import Tally


def expected(rows: list[dict[str, Any]]) -> Fraction | None:
    """Return the performance of rows of one mover, row by row."""
    paired = sum(row["paired"] for row in rows)
    gained = sum(row["surplus"] for row in rows) * (1 if rows[0]["mover"] == 0 else -1)
    return (
        max(min(Fraction(1, 2) + Fraction(gained, 100 * paired), Fraction(1)), Fraction(0))
        if paired
        else None
    )


def test_performance_is_one_half_and_the_mean_surplus() -> None:
    surplus, paired = np.array([0, 250, -3_000, 900, 5]), np.array([4, 10, 40, 1, 0], np.uint64)
    assert performance(surplus, paired)[:4].tolist() == [0.5, 0.75, 0.0, 1.0]
    assert np.isnan(performance(surplus, paired)[4])
    numbers = [performance(int(s), int(n)) for s, n in zip(surplus[:4], paired[:4], strict=True)]
    assert performance(surplus, paired)[:4].tolist() == numbers


def test_colours_swapped_give_the_same_performance(tmp_path) -> None:
    game = '[WhiteElo "{}"]\n[BlackElo "{}"]\n[Result "{}"]\n\n1. e4 e5 2. Nf3 {}\n\n'
    games = [(2500, 2300, "1/2-1/2"), (2200, 2600, "1-0"), (2400, 0, "1-0"), (2400, 2400, "*")]
    path = tmp_path / "a.pgn"
    path.write_text("".join(game.format(*each, each[2]) for each in games), encoding="utf-8")
    tally = Tally.from_archives(path)
    # A draw of the better player, who is expected to score 76 %, and a win where 9 % are expected.
    first = tally.moves("startpos").iloc[0]
    assert (first["paired"], first["performance"]) == (2, pytest.approx(0.5 + (0.91 - 0.26) / 2))
    after = bb.Position("chess")
    replies = tally.moves(after.play(after.parse_move("e2e4"))).iloc[0]
    assert (replies["paired"], replies["performance"]) == (2, pytest.approx(0.5 - (0.91 - 0.26) / 2))
