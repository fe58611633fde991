"""Values of options of a selection: what users give, as it is stored, and as a recipe writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from bookbuilder.errors import SelectionError
from bookbuilder.games.position import SideName
from bookbuilder.games.ruling import RULES_KNOWN, Rule
from bookbuilder.selection.by_hand import MoveEdits
from bookbuilder.selection.evidence import Evidence
from bookbuilder.selection.quality import QualityFunction, QualityWeights, parse_weights

if TYPE_CHECKING:
    from bookbuilder._core import Position

__all__ = ["RepetitionJudge", "as_quality", "as_repetition", "plain_value"]

RepetitionJudge: TypeAlias = "Callable[[Position, tuple[str, ...]], SideName | None]"
"""A user's own judge: returns the side that loses if moves that lead back to a position go on forever."""


def as_repetition(judge: RepetitionJudge | Rule) -> RepetitionJudge | Rule:
    """Return a judge of repetitions.

    Raises:
        SelectionError: it is the name of no code.
    """
    if isinstance(judge, str) and judge not in RULES_KNOWN:
        raise SelectionError(f"repetition is {judge}: expected a function or one of {', '.join(RULES_KNOWN)}")
    return judge


def as_quality(
    quality: QualityFunction | QualityWeights | str,
) -> QualityFunction | Mapping[str, Fraction]:
    """Return a formula of the quality, with exact weights.

    Raises:
        SelectionError: the weights are not valid.
    """
    return parse_weights(quality) if isinstance(quality, str | Mapping) else quality


def plain_value(value: Any) -> Any:  # noqa: ANN401 (any option's value)
    """Return the value of an option as JSON data."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Evidence | MoveEdits):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: str(weight) for name, weight in value.items()}
    if callable(value):
        return f"function {getattr(value, '__qualname__', value)}"
    return value
