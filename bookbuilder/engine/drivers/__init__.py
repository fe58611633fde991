"""Drivers of engines: processes that speak UCI, UCCI or xboard, one at a time or many."""

from __future__ import annotations
