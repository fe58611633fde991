"""A user's own rule, formula or mask: the frame that the function gets, and what it may return."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.ratios import performance, result_ratios
from bookbuilder.schema import REASONS
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.quality import mean_rating
from bookbuilder.selection.verdicts import candidate_columns

if TYPE_CHECKING:
    import pandas as pd

Keep: TypeAlias = "Callable[[pd.DataFrame], Any]"
"""A function from a frame of rows to a truth value for each: whether it stays."""


class OwnRule(NamedTuple):
    """A rule of the user's own: the function, and the reason of the rows that it drops."""

    keep: Keep
    reason: str


def frame_of(
    candidates: Candidates, found: dict[str, npt.NDArray[Any]], index: npt.NDArray[np.intp]
) -> pd.DataFrame:
    """Return the frame that a user's function sees.

    It has the columns of the selection without kept, reason and quality; rating (mean, NaN = unknown),
    year_max (0 = unknown), marks; games, which is reached or played. Counts are signed.

    `found` has further columns, `index` the number of each row.
    """
    import pandas as pd

    c = candidates
    known = candidate_columns(c) | result_ratios(c.wins, c.draws, c.losses) | found
    known |= {"rating": mean_rating(c), "year_max": c.year_max, "marks": c.marks}
    known |= {"paired": known.pop("paired"), "performance": performance(known.pop("surplus"), c.paired)}
    known["games"] = c.games
    # A difference of two unsigned counts would wrap around. Keys have all 64 bits.
    signed = {
        name: each.astype(np.int64) if each.dtype == np.uint64 and name != "key" else each
        for name, each in known.items()
    }
    return pd.DataFrame(signed, index=index)


def by_index(given: Any, numbers: npt.NDArray[np.intp]) -> Any:  # noqa: ANN401 (a Series, an array, a list)
    """Return a Series in the order of the frame it was made from, even if it was sorted; others as given."""
    if hasattr(given, "sort_index") and given.index.dtype.kind == "i":
        ordered = given.sort_index()
        return ordered if np.array_equal(ordered.index, numbers) else given
    return given


def as_mask(given: Any, numbers: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:  # noqa: ANN401 (a Series, an array, a list)
    """Return truth values as an array.

    Raises:
        SelectionError: they are not truth values, or not one for each row.
    """
    mask, rows = np.asarray(by_index(given, numbers)), numbers.size
    if mask.shape != (rows,):
        raise SelectionError(f"mask has the shape {mask.shape}: expected one value for each of {rows:,} rows")
    if rows and mask.dtype != np.bool_:
        raise SelectionError(f"mask has values of type {mask.dtype}: expected bool, without missing values")
    return mask.astype(np.bool_, copy=False)


def checked_reason(reason: object) -> str:
    """Return a reason of the user's own.

    Raises:
        SelectionError: it is empty or not a text, or the reason of a rule.
    """
    if not isinstance(reason, str) or not reason:
        raise SelectionError(
            f"reason is {reason or 'empty'}: expected a word for the rows that the mask drops"
        )
    if reason in REASONS:
        raise SelectionError(f'reason is "{reason}", which is the reason of a rule: choose another')
    return reason


def name_of(function: Any) -> str:  # noqa: ANN401 (any function)
    """Return what a recipe calls a function."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))
