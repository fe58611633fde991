"""Quality: five bits of a book record, 0 … 31.

In come candidates, or the counts of one; out comes one number each. The default blends the five sources of
judgement that the literature names, each as a term from 0 to 1, by the weights of one table:

| term | weight | formula | unknown |
|---|---|---|---|
| result | 50 | (W + 5) / (W + L + 10): P, shrunk towards 1/2 as if ten more games had been split | |
| usage | 20 | n / (n + 50), n the games that reached the position or played the move | |
| marks | 15 | (1 + m / (abs(m) + 3)) / 2, m the annotation marks in favour of the side | m = 0 |
| rating | 10 | (mean rating - 1800) / 1000, cut to 0 … 1 | 1/2 |
| recency | 5 | 20 / (20 + age), age in years before the newest year of the tally | 1/2 |

quality = floor(31 · (sum of weight · term) / (sum of weights) + 1/2). Only the four operations are used,
which every machine rounds alike, so the same tally gives the same book everywhere; and none of them turns an
order round, so quality never falls when a term rises. The default weights are chosen, not tuned: frequency,
result and annotation carry most. Other weights may be given, by name; a term without one weighs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from bookbuilder.errors import SelectionError
from bookbuilder.ratios import Counts, Ratios, blocks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

    from bookbuilder.selection.candidates import Candidates

__all__ = [
    "FORMULA",
    "MAX_QUALITY",
    "WEIGHTS",
    "QualityFunction",
    "QualityWeights",
    "blended_quality",
    "checked_quality",
    "mean_rating",
    "parse_weights",
    "quality_of",
]

MAX_QUALITY: Final = 31
"""Largest quality that a record's five bits hold; the core's `MAX_QUALITY`, and a test compares them."""

WEIGHTS: Final[Mapping[str, int]] = {"result": 50, "usage": 20, "marks": 15, "rating": 10, "recency": 5}
"""Weight of each term by default, in per cent."""

FORMULA: Final = (
    "floor(31 * (50*(W+5)/(W+L+10) + 20*n/(n+50) + 15*(1+m/(abs(m)+3))/2"
    " + 10*clip((rating-1800)/1000, 0, 1) + 5*20/(20+age)) / 100 + 1/2)"
)
"""The default formula as one line; a book's recipe quotes it."""

QualityFunction: TypeAlias = "Callable[[pd.DataFrame], npt.ArrayLike]"
"""A user's formula: from a frame with the columns of the selection to one number, 0 … 31, for each row."""


QualityWeights: TypeAlias = Mapping[str, "str | int | float | Fraction"]
"""Weights of terms by name; `p` is another name of `result`."""

_ALIASES: Final = {"p": "result"}
_Number = TypeVar("_Number", float, Ratios)


def parse_weights(weights: str | QualityWeights) -> dict[str, Fraction]:
    """Return the weight of each term that has one, exactly, in the order of `WEIGHTS`.

    Args:
        weights: a text such as `usage=1,p=2,rating=1,recency=0.5,marks=1`, or the same as a mapping.

    Raises:
        SelectionError: a term is unknown or named twice, a weight is no number from 0, or all are 0.

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
                f'quality: "{given}" is no term: expected NAME=WEIGHT with a name of {known}'
            )
        if name in found:
            raise SelectionError(f'quality: "{given}" is given twice')
        try:
            found[name] = Fraction(str(value).strip())
        except (ValueError, ZeroDivisionError) as error:
            raise SelectionError(f'quality: weight "{value}" of {given} is no number') from error
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


def blended_quality(candidates: Candidates, weights: QualityWeights = WEIGHTS) -> npt.NDArray[np.uint8]:
    """Return the quality of each candidate by the formula at the head of this module.

    Args:
        candidates: any candidates; recency is measured from their newest year.
        weights: of the terms.

    Returns:
        uint8 array, 0 … 31.

    Raises:
        SelectionError: the weights have no meaning.

    Source: own; the five sources of judgement are those of the literature on opening libraries.
    """
    import numpy as np

    exact = parse_weights(weights)
    # Whole numbers, so that a multiple of the same weights gives the same quality.
    common = math.lcm(*(weight.denominator for weight in exact.values()))
    whole = {name: int(weight * common) for name, weight in exact.items()}
    newest = int(candidates.year_max.max(initial=0))
    quality = np.empty(len(candidates), dtype=np.uint8)
    for rows in blocks(len(candidates)):
        part = candidates.part(rows)
        blend = np.zeros(len(part))
        for name, weight in whole.items():
            blend += weight * _TERMS[name](part, newest)
        blend = MAX_QUALITY * blend / sum(whole.values())
        quality[rows] = np.clip(np.floor(blend + 0.5), 0, MAX_QUALITY)
    return quality


def quality_of(
    *, wins: int, losses: int, games: int, marks: int, rating: float | None, age: int | None
) -> int:
    """Return the quality of one candidate by the default weights, as `blended_quality` does of many.

    Args:
        wins: games that the side won.
        losses: games that it lost.
        games: games that reached the position, or played the move.
        marks: annotation marks in favour of the side.
        rating: mean of the known ratings; None = unknown.
        age: years before the newest year of the tally; None = unknown.

    Example:
        >>> quality_of(wins=60, losses=40, games=150, marks=0, rating=2400.0, age=None)
        19
    """
    terms = {
        "result": _result(wins, losses),
        "usage": _usage(games),
        "marks": _marks(marks),
        "rating": 0.5 if rating is None else min(max(_rating(rating), 0.0), 1.0),
        "recency": 0.5 if age is None else _recency(age),
    }
    blend = 0.0
    for name, weight in WEIGHTS.items():  # `sum` would round otherwise than columns do
        blend += weight * terms[name]
    return min(max(math.floor(MAX_QUALITY * blend / sum(WEIGHTS.values()) + 0.5), 0), MAX_QUALITY)


# The formulas, of numbers and of columns alike.


def _result(wins: _Number, losses: _Number) -> _Number:
    return (wins + 5) / (wins + losses + 10)


def _usage(games: _Number) -> _Number:
    return games / (games + 50)


def _marks(marks: _Number) -> _Number:
    return (1 + marks / (abs(marks) + 3)) / 2


def _rating(mean: _Number) -> _Number:
    return (mean - 1800) / 1000


def _recency(age: _Number) -> _Number:
    return 20 / (20 + age)


def _result_term(candidates: Candidates, _newest: int) -> Ratios:
    return _result(_games(candidates.wins, candidates), _games(candidates.losses, candidates))


def _usage_term(candidates: Candidates, _newest: int) -> Ratios:
    return _usage(_games(candidates.games, candidates))


def _marks_term(candidates: Candidates, _newest: int) -> Ratios:
    return _marks(candidates.marks.astype("float64"))


def _rating_term(candidates: Candidates, _newest: int) -> Ratios:
    import numpy as np

    mean = mean_rating(candidates)
    return np.where(np.isnan(mean), 0.5, np.clip(_rating(mean), 0, 1))


def _recency_term(candidates: Candidates, newest: int) -> Ratios:
    import numpy as np

    year = candidates.year_max.astype(np.float64)
    return np.where(year == 0, 0.5, _recency(newest - year))


def _games(counts: Counts, candidates: Candidates) -> Ratios:
    return counts.astype("float64") / candidates.scale


_TERMS: Final[Mapping[str, Callable[[Candidates, int], Ratios]]] = {
    "result": _result_term,
    "usage": _usage_term,
    "marks": _marks_term,
    "rating": _rating_term,
    "recency": _recency_term,
}


def checked_quality(values: npt.ArrayLike, rows: int) -> npt.NDArray[np.uint8]:
    """Return what a user's formula gave, rounded to whole numbers, halves up.

    Args:
        values: one number for each row.
        rows: how many are expected.

    Raises:
        SelectionError: there are more or fewer, or one is no number from 0 to 31.
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


def mean_rating(candidates: Candidates) -> Ratios:
    """Return the mean of the known ratings of each candidate; NaN where none is known."""
    import numpy as np

    rated = candidates.rated.astype(np.float64)
    mean: Ratios = np.full(len(candidates), np.nan)
    np.divide(candidates.rating_sum, rated, out=mean, where=rated > 0)
    return mean
