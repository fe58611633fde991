"""Answers in the shape of other explorers, so that their clients work: lichess and chessdb.cn."""

from __future__ import annotations

__all__: list[str] = []
