"""Parquet files that tell when their content was changed: a digest of facts and columns in the metadata.

Parquet's checksums of pages leave out the footer, and readers ignore them by default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa

_DIGEST: Final = "digest"
_BYTES: Final = 16


def seal(table: pa.Table, facts: Mapping[str, Any]) -> bytes:
    """Return facts as JSON, with a digest of them and of the columns of a table.

    The table has columns of numbers, bools, texts and nulls.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"ply": [3, None]})
        >>> seal(table, {"game": "chess"})
        b'{"game": "chess", "digest": "87a3bd2372f587c0202246aef6516783"}'
    """
    return json.dumps({**facts, _DIGEST: _digest(table, facts)}).encode()


def seal_holds(table: pa.Table, facts: Mapping[str, Any]) -> bool:
    """Return whether facts and a table are as `seal` found them; facts without a digest are of older files.

    Example:
        >>> import json, pyarrow as pa
        >>> table = pa.table({"ply": [3, None]})
        >>> facts = json.loads(seal(table, {"game": "chess"}))
        >>> seal_holds(table, facts), seal_holds(table.slice(1), facts)
        (True, False)
    """
    bare = {name: value for name, value in facts.items() if name != _DIGEST}
    return _DIGEST not in facts or facts[_DIGEST] == _digest(table, bare)


def _digest(table: pa.Table, facts: Mapping[str, Any]) -> str:
    import hashlib  # it loads OpenSSL

    found = hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=_BYTES)
    for field in table.schema:
        found.update(f"\n{field.name} {field.type} {table.num_rows}\n".encode())
        column: Any = table.column(field.name).combine_chunks()
        if pa.types.is_string(field.type):
            # As bytes: a damaged text may be none.
            column = column.cast(pa.binary()).dictionary_encode()
            texts = column.dictionary.to_pylist()
            found.update(f"{[len(text) for text in texts]}".encode() + b"".join(texts))
            column = column.indices
        # Which rows are known, and their values: bytes under a null may differ.
        found.update(np.packbits(column.is_valid().to_numpy(zero_copy_only=False)).tobytes())
        found.update(column.drop_null().to_numpy(zero_copy_only=False).tobytes())
    return found.hexdigest()
