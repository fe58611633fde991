"""The value of a book: walks through it against the moves of other games, judged where they leave it."""

from __future__ import annotations

__all__: list[str] = []
