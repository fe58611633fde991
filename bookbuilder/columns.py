"""Columns of Arrow as arrays of numpy, and back, without pandas.

`pa.array` and `to_numpy` import pandas to see whether they meet a frame. That takes a fifth of a second, and
most commands need no frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["column_of", "texts_of", "values"]


def column_of(
    numbers: npt.NDArray[Any], kind: pa.DataType | None = None, *, nullable: bool = False
) -> pa.Array[Any]:
    """Return numbers or bools as a column; copies nothing but bools.

    Args:
        numbers: an array of one dimension.
        kind: the type of the column; None = that of the numbers.
        nullable: NaN becomes null.

    Example:
        >>> import numpy as np
        >>> column_of(np.array([0.5, np.nan]), nullable=True).to_pylist()
        [0.5, None]
    """

    def packed(mask: npt.NDArray[np.bool_]) -> pa.Buffer:
        return pa.py_buffer(np.packbits(mask, bitorder="little").data)

    if numbers.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), numbers.size, [None, packed(numbers)])
    kind = pa.from_numpy_dtype(numbers.dtype) if kind is None else kind
    numbers = np.ascontiguousarray(numbers, _numpy_type(kind))
    known: npt.NDArray[np.bool_] = np.ones(0, np.bool_)
    if nullable and numbers.dtype.kind == "f":
        known = ~np.isnan(numbers)
    mask = None if known.all() else packed(known)
    return pa.Array.from_buffers(kind, numbers.size, [mask, pa.py_buffer(numbers.data)])


def texts_of(texts: Sequence[str]) -> pa.StringArray:
    """Return texts as a column.

    Example:
        >>> texts_of(["", "Züri"]).to_pylist()
        ['', 'Züri']
    """
    letters = [text.encode() for text in texts]
    ends = np.array([0, *accumulate(map(len, letters))], np.int32)
    return pa.StringArray.from_buffers(len(letters), pa.py_buffer(ends.data), pa.py_buffer(b"".join(letters)))


def _numpy_type(kind: pa.DataType) -> npt.DTypeLike:
    return np.dtype({"double": "float64", "float": "float32"}.get(str(kind), str(kind)))


def values(column: pa.ChunkedArray[Any] | pa.Array[Any], *, null: float = math.nan) -> npt.NDArray[Any]:
    """Return a column of numbers or bools as an array; copies nothing of numbers in one piece without nulls.

    Args:
        column: the column.
        null: what becomes of nulls.

    Example:
        >>> import pyarrow as pa
        >>> values(pa.array([0.5, None])).tolist(), values(pa.array([True, False])).tolist()
        ([0.5, nan], [True, False])
    """
    if pa.types.is_boolean(column.type):
        bits: npt.NDArray[Any] = values(column.cast(pa.uint8())).view(np.bool_)
        return bits
    kind = _numpy_type(column.type)
    found = [np.empty(0, kind)]
    for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if len(piece):
            found.append(_values_of_piece(piece, kind, null))
    return found[1] if len(found) == 2 else np.concatenate(found)


def _values_of_piece(piece: pa.Array[Any], kind: npt.DTypeLike, null: float) -> npt.NDArray[Any]:
    validity, data = piece.buffers()
    rows = slice(piece.offset, piece.offset + len(piece))
    numbers: npt.NDArray[Any] = np.zeros(len(piece), kind)
    if data is not None:
        numbers = np.frombuffer(memoryview(data), kind)[rows]
    if not piece.null_count:
        return numbers
    known = np.zeros(len(piece), np.bool_)
    if validity is not None:
        bits = np.unpackbits(np.frombuffer(memoryview(validity), np.uint8), bitorder="little")
        known = bits[rows].view(np.bool_)
    return np.where(known, numbers, np.asarray(null, kind))
