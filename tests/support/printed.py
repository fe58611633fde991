"""Compare what a command prints with what a page shows, without figures that a machine changes."""

from __future__ import annotations

import re

# What a machine or the strength of the engine changes.
VOLATILE = re.compile(
    r"time|memory|per CPU|per second|nodes|score |depth|book hits|table hits|^line|^move .*search"
)


def stable(text: str) -> list[str]:
    """The lines that must be the same everywhere; columns widen with their figures: space does not count."""
    lines = (" ".join(line.replace("─", "").split()) for line in text.splitlines())
    return [line for line in lines if line and not VOLATILE.search(line)]
