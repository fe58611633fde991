"""Grow a book beyond its archive, by drop-out expansion."""

from __future__ import annotations
