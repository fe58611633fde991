"""Learn from own results: a journal beside a book, and the weights that follow from it."""

from __future__ import annotations
