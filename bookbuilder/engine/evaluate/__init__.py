"""Evaluate positions with engines, for tables of evaluations."""

from __future__ import annotations
