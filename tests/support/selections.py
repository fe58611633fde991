"""Options of selections that many tests share."""

from __future__ import annotations

from typing import Final

from bookbuilder.selection.options import preset

__all__ = ["ABSOLUTE", "LITERATURE"]

LITERATURE: Final = preset("literature")
"""Absolute thresholds: P of at least 0.55, and no rule that compares a move with its position."""

ABSOLUTE: Final = ("--preset", "literature")
"""The same on the command line."""
