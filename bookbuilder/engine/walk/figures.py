"""Figures of walks: means with 95 % intervals, and differences between books, line by line.

The interval of a mean is mean ± 1.96 · s / √n, with s the standard deviation of the n lines (n - 1 in its
denominator). The lines of the two sides are drawn independently, so the mean of both sides has half the
root of the sum of both squared half-widths.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bookbuilder.engine.walk.walk import Walk
from bookbuilder.games.position import SIDES, SideName
from bookbuilder.ratios import CONFIDENCE_Z

__all__ = ["BookDifference", "BookValue", "Estimate", "Owner", "book_differences", "book_values"]

Owner: TypeAlias = SideName | Literal["both"]
"""The side that plays from the book; `both` is the mean of the two sides."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean.

    Attributes:
        mean: the mean.
        margin: half the width of its 95 % interval.
    """

    mean: float
    margin: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Return the mean of two or more values.

        Example:
            >>> estimate = Estimate.of([1.0, 2.0, 3.0])
            >>> round(estimate.mean, 2), round(estimate.margin, 2)
            (2.0, 1.13)
        """
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(statistics.fmean(values), CONFIDENCE_Z * error)

    @classmethod
    def of_both(cls, one: Estimate, other: Estimate) -> Estimate:
        """Return the mean of two independent estimates."""
        return cls((one.mean + other.mean) / 2, math.hypot(one.margin, other.margin) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookValue:
    """The value of a book for one owner.

    Attributes:
        book: its name.
        owner: the owner.
        walks: the number of lines.
        plies: plies in the book.
        exit: value at the exit, in centipawns for the owner.
        late: value at the fixed ply.
        late_ply: mean ply at which it was judged: below the fixed ply if lines ended before it.
        causes: number of lines by the reason why they left the book.
    """

    book: str
    owner: Owner
    walks: int
    plies: Estimate
    exit: Estimate
    late: Estimate
    late_ply: float
    causes: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookDifference:
    """The value of a book minus the value of another, over pairs of lines.

    Attributes:
        book: the book.
        other: the other book.
        owner: the owner of both.
        exit: difference at the exit.
        late: difference at the fixed ply.
    """

    book: str
    other: str
    owner: Owner
    exit: Estimate
    late: Estimate


def book_values(walks: Mapping[str, Sequence[Walk]]) -> list[BookValue]:
    """Return the values of each book: first side, second side, both."""
    values = []
    for book, lines in walks.items():
        first, second = (_value(book, side, _of_side(lines, side)) for side in SIDES)
        both = BookValue(
            book=book,
            owner="both",
            walks=first.walks + second.walks,
            plies=Estimate.of_both(first.plies, second.plies),
            exit=Estimate.of_both(first.exit, second.exit),
            late=Estimate.of_both(first.late, second.late),
            late_ply=(first.late_ply + second.late_ply) / 2,
            causes=_causes(lines),
        )
        values += [first, second, both]
    return values


def book_differences(walks: Mapping[str, Sequence[Walk]]) -> list[BookDifference]:
    """Return the differences of each book to the first: first side, second side, both."""
    (base, base_lines), *others = walks.items()
    found = []
    for book, lines in others:
        sides = []
        for side in SIDES:
            pairs = list(zip(_of_side(lines, side), _of_side(base_lines, side), strict=True))
            exits = Estimate.of([one.exit_cp - other.exit_cp for one, other in pairs])
            late = Estimate.of([one.late_cp - other.late_cp for one, other in pairs])
            sides.append(BookDifference(book=book, other=base, owner=side, exit=exits, late=late))
        both = [Estimate.of_both(*(getattr(each, name) for each in sides)) for name in ("exit", "late")]
        found += [*sides, BookDifference(book=book, other=base, owner="both", exit=both[0], late=both[1])]
    return found


def _of_side(lines: Sequence[Walk], side: SideName) -> list[Walk]:
    return [line for line in lines if line.owner == side]


def _value(book: str, side: SideName, lines: Sequence[Walk]) -> BookValue:
    return BookValue(
        book=book,
        owner=side,
        walks=len(lines),
        plies=Estimate.of([line.exit_ply for line in lines]),
        exit=Estimate.of([line.exit_cp for line in lines]),
        late=Estimate.of([line.late_cp for line in lines]),
        late_ply=statistics.fmean(line.late_ply for line in lines),
        causes=_causes(lines),
    )


def _causes(lines: Sequence[Walk]) -> dict[str, int]:
    causes = [line.cause for line in lines]
    return {cause: causes.count(cause) for cause in dict.fromkeys(sorted(causes))}
