"""Games that could not be used: the core's lines of JSON as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pyarrow as pa

from bookbuilder.schema import REJECTS, empty


def rejects_table(pieces: Iterable[bytes]) -> pa.Table:
    """Return lines of JSON, in pieces of whole lines, as a table of schema REJECTS."""
    lines = b"".join(pieces).splitlines()
    if not lines:
        # `from_pylist` would import pandas.
        return empty(REJECTS)
    return pa.Table.from_pylist([json.loads(line) for line in lines], schema=REJECTS)
