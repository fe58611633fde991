"""Archives that Python writes: played games in, one file of a format that others read out."""

from __future__ import annotations

__all__: list[str] = []
