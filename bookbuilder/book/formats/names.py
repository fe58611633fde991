"""Names of formats, statistics and scales, for the command line and for callers of `registry`."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

__all__ = ["STATISTICS", "CountedStatistic", "FormatName", "Scale", "Statistic"]

FormatName: TypeAlias = Literal[
    "book", "polyglot", "abk", "book-dat", "obk", "pgn", "epd", "csv", "json", "parquet"
]
"""The name of a format."""
CountedStatistic: TypeAlias = Literal["score", "games", "wins", "quality", "performance"]
"""A statistic that is computed from counts."""
Statistic: TypeAlias = Literal["score", "games", "wins", "quality", "performance", "own"]
"""The statistic that weights are; `own` = the weight that a format stores."""
STATISTICS: Final[tuple[Statistic, ...]] = get_args(Statistic)
"""All statistics."""
Scale: TypeAlias = Literal["book", "position"]
"""How weights above the maximum of a format are scaled: over the whole book, or at each position."""
