"""The rows of a tally, and the numbers of the skipped ones."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeAlias


class TallyRow(NamedTuple):
    """One row of TALLY."""

    key: int
    lock: int
    move: int
    mover: int
    games: int
    first_wins: int
    draws: int
    second_wins: int
    ply: int
    rating_sum: int
    rated: int
    year_min: int
    year_max: int
    marks: int
    sample: int
    sample_rating: int
    paired: int
    surplus: int


Kind: TypeAlias = tuple[bool, int, int]
"""Whether a row has a move, the side to move (0 first, 1 second), and the ply."""


class Rare(NamedTuple):
    """The numbers of the rows that a tally of frequent positions lacks."""

    min_games: int  # games that reach a frequent position, at least
    rows: Counter[Kind]  # number of rows of each kind
    positions: Counter[Kind]  # number of positions of each kind, by the smallest ply of their rows
    # Key and lock of positions whose rows the tally has, however few games reached them.
    looked_up: frozenset[tuple[int, int]] = frozenset()
