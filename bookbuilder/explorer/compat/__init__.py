"""Answers in the format of lichess and chessdb.cn, so that their clients work."""

from __future__ import annotations

__all__: list[str] = []
