"""Quality: five bits of a book record, 0 … 31.

In come candidates; out comes one number each. The default blends the five sources of judgement that the
literature names, each as a term from 0 to 1, by the weights of one table:

| term | weight | formula | unknown |
|---|---|---|---|
| result | 50 | (W + 5) / (W + L + 10): P, shrunk towards 1/2 as if ten more games had been split | |
| usage | 20 | n / (n + 50), n the games that reached the position or played the move | |
| marks | 15 | (1 + m / (abs(m) + 3)) / 2, m the annotation marks in favour of the side | m = 0 |
| rating | 10 | (mean rating - 1800) / 1000, cut to 0 … 1 | 1/2 |
| recency | 5 | 20 / (20 + age), age in years before the newest year of the tally | 1/2 |

quality = floor(31 · (sum of weight · term) / 100 + 1/2). Only the four operations are used, which every
machine rounds alike, so the same tally gives the same book everywhere; and none of them turns an order round,
so quality never falls when a term rises. The constants are chosen, not tuned: frequency, result and
annotation carry most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.candidates import Candidates
from bookbuilder.errors import SelectionError
from bookbuilder.ratios import Ratios

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMULA", "MAX_QUALITY", "WEIGHTS", "QualityFunction", "checked_quality", "default_quality"]

MAX_QUALITY: Final = 31
"""Largest quality that a record's five bits hold; the core's `MAX_QUALITY`, and a test compares them."""

WEIGHTS: Final = {"result": 50, "usage": 20, "marks": 15, "rating": 10, "recency": 5}
"""Weight of each term, in per cent."""

FORMULA: Final = (
    "floor(31 * (50*(W+5)/(W+L+10) + 20*n/(n+50) + 15*(1+m/(abs(m)+3))/2"
    " + 10*clip((rating-1800)/1000, 0, 1) + 5*20/(20+age)) / 100 + 1/2)"
)
"""The default formula as one line; a book's recipe quotes it."""

QualityFunction: TypeAlias = "Callable[[pd.DataFrame], npt.ArrayLike]"
"""A user's formula: from a frame with the columns of the selection to one number, 0 … 31, for each row."""


def default_quality(candidates: Candidates) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: any candidates; recency is measured from their newest year.

    Returns:
        uint8 array, 0 … 31.

    Source: own; the five sources of judgement are those of the literature on opening libraries.
    """
    wins, losses = candidates.wins.astype(np.float64), candidates.losses.astype(np.float64)
    games, marks = candidates.games.astype(np.float64), candidates.marks.astype(np.float64)
    terms: dict[str, Ratios] = {
        "result": (wins + 5) / (wins + losses + 10),
        "usage": games / (games + 50),
        "marks": (1 + marks / (np.abs(marks) + 3)) / 2,
        "rating": _rating_term(candidates),
        "recency": _recency_term(candidates),
    }
    blend = np.zeros(len(candidates))
    for name, weight in WEIGHTS.items():
        blend += weight * terms[name]
    return np.clip(np.floor(MAX_QUALITY * blend / 100 + 0.5), 0, MAX_QUALITY).astype(np.uint8)


def checked_quality(values: npt.ArrayLike, rows: int) -> npt.NDArray[np.uint8]:
    """Return what a user's formula gave, rounded to whole numbers, halves up.

    Args:
        values: one number for each row.
        rows: how many are expected.

    Raises:
        SelectionError: there are more or fewer, or one is no number from 0 to 31.
    """
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SelectionError(f"quality: expected numbers from 0 to {MAX_QUALITY}: {error}") from error
    if given.shape != (rows,):
        raise SelectionError(f"quality: expected {rows} numbers, found an array of shape {given.shape}")
    rounded = np.floor(given + 0.5)
    wrong = ~((rounded >= 0) & (rounded <= MAX_QUALITY))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise SelectionError(f"quality: row {row} is {given[row]}, expected 0 to {MAX_QUALITY}")
    return rounded.astype(np.uint8)


def mean_rating(candidates: Candidates) -> Ratios:
    """Return the mean of the known ratings of each candidate; NaN where none is known."""
    rated = candidates.rated.astype(np.float64)
    mean: Ratios = np.full(len(candidates), np.nan)
    np.divide(candidates.rating_sum, rated, out=mean, where=rated > 0)
    return mean


def _rating_term(candidates: Candidates) -> Ratios:
    mean = mean_rating(candidates)
    return np.where(np.isnan(mean), 0.5, np.clip((mean - 1800) / 1000, 0, 1))


def _recency_term(candidates: Candidates) -> Ratios:
    year = candidates.year_max.astype(np.float64)
    age = year.max(initial=0) - year
    return np.where(year == 0, 0.5, 20 / (20 + age))
