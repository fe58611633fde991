"""The formats of books: one module for each, with `registry` as the list of them.

Every format is read into a `moves.MoveBook` and written from one.
"""

from __future__ import annotations

__all__: list[str] = []
