"""`bookbuilder games …`: check, count, list, filter, convert and pick the games of archives."""

from __future__ import annotations

__all__: list[str] = []
