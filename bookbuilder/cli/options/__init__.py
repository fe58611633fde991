"""Options that several commands share."""

from __future__ import annotations

__all__: list[str] = []
