"""Answers in the types of JSON, for the command line and the explorer, and lines of files that grow."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def to_plain(value: Any) -> Any:  # noqa: ANN401 (any content of a frame or the core)
    """Return a value in the types of JSON.

    numpy numbers become Python numbers, and undefined or infinite numbers become None.

    Example:
        >>> to_plain({"p": float("nan"), "moves": ("e4", 20)})
        {'p': None, 'moves': ['e4', 20]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return to_plain(value.item() if hasattr(value, "item") else str(value))


def json_line(line: str | bytes) -> dict[str, Any] | None:
    """Return the object of a line of JSON; None if it is something else, or torn.

    Example:
        >>> json_line('{"ply": 3}'), json_line('{"ply'), json_line("3")
        ({'ply': 3}, None, None)
    """
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
