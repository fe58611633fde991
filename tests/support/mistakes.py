"""Mistakes of one sign, as people make them when they type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

SIGNS: Final = "aE0_-. \t\"'[](){}<>;%*,:=\\/$!ä"


def mistakes(text: str) -> Iterator[str]:
    """Return a text with one sign left out, doubled, added, replaced or swapped, at every place."""
    for place, sign in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        yield before + after
        yield before + sign + sign + after
        yield before + after[:1] + sign + after[1:]
        for other in SIGNS:
            yield before + other + after
            yield before + other + sign + after
    for other in SIGNS:
        yield text + other
