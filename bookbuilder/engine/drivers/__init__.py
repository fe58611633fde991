"""Drivers of engines: processes that speak UCI or UCCI, one at a time or many."""

from __future__ import annotations
