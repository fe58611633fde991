"""Quality: five bits of a book record, 0 … 31.

The default blends the five sources of judgement that the literature names. Each is a term from 0 to 1 with a
weight:

| term | weight | formula | unknown |
|---|---|---|---|
| result | 50 | (W + 5) / (W + L + 10): P, shrunk towards 1/2 as if ten more games had been split | |
| usage | 20 | n / (n + 50), n the games that reached the position or played the move | |
| marks | 15 | (1 + m / (abs(m) + 3)) / 2, m the annotation marks in favour of the side | m = 0 |
| rating | 10 | (mean rating - 1800) / 1000, cut to 0 … 1 | 1/2 |
| recency | 5 | 20 / (20 + age), age in years before the newest year of the tally | 1/2 |

quality = floor(31 · (sum of weight · term) / (sum of weights) + 1/2). The formula uses only the four
operations, which every machine rounds alike, so the same tally gives the same book everywhere. Quality never
falls when a term rises. The default weights are chosen, not tuned: frequency, result and annotation carry
most. A user may give other weights by name; terms without a weight do not count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bookbuilder._core import MAX_QUALITY
from bookbuilder.errors import SelectionError
from bookbuilder.ratios import Column, blocks, quotient, where

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

__all__ = [
    "FORMULA",
    "MAX_QUALITY",
    "PICKED",
    "WEIGHTS",
    "Counted",
    "QualityFunction",
    "QualityWeights",
    "blended_quality",
    "checked_quality",
    "mean_rating",
    "parse_weights",
    "power_of",
    "quality_of",
    "quality_steps",
    "quality_value",
]

Counted: TypeAlias = Any
"""`Candidates`, or one row of them: the same attributes, but numbers instead of columns."""

WEIGHTS: Final[Mapping[str, int]] = {"result": 50, "usage": 20, "marks": 15, "rating": 10, "recency": 5}
"""Weight of each term by default, in per cent."""

FORMULA: Final = (
    "floor(31 * (50*(W+5)/(W+L+10) + 20*n/(n+50) + 15*(1+m/(abs(m)+3))/2"
    " + 10*clip((rating-1800)/1000, 0, 1) + 5*20/(20+age)) / 100 + 1/2)"
)
"""The default formula as one line; a book's recipe quotes it."""

PICKED: Final = "round(32 * w / heaviest w) - 1, w = (2*W+D)^sharpen / n of the moves at a position"
"""The formula of the quality where weights are sharpened; a book's recipe quotes it."""

QualityFunction: TypeAlias = "Callable[[pd.DataFrame], npt.ArrayLike]"
"""A user's formula: takes a frame and returns 0 … 31 for each row.

The frame has the columns of the selection up to `score`, then rating (mean, NaN = unknown), year_max (0 =
unknown), marks, paired, performance (NaN = unknown) and games, which is reached or played. Counts are signed.
"""

QualityWeights: TypeAlias = Mapping[str, "str | int | float | Fraction"]
"""Weights of terms by name; `p` is another name of `result`."""

_ALIASES: Final = {"p": "result"}


def parse_weights(weights: str | QualityWeights) -> dict[str, Fraction]:
    """Return the weight of each term that has one, exactly, in the order of `WEIGHTS`.

    Args:
        weights: a text such as `usage=1,p=2,rating=1,recency=0.5,marks=1`, or the same as a mapping.

    Raises:
        SelectionError: a term is unknown or given twice, a weight is not a number from 0, or all are 0.

    Example:
        >>> {name: str(weight) for name, weight in parse_weights("usage=1,p=2.5").items()}
        {'result': '5/2', 'usage': '1'}
    """
    if isinstance(weights, str):
        weights = _named(weights)
    known = ", ".join(("p", *WEIGHTS))
    found: dict[str, Fraction] = {}
    for given, value in weights.items():
        name = _ALIASES.get(given.strip(), given.strip())
        if name not in WEIGHTS:
            raise SelectionError(
                f'quality: "{given}" is not a term: expected NAME=WEIGHT with a name of {known}'
            )
        if name in found:
            raise SelectionError(f'quality: "{given}" is given twice')
        try:
            found[name] = Fraction(str(value).strip())
        except (ValueError, ZeroDivisionError) as error:
            raise SelectionError(f'quality: weight "{value}" of {given} is not a number') from error
        if found[name] < 0:
            raise SelectionError(f"quality: weight {value} of {given}: expected at least 0")
    if not any(found.values()):
        raise SelectionError(f"quality: expected a weight above 0 for at least one of {known}")
    return {name: found[name] for name in WEIGHTS if found.get(name)}


def _named(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, _, weight = part.partition("=")
        if name in found:
            raise SelectionError(f'quality: "{name}" is given twice')
        found[name] = weight
    return found


def blended_quality(candidates: Counted, weights: QualityWeights = WEIGHTS) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: any candidates; recency is measured from their newest year.
        weights: of the terms.

    Returns:
        uint8 array, 0 … 31.

    Raises:
        SelectionError: the weights are not valid.

    Source: own; the five sources of judgement are from the literature on opening libraries.
    """
    import numpy as np

    exact = parse_weights(weights)
    # Whole numbers, so that a multiple of the same weights gives the same quality.
    common = math.lcm(*(weight.denominator for weight in exact.values()))
    whole = {name: int(weight * common) for name, weight in exact.items()}
    newest = int(candidates.year_max.max(initial=0))
    quality = np.empty(len(candidates), dtype=np.uint8)
    for rows in blocks(len(candidates)):
        quality[rows] = _blend(candidates.part(rows), newest, whole)
    return quality


def quality_of(counted: Counted, newest_year: int) -> int:
    """Return the quality of one row by the default weights.

    Args:
        counted: counts of the row, as numbers.
        newest_year: newest year of the tally; 0 = unknown.
    """
    return int(_blend(counted, newest_year, WEIGHTS))


def _blend(c: Counted, newest_year: int, weights: Mapping[str, int]) -> Column:
    blend: Column = 0.0
    for name, weight in weights.items():  # `sum` would round differently
        blend = blend + weight * _TERMS[name](c, newest_year)
    return (MAX_QUALITY * blend / sum(weights.values()) + 0.5) // 1


def _result(c: Counted, _newest_year: int) -> Column:
    wins, losses = c.wins / c.scale, c.losses / c.scale
    return (wins + 5) / (wins + losses + 10)


def _usage(c: Counted, _newest_year: int) -> Column:
    games = c.games / c.scale
    return games / (games + 50)


def _marks(c: Counted, _newest_year: int) -> Column:
    return (1 + c.marks / (abs(c.marks) + 3)) / 2


def _rating(c: Counted, _newest_year: int) -> Column:
    term = (mean_rating(c) - 1800) / 1000
    return where(c.rated == 0, 0.5, where(term < 0, 0.0, where(term > 1, 1.0, term)))


def _recency(c: Counted, newest_year: int) -> Column:
    return where(c.year_max == 0, 0.5, 20 / (20.0 + newest_year - c.year_max))


_TERMS: Final[Mapping[str, Callable[[Counted, int], Column]]] = {
    "result": _result,
    "usage": _usage,
    "marks": _marks,
    "rating": _rating,
    "recency": _recency,
}


def mean_rating(counted: Counted) -> Column:
    """Return the mean of the known ratings; NaN where none is known."""
    return quotient(counted.rating_sum, counted.rated)


def quality_value(points: Column, games: Column, power: int) -> Column:
    """Return v of the formula in `selection.picks`, for points = 2 · W + D of a number of games above 0."""
    return power_of(points, power) / games


def quality_steps(share: Column) -> Column:
    """Return q of the formula in `selection.picks`, for v / max v; a share above 1 counts as 1."""
    steps = (MAX_QUALITY + 1) * share + 0.5
    return where(share >= 1, float(MAX_QUALITY), where(steps < 1, 0.0, steps // 1 - 1))


def power_of(base: Column, power: int) -> Column:
    """Return base^power by multiplication, which every machine rounds alike."""
    result = base
    for _ in range(power - 1):
        result = result * base
    return result


def checked_quality(values: npt.ArrayLike, rows: int) -> npt.NDArray[np.uint8]:
    """Return the values of a user's formula, rounded to whole numbers, halves up.

    Args:
        values: one number for each row.
        rows: the expected number of rows.

    Raises:
        SelectionError: there are more or fewer values, or one is not a number from 0 to 31.
    """
    import numpy as np

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
