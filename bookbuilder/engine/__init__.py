"""The bundled engine: search, endgame tables, self-play, test suites and matches against other engines."""

from __future__ import annotations

__all__: list[str] = []
