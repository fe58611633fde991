"""Files that are nothing but records of one size: read into a numpy array of that layout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bookbuilder.errors import FormatError

__all__ = ["read_records"]


def read_records(path: Path, record: np.dtype[Any], what: str) -> tuple[npt.NDArray[Any], str]:
    """Return the whole records of a file, and words about what is left of a cut one, if there is any.

    Args:
        path: the file.
        record: the layout of a record.
        what: what the file is expected to be.

    Raises:
        FormatError: there is not one whole record.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    whole = len(content) // record.itemsize * record.itemsize
    if not whole:
        raise FormatError(
            f"{path}: {len(content)} bytes, expected {what}: at least one record of {record.itemsize} bytes"
        )
    cut = f"the last {len(content) - whole} bytes, a record cut off" if whole < len(content) else ""
    return np.frombuffer(content, dtype=record, count=whole // record.itemsize), cut
