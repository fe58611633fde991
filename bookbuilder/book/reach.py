"""What a book is: the records that can be reached, the plies in book, the main replies, and the gaps.

The owner of a book is the side that plays its moves. From the start position the owner plays book moves, and
the opponent plays any move of the archive (`bookbuilder.book.graph` says which count). Without an
archive both sides play book moves.

| term | meaning |
|---|---|
| reachable | a record that the owner's own moves can reach |
| plies | expected plies until the owner has no book move |
| frequent reply | an opponent's move in more than `min_share` of the games that reached its position |
| gap | a position after a frequent reply at which the owner has no book move |

Replies in fewer than `min_games` games, and replies after which the book ends by its ply limit, are not
frequent. The default is one game in 10,000, at least 10.

`bookbuilder.book.expected_walk` says how a walk draws its moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE, Position
from bookbuilder.book.expected_walk import expected_walk
from bookbuilder.book.formats.walk import Indices
from bookbuilder.book.graph import BookGraph, Lines
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDES, Game, SideName

__all__ = [
    "MIN_SHARE",
    "Branch",
    "Gap",
    "Reach",
    "Reply",
    "SideReach",
    "book_reach",
    "heaviest_moves",
    "minimum_games",
]

MIN_SHARE: Final = Fraction(2, 100)
"""Replies in more than this share of the games are frequent."""

# Minimum games of a frequent reply, and the share of all games that it is at least.
_MIN_GAMES: Final = 10
_GAMES_A_REPLY: Final = 10_000

_FIRST_MOVES: Final = 4
_REPLIES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A book move: coordinates, SAN or WXF, and its share of the weights at its position."""

    move: str
    san: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The book moves at a position, the heaviest first.

    Attributes:
        line: the line that leads there, empty at the start.
        side: side to move.
        games: games that reached it; 0 without an archive.
        replies: the heaviest book moves; empty = the book has none.
        more: number of further book moves.
    """

    line: str
    side: SideName
    games: int
    replies: tuple[Reply, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A position at which the owner has no book move, although the opponent's move to it is frequent.

    Attributes:
        side: the owner.
        line: the line that leads there; its last move is the opponent's. Empty at the start position.
        moves: the same line as coordinates.
        fen: the position.
        ply: plies of the line.
        games: games that reached the position, by any line.
        played: games that played the opponent's move.
        share: their share of the games that reached the position before it.
        reach: probability that a walk comes here, see `bookbuilder.book.reach`.
    """

    side: SideName
    line: str
    moves: tuple[str, ...]
    fen: str
    ply: int
    games: int
    played: int
    share: float
    reach: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SideReach:
    """What a book is to the owner of one side.

    Attributes:
        side: the owner.
        records: records of the owner's moves; None = unknown.
        reachable: those that can be reached.
        plies: expected plies until the owner has no book move.
        frequent_replies: number of frequent replies of the opponent.
        answered_replies: number of those with an answer.
        answered_share: the same as a share of the games that played them; None without an archive.
        gaps: number of gaps.
    """

    side: SideName
    records: int | None
    reachable: int
    plies: float
    frequent_replies: int
    answered_replies: int
    answered_share: float | None
    gaps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a book is.

    Attributes:
        game: the game.
        records: number of records: moves, or positions of a clustered book.
        reachable: records that an owner of one of the `sides` can reach.
        reachable_by_both: records that book moves of both sides reach.
        min_played: minimum games of the archive's moves that the walk follows; None = there is no archive.
        min_share: a frequent reply has more than this share of the games.
        min_games: minimum games of a frequent reply.
        sides: what it is to each owner.
        branches: the main replies at the start and after the most played first moves.
        gaps: the gaps of each side with the most games.
    """

    game: Game
    records: int
    reachable: int
    reachable_by_both: int
    min_played: int | None
    min_share: float
    min_games: int
    sides: tuple[SideReach, ...]
    branches: tuple[Branch, ...]
    gaps: tuple[Gap, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON data."""
        return asdict(self)


def book_reach(
    graph: BookGraph,
    *,
    sides: Sequence[SideName] = SIDES,
    min_share: Fraction = MIN_SHARE,
    min_games: int | None = None,
    most: int = 20,
) -> Reach:
    """Return what a book is.

    Args:
        graph: the moves of the book and of an archive.
        sides: the sides that the book is for.
        min_share: of frequent replies.
        min_games: of frequent replies; None = see `minimum_games`.
        most: maximum number of gaps of a side that are listed.

    Example:
        >>> from bookbuilder.selection.select import select
        >>> from bookbuilder.tally.options import TallyOptions
        >>> from bookbuilder.tally.tally import Tally
        >>> tally = Tally.empty(TallyOptions(game="chess"))
        >>> book_reach(BookGraph.from_selection(tally, select(tally, shape="moves"))).reachable
        0
    """
    if min_games is None:
        min_games = minimum_games(0 if graph.root is None else int(graph.games[graph.root]))
    owners = [_Owner.of(graph, SIDES.index(side), min_share, min_games) for side in sides]
    return Reach(
        game=graph.game,
        records=graph.records,
        reachable=sum(owner.reachable for owner in owners),
        reachable_by_both=_records_reached(graph, graph.trace(graph.in_book), graph.in_book),
        min_played=graph.min_played,
        min_share=float(min_share),
        min_games=min_games,
        sides=tuple(owner.facts() for owner in owners),
        branches=tuple(_branches(graph)),
        gaps=tuple(gap for owner in owners for gap in owner.first_gaps(most)),
    )


def minimum_games(games: int) -> int:
    """Return the minimum games of a frequent reply, for an archive with this number of games.

    Example:
        >>> minimum_games(500), minimum_games(1_000_000)
        (10, 100)
    """
    return max(_MIN_GAMES, games // _GAMES_A_REPLY)


@dataclass(frozen=True, slots=True)
class _Owner:
    """A book from the view of the side that owns it.

    `frequent` and `gaps` are the numbers of moves of the opponent; -1 in `gaps` = the start position.
    """

    graph: BookGraph
    side: int
    lines: Lines
    visits: npt.NDArray[np.float64]
    plies: float
    reachable: int
    frequent: Indices
    answered: npt.NDArray[np.bool_]
    gaps: Indices

    @classmethod
    def of(cls, graph: BookGraph, side: int, min_share: Fraction, min_games: int) -> _Owner:
        """Return the book as the owner of this side sees it."""
        lines = graph.trace(graph.usable(side))
        plies, visits = expected_walk(graph, side, lines)
        own = graph.in_book & (graph.side[graph.parent] == side)
        frequent = _frequent_replies(graph, side, lines, min_share, min_games)
        answered = graph.has_book[graph.child[frequent]]
        gaps = frequent[~answered]
        # Of several moves to one position, the most played one stands for it.
        gaps = gaps[np.argsort(-graph.played[gaps], kind="stable")]
        gaps = gaps[np.unique(graph.child[gaps], return_index=True)[1]]
        if side == 0 and graph.root is not None and not graph.has_book[graph.root]:
            gaps = np.append(gaps, -1)
        reachable = _records_reached(graph, lines, own)
        return cls(graph, side, lines, visits, plies, reachable, frequent, answered, gaps)

    def facts(self) -> SideReach:
        """Return the facts of this side."""
        played = self.graph.played[self.frequent]
        total = int(played.sum())
        return SideReach(
            side=SIDES[self.side],
            records=None if self.graph.owned is None else self.graph.owned[self.side],
            reachable=self.reachable,
            plies=self.plies,
            frequent_replies=self.frequent.size,
            answered_replies=int(self.answered.sum()),
            answered_share=int(played[self.answered].sum()) / total if total else None,
            gaps=self.gaps.size,
        )

    def place(self, edge: int) -> int:
        """Return the position that a gap is."""
        root = self.graph.root
        return int(self.graph.child[edge]) if edge >= 0 or root is None else root

    def games_at(self, edge: int) -> int:
        """Return the games that reached a gap."""
        return int(self.graph.games[self.place(edge)])

    def first_gaps(self, most: int) -> list[Gap]:
        """Return the gaps that the most games reached."""
        edges = sorted(self.gaps.tolist(), key=lambda edge: (-self.games_at(edge), edge))
        return [self.gap(edge) for edge in edges[:most]]

    def gap(self, edge: int) -> Gap:
        """Return a gap with its line."""
        graph = self.graph
        edges = [*self.lines.to(int(graph.parent[edge])), edge] if edge >= 0 else []
        here, moves, texts = graph.played_out(edges)
        games = self.games_at(edge)
        played = int(graph.played[edge]) if edges else games
        before = int(graph.games[graph.parent[edge]]) if edges else games
        return Gap(
            side=SIDES[self.side],
            line=format_line(texts),
            moves=tuple(moves),
            fen=here.fen,
            ply=len(edges),
            games=games,
            played=played,
            share=played / before if before else 0.0,
            reach=float(self.visits[self.place(edge)]),
        )


def _frequent_replies(
    graph: BookGraph, side: int, lines: Lines, min_share: Fraction, min_games: int
) -> Indices:
    """Return the opponent's frequent moves that lead to a position where a book may have an answer."""
    if graph.min_played is None:
        return np.empty(0, np.int64)
    is_reply = lines.reached[graph.parent] & (graph.side[graph.parent] != side) & (graph.child != NOWHERE)
    replies = np.flatnonzero(is_reply & (graph.played >= min_games))
    over, under = min_share.numerator, min_share.denominator
    games = graph.games[graph.parent[replies]]
    replies = replies[graph.played[replies] * under > games * over]
    after = graph.child[replies]
    can_answer = graph.has_book[after] | (graph.moved_on[after] > 0)
    if graph.max_ply is not None:
        can_answer &= graph.has_book[after] | (lines.ply[after] < graph.max_ply)
    return replies[can_answer]


def _records_reached(graph: BookGraph, lines: Lines, moves: npt.NDArray[np.bool_]) -> int:
    """Return the number of records of book moves at the positions that were reached."""
    is_reached = np.zeros(int(graph.record.max(initial=-1)) + 1, np.bool_)
    is_reached[graph.record[moves & lines.reached[graph.parent]]] = True
    return int(np.count_nonzero(is_reached))


def _branches(graph: BookGraph) -> list[Branch]:
    """Return the book moves at the start and after the most played first moves."""
    if graph.root is None:
        return []
    first = np.arange(graph.starts[graph.root], graph.starts[graph.root + 1])
    order = graph.weight if graph.min_played is None else graph.played
    first = first[graph.child[first] != NOWHERE]
    most = first[np.argsort(-order[first], kind="stable")][:_FIRST_MOVES]
    return [_branch(graph, []), *(_branch(graph, [edge]) for edge in most.tolist())]


def _branch(graph: BookGraph, line: list[int]) -> Branch:
    here, _, texts = graph.played_out(line)
    place = int(graph.child[line[-1]]) if line else int(graph.root or 0)
    replies, more = heaviest_moves(graph, here, place, _REPLIES)
    games = int(graph.games[place])
    return Branch(line=format_line(texts), side=SIDES[here.side], games=games, replies=replies, more=more)


def heaviest_moves(graph: BookGraph, here: Position, place: int, most: int) -> tuple[tuple[Reply, ...], int]:
    """Return the heaviest book moves at a position, and the number of further ones.

    Args:
        graph: the moves of a book.
        here: the position on the board.
        place: its number in the graph.
        most: maximum number of moves.
    """
    moves = np.arange(graph.starts[place], graph.starts[place + 1])
    moves = moves[graph.in_book[moves]]
    moves = moves[np.argsort(-graph.weight[moves], kind="stable")]
    total = float(graph.weight[moves].sum())
    replies = []
    for edge in moves[:most].tolist():
        code = graph.move_at(here, edge)
        share = float(graph.weight[edge]) / total if total else 1 / moves.size
        replies.append(Reply(move=here.coordinates(code), san=here.san(code), share=share))
    return tuple(replies), moves.size - len(replies)
