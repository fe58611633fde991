"""The five criteria of a move's worth, and how much each of them counts.

The worth of a move is n^usage · s^result · e^(strength · r/100 + date · d + annotation · a). n are its games
and s is its score. r is the mean rating of its players, and d is 20 / (20 + age of its last game in years):
both less their mean at the position, 0 where unknown. a is m / (abs(m) + 3), m the marks in its favour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Self, TypeAlias

from bookbuilder.errors import SelectionError

_LARGEST: Final = 10.0


class Criteria(NamedTuple):
    """The weight of each criterion. Usage and result count once by default, and the others do not count.

    Example:
        >>> Criteria.of("annotation=0.5,result=0")
        Criteria(usage=1.0, strength=0.0, date=0.0, result=0.0, annotation=0.5)
    """

    usage: float = 1.0
    strength: float = 0.0
    date: float = 0.0
    result: float = 1.0
    annotation: float = 0.0

    @classmethod
    def of(cls, given: CriteriaLike) -> Self:
        """Return criteria from a text or from names and numbers; the others keep their default.

        Raises:
            SelectionError: a criterion is unknown, or its weight is not a number from -10 to 10.
        """
        if isinstance(given, str):
            pairs = dict(part.partition("=")[::2] for part in given.split(","))
            given = {name.strip(): weight for name, weight in pairs.items()}
        found: dict[str, float] = {}
        for name, text in (given if isinstance(given, Mapping) else given._asdict()).items():
            if name not in cls._fields:
                raise SelectionError(f"criteria: {name or 'nothing'} is not one of {', '.join(cls._fields)}")
            try:
                found[name] = float(text)
            except (TypeError, ValueError):
                found[name] = _LARGEST + 1
            if not abs(found[name]) <= _LARGEST:
                raise SelectionError(f"criteria: {name}={text}: expected a number from -10 to 10")
        return cls(**found)

    def to_json(self) -> str:
        """Return the text that `of` takes."""
        return ",".join(f"{name}={weight:g}" for name, weight in self._asdict().items())

    def __str__(self) -> str:
        """Return the text that `of` takes."""
        return self.to_json()


CriteriaLike: TypeAlias = "Criteria | str | Mapping[str, float | str]"
"""Criteria, a text such as `annotation=0.5,result=0`, or names and numbers."""
