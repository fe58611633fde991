"""Matches between two engines: openings, clocks, protocols, rulings and Elo."""

from __future__ import annotations
