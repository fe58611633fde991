"""A rule of the user's own in a selection: a function, or a mask, that says which rows stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import SelectionError
from bookbuilder.schema import REASONS
from bookbuilder.selection.candidates import Candidates
from bookbuilder.selection.quality import mean_rating

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Keep", "OwnRule", "as_mask", "candidate_frame", "checked_reason"]

Keep: TypeAlias = "Callable[[pd.DataFrame], Any]"
"""A function from a frame of rows to a truth value for each: whether it stays."""

_Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OwnRule:
    """A rule of the user's own.

    Attributes:
        keep: the function.
        reason: the reason of the rows that it drops.
    """

    keep: Keep
    reason: str

    def __post_init__(self) -> None:
        """Reject a reason that another rule has."""
        checked_reason(self.reason)

    def drops(self, candidates: Candidates, columns: Mapping[str, npt.NDArray[Any]], among: _Mask) -> _Mask:
        """Return the rows that the rule drops; the function sees only the rows `among`."""
        rows = np.flatnonzero(among)
        frame = candidate_frame(candidates, columns, rows)
        dropped = np.zeros(len(candidates), dtype=np.bool_)
        dropped[rows[~as_mask(self.keep(frame), rows.size)]] = True
        return dropped

    def to_json(self) -> dict[str, str]:
        """Return what a recipe says about the rule, which it cannot repeat."""
        return {"reason": self.reason, "function": str(getattr(self.keep, "__qualname__", self.keep))}


def candidate_frame(
    candidates: Candidates,
    columns: Mapping[str, npt.NDArray[Any]],
    rows: npt.NDArray[np.intp] | slice = slice(None),
) -> pd.DataFrame:
    """Return the frame that a user's function sees; the index has the number of each row.

    Args:
        candidates: the candidates.
        columns: the columns of their selection.
        rows: the rows of the frame.

    Returns:
        The columns of the selection without kept, reason and quality; rating (mean, NaN = unknown), year_max
        (0 = unknown), marks; games, which is reached or played. Counts are signed.
    """
    import pandas as pd

    some = candidates.taken(np.arange(len(candidates))[rows])
    last = {name: columns[name] for name in ("paired", "performance")}
    known = {name: each[rows] for name, each in columns.items() if name not in (*last, "quality")}
    known |= {"rating": mean_rating(some), "year_max": some.year_max, "marks": some.marks}
    known |= {name: each[rows] for name, each in last.items()}
    known["games"] = known["reached" if "reached" in known else "played"]
    # A difference of two unsigned counts would wrap around. Keys have all 64 bits.
    signed = {
        name: each.astype(np.int64) if each.dtype == np.uint64 and name != "key" else each
        for name, each in known.items()
    }
    return pd.DataFrame(signed, index=np.arange(len(candidates))[rows])


def as_mask(given: Any, rows: int) -> _Mask:  # noqa: ANN401 (a Series, an array, a list)
    """Return truth values as an array.

    Raises:
        SelectionError: they are not truth values, or not one for each row.
    """
    mask = np.asarray(given)
    if mask.shape != (rows,):
        raise SelectionError(f"mask has the shape {mask.shape}: expected one value for each of {rows:,} rows")
    if mask.dtype != np.bool_:
        raise SelectionError(f"mask has values of type {mask.dtype}: expected bool, without missing values")
    return mask


def checked_reason(reason: str) -> str:
    """Return a reason of the user's own.

    Raises:
        SelectionError: it is empty, or the reason of a rule.

    Example:
        >>> checked_reason("my-rule")
        'my-rule'
        >>> checked_reason("below-p")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SelectionError: reason is "below-p", which is the reason of a rule: choose another
    """
    if not reason:
        raise SelectionError("reason is empty: expected a word for the rows that the mask drops")
    if reason in REASONS:
        raise SelectionError(f'reason is "{reason}", which is the reason of a rule: choose another')
    return reason
