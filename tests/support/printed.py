"""Compare what a command prints with what a page shows, without figures that a machine changes."""

from __future__ import annotations

import re

# Figures that depend on the machine or the strength of the engine.
VOLATILE = re.compile(
    r"time|memory|per CPU|per second|nodes|score |depth|book hits|table hits|^line|^move .*search"
)


def stable(text: str) -> list[str]:
    """Return the lines that are equal on every machine, without space, which depends on the figures."""
    lines = (" ".join(line.replace("─", "").split()) for line in text.splitlines())
    return [line for line in lines if line and not VOLATILE.search(line)]
