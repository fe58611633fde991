"""Check whether a book is sound: what its moves lose, and what its lines are worth."""

from __future__ import annotations

__all__: list[str] = []
