"""Output of commands: JSON and tables on stdout, notes and progress on stderr.

The parts are in `terminal` (colours, lines), `tables`, `figures` and `progress`; commands import them here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from bookbuilder.cli.figures import format_bar, format_bytes, format_share
from bookbuilder.cli.progress import counting, phase, reading, standing_line
from bookbuilder.cli.tables import Bar, bars, facts_columns, number, print_table, text
from bookbuilder.cli.terminal import note, say
from bookbuilder.plain_json import to_plain

__all__ = [
    "JSON_SCHEMA",
    "Bar",
    "bars",
    "counting",
    "facts_columns",
    "format_bar",
    "format_bytes",
    "format_share",
    "note",
    "number",
    "phase",
    "print_json",
    "print_table",
    "reading",
    "say",
    "standing_line",
    "text",
]

JSON_SCHEMA: Final = 1
"""Version of the JSON answers. Fields may be added but not renamed."""


def print_json(answer: Mapping[str, Any]) -> None:
    """Print an answer as JSON with its schema version. Undefined numbers become null."""
    print(json.dumps({"schema": JSON_SCHEMA, **to_plain(answer)}, indent=1, ensure_ascii=False))
