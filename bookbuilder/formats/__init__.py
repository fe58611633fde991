"""File layouts that Python writes, one file each: played games in, bytes of a format that others read out."""

from __future__ import annotations

__all__: list[str] = []
