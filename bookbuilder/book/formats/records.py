"""Files that are an array of records of one size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import FormatError

__all__ = ["group_numbers", "read_records"]


def read_records(
    path: Path, record: np.dtype[Any], kind: str, *, ascending: tuple[str, ...] = ()
) -> tuple[npt.NDArray[Any], str]:
    """Return the whole records of a file, and a description of an incomplete record at its end, or "".

    Args:
        path: the file.
        record: the layout of a record.
        kind: the expected kind of file, such as `a BOOK.DAT`.
        ascending: fields by which the records must ascend, the most significant first.

    Raises:
        FormatError: there is not one whole record, or the records do not ascend.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    whole = len(content) // record.itemsize * record.itemsize
    if not whole:
        raise FormatError(
            f"{path}: {len(content)} bytes, expected {kind}: at least one record of {record.itemsize} bytes"
        )
    records = np.frombuffer(content, dtype=record, count=whole // record.itemsize)
    falls = np.zeros(len(records) - 1, np.bool_)
    for name in reversed(ascending):
        before, after = records[name][:-1], records[name][1:]
        falls = (after < before) | ((after == before) & falls)
    if falls.any():
        row = int(np.argmax(falls)) + 1
        fields = " and ".join(
            f"{name} 0x{int(records[name][row]):0{2 * record[name].itemsize}x}" for name in ascending
        )
        raise FormatError(
            f"{path}: offset {row * record.itemsize}: {fields} below the record before it; {kind} ascends "
            f"by {' and '.join(ascending)}: the file is damaged or not {kind}; copy or build it again"
        )
    cut = f"the last {len(content) - whole} bytes, a record cut off" if whole < len(content) else ""
    return records, cut


def group_numbers(key: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return for each row the number of its group, from 0; rows of one group are adjacent."""
    begins = np.ones(key.size, dtype=np.int64)
    begins[1:] = key[1:] != key[:-1]
    return np.cumsum(begins) - 1
