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


def column_of(
    numbers: npt.NDArray[Any], kind: pa.DataType | None = None, *, nullable: bool = False
) -> pa.Array[Any]:
    """Return numbers or bools as a column; copies nothing but bools.

    If it is nullable, NaN becomes null.

    Example:
        >>> import numpy as np
        >>> column_of(np.array([0.5, np.nan]), nullable=True).to_pylist()
        [0.5, None]
    """
    if numbers.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), numbers.size, [None, _packed(numbers)])
    kind = pa.from_numpy_dtype(numbers.dtype) if kind is None else kind
    numbers = np.ascontiguousarray(numbers, _numpy_type(kind))
    known: npt.NDArray[np.bool_] = np.ones(0, np.bool_)
    if nullable and numbers.dtype.kind == "f":
        known = ~np.isnan(numbers)
    mask = None if known.all() else _packed(known)
    return pa.Array.from_buffers(kind, numbers.size, [mask, pa.py_buffer(numbers.data)])


def _packed(mask: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little").data)


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

    Nulls become `null`.

    Example:
        >>> import pyarrow as pa
        >>> values(pa.array([0.5, None])).tolist(), values(pa.array([True, False])).tolist()
        ([0.5, nan], [True, False])
    """
    is_bool = pa.types.is_boolean(column.type)
    kind = np.dtype(np.bool_) if is_bool else _numpy_type(column.type)
    found = [np.empty(0, kind)]
    for piece in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if len(piece):
            found.append(_bools_of_piece(piece) if is_bool else _values_of_piece(piece, kind, null))
    return found[1] if len(found) == 2 else np.concatenate(found)


def _bools_of_piece(piece: pa.Array[Any]) -> npt.NDArray[np.bool_]:
    _, data = piece.buffers()
    return _bits(data, slice(piece.offset, piece.offset + len(piece)))


def _values_of_piece(piece: pa.Array[Any], kind: npt.DTypeLike, null: float) -> npt.NDArray[Any]:
    validity, data = piece.buffers()
    rows = slice(piece.offset, piece.offset + len(piece))
    numbers: npt.NDArray[Any]
    numbers = np.zeros(len(piece), kind) if data is None else np.frombuffer(memoryview(data), kind)[rows]
    if not piece.null_count:
        return numbers
    return np.where(_bits(validity, rows), numbers, np.asarray(null, kind))


def _bits(buffer: pa.Buffer | None, rows: slice) -> npt.NDArray[np.bool_]:
    """Return the bits of some rows; without a buffer all are 0."""
    if buffer is None:
        return np.zeros(rows.stop - rows.start, np.bool_)
    bits = np.unpackbits(np.frombuffer(memoryview(buffer), np.uint8), bitorder="little")
    return bits[rows].view(np.bool_)


def rows_at(table: pa.Table, places: npt.NDArray[np.intp]) -> pa.Table:
    """Return rows of a table of numbers and nulls, by index.

    The methods `take` and `filter` of a table import `pyarrow.compute`, which a short command waits for.

    Example:
        >>> import numpy as np, pyarrow as pa
        >>> rows_at(pa.table({"ply": [3, None, 2]}), np.array([2, 1])).to_pydict()
        {'ply': [2, None]}
    """
    columns = [_column_at(column, places) for column in table.columns]
    return pa.Table.from_arrays(columns, schema=table.schema)


def _column_at(column: pa.ChunkedArray[Any], places: npt.NDArray[np.intp]) -> pa.Array[Any]:
    if column.null_count == len(column):
        nothing: pa.Array[Any] = pa.nulls(places.size, column.type)
        return nothing
    numbers = values(column, null=0)[places]
    if not column.null_count:
        return column_of(numbers, column.type)
    known = np.concatenate([_known(piece) for piece in column.chunks])[places]
    return pa.Array.from_buffers(column.type, places.size, [_packed(known), pa.py_buffer(numbers.data)])


def _known(piece: pa.Array[Any]) -> npt.NDArray[np.bool_]:
    if not piece.null_count:
        return np.ones(len(piece), np.bool_)
    return _bits(piece.buffers()[0], slice(piece.offset, piece.offset + len(piece)))
