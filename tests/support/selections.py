"""Options of selections that many tests share."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.graph import BookGraph, graph_of_book
from bookbuilder.selection.options import preset
from bookbuilder.selection.select import Selection

LITERATURE: Final = preset("literature")
"""Absolute thresholds: P of at least 0.55, and no rule that compares a move with its position."""

ABSOLUTE: Final = ("--preset", "literature")
"""The same on the command line."""


def graph_of_selection(chosen: Selection, *, min_weight: int = 0) -> BookGraph:
    """Return the graph of the moves that a selection keeps, against its own tally."""
    assert chosen.origin is not None
    book = MoveBook.from_selection(chosen)
    book = replace(book.select(book.column("weight") >= min_weight), bridges=book.bridges[:0])
    return graph_of_book(book, chosen.origin.tally)
