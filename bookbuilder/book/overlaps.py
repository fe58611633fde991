"""Where the lines of a book meet, and where its owner has a choice.

Lines are as in `bookbuilder.book.reach`: the owner plays book moves, the opponent any move of the archive.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bookbuilder._core import NOWHERE
from bookbuilder.book.formats.walk import Indices
from bookbuilder.book.graph import BookGraph, Lines
from bookbuilder.book.reach import Reply, heaviest_moves
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDES, SideName

__all__ = ["Choice", "Overlaps", "Transposition", "book_overlaps"]

# Maximum number of lines and of moves that an example lists.
_LISTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Transposition:
    """A position that several of the owner's book moves lead to, from different positions.

    Attributes:
        fen: the position.
        games: games that reached it; 0 without an archive.
        count: number of the moves that lead to it.
        lines: a line to each of the first ones, the move included.
    """

    fen: str
    games: int
    count: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A position at which the owner has several book moves: line, games, number of moves, the heaviest."""

    line: str
    games: int
    count: int
    moves: tuple[Reply, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaps:
    """Where the lines of one owner meet and where they divide.

    Attributes:
        side: the owner.
        transposed: number of positions that more than one of the owner's moves leads to.
        choices: number of positions with more than one of the owner's moves.
        transpositions: the first of these positions by games.
        first_choices: likewise, of the choices.
    """

    side: SideName
    transposed: int
    choices: int
    transpositions: tuple[Transposition, ...]
    first_choices: tuple[Choice, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON data."""
        return asdict(self)


def book_overlaps(graph: BookGraph, side: SideName, *, most: int = 5) -> Overlaps:
    """Return where the lines of a book meet and where its owner has a choice.

    Args:
        graph: the moves of the book and of an archive.
        side: the owner.
        most: maximum number of examples of each kind.
    """
    lines = graph.trace(graph.usable(SIDES.index(side)))
    own = graph.in_book & (graph.side[graph.parent] == SIDES.index(side)) & lines.reached[graph.parent]
    edges = np.flatnonzero(own & (graph.child != NOWHERE))
    into = np.bincount(graph.child[edges], minlength=graph.side.size)
    out = np.bincount(graph.parent[own], minlength=graph.side.size)
    return Overlaps(
        side=side,
        transposed=int(np.count_nonzero(into > 1)),
        choices=int(np.count_nonzero(out > 1)),
        transpositions=tuple(
            _transposition(graph, lines, edges[graph.child[edges] == place], int(into[place]))
            for place in _most_games(graph, lines, into, most)
        ),
        first_choices=tuple(
            _choice(graph, lines, place, int(out[place])) for place in _most_games(graph, lines, out, most)
        ),
    )


def _most_games(graph: BookGraph, lines: Lines, count: Indices, most: int) -> list[int]:
    """Return the positions with a count above 1: the most games first, then the shortest lines."""
    places = np.flatnonzero(count > 1)
    order = np.lexsort((places, lines.ply[places], -graph.games[places].astype(np.int64)))
    chosen: list[int] = places[order][:most].tolist()
    return chosen


def _transposition(graph: BookGraph, lines: Lines, edges: Indices, count: int) -> Transposition:
    first = edges[np.argsort(-graph.played[edges], kind="stable")][:_LISTED]
    ways = [graph.played_out([*lines.to(int(graph.parent[edge])), edge]) for edge in first.tolist()]
    return Transposition(
        fen=ways[0][0].fen,
        games=int(graph.games[graph.child[edges[0]]]),
        count=count,
        lines=tuple(format_line(texts) for _, _, texts in ways),
    )


def _choice(graph: BookGraph, lines: Lines, place: int, count: int) -> Choice:
    here, _, texts = graph.played_out(lines.to(place))
    moves, _ = heaviest_moves(graph, here, place, _LISTED)
    return Choice(line=format_line(texts), games=int(graph.games[place]), count=count, moves=moves)
