"""What a book is: how long it lasts, how varied it is, the main replies, and what it lacks.

The owner of a book is the side that plays its moves. From the start position the owner draws book moves by
weight, and the opponent plays the moves of the archive by games. Without an archive both sides play book
moves. The probabilities of all positions are carried on ply by ply, without random numbers, so cycles need no
care.

| term | meaning |
|---|---|
| reachable | a record that book moves of both sides reach |
| plies | expected plies until the owner has no book move, or no game goes on |
| openings | e to the entropy of the owner's choices in the first 8 plies, if both sides play the book |
| main move | a move in 10 % of the games at its position, in the first 9 plies, after 1 % of all games |
| frequent reply | an opponent's move in more than `min_share` of the games that reached its position |
| gap | a position after a frequent reply at which the owner has no book move |

Replies in fewer than `min_games` games, and replies after which the book ends by its ply limit, are not
frequent. The default is one game in 10,000, at least 10. A game that comes to a position again counts once
there, with its first move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position, expected_visits
from bookbuilder.book.book import Book
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.graph import BookGraph, Lines, graph_of_selection
from bookbuilder.columns import values
from bookbuilder.games.columns import Indices, ranges, rows_table
from bookbuilder.games.line import format_line
from bookbuilder.games.position import SIDES, Game, SideName, side_of
from bookbuilder.schema import from_native
from bookbuilder.selection.select import Selection

MIN_SHARE: Final = Fraction(2, 100)
"""Replies in more than this share of the games are frequent."""

# Minimum games of a frequent reply, and the share of all games that it is at least.
_MIN_GAMES: Final = 10
_GAMES_A_REPLY: Final = 10_000

# A walk ends when the probability that it goes on is below this.
_NEGLIGIBLE: Final = 1e-6
# Plies in which openings differ, and plies of main moves.
_OPENING: Final = 8
_MAIN_PLIES: Final = 9
_MAIN_SHARE: Final = 10
_MAIN_GAMES: Final = 100
_FIRST_MOVES: Final = 4
_REPLIES: Final = 6


class Reply(NamedTuple):
    """A book move: coordinates, SAN or WXF, and its share of the weights at its position."""

    move: str
    san: str
    share: float


class Branch(NamedTuple):
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

    def to_json(self) -> dict[str, Any]:
        """Return the branch as JSON data."""
        return {**self._asdict(), "replies": [reply._asdict() for reply in self.replies]}


class Gap(NamedTuple):
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


class Lacking(NamedTuple):
    """A main move that the book lacks, although it has other moves there.

    Attributes:
        line: the line that leads there, and the move.
        side: the side that moves.
        games: games that played it.
        share: their share of the games that moved on.
    """

    line: str
    side: SideName
    games: int
    share: float


class SideReach(NamedTuple):
    """What a book is to the owner of one side.

    Attributes:
        side: the owner.
        plies: expected plies until the owner has no book move.
        frequent_replies: number of frequent replies of the opponent.
        answered_replies: number of those with an answer.
        answered_share: the same as a share of the games that played them; None without an archive.
        gaps: number of gaps.
    """

    side: SideName
    plies: float
    frequent_replies: int
    answered_replies: int
    answered_share: float | None
    gaps: int


class Reach(NamedTuple):
    """What a book is.

    Attributes:
        game: the game.
        records: number of records: moves, or positions of a clustered book.
        reachable: records that book moves of both sides reach.
        positions: number of those positions at which the book has a move.
        openings: number of different openings in effect.
        has_archive: whether the opponent plays the moves of an archive.
        min_share: a frequent reply has more than this share of the games.
        min_games: minimum games of a frequent reply.
        sides: what it is to each owner.
        branches: the main replies at the start and after the most played first moves.
        gaps: the gaps of each side with the most games.
        lacking: the main moves that the book lacks, those in the most games first.
    """

    game: Game
    records: int
    reachable: int
    positions: int
    openings: float
    has_archive: bool
    min_share: float
    min_games: int
    sides: tuple[SideReach, ...]
    branches: tuple[Branch, ...]
    gaps: tuple[Gap, ...]
    lacking: tuple[Lacking, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON data."""
        return {
            **self._asdict(),
            "sides": [side._asdict() for side in self.sides],
            "branches": [branch.to_json() for branch in self.branches],
            "gaps": [gap._asdict() for gap in self.gaps],
            "lacking": [move._asdict() for move in self.lacking],
        }


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
    """
    if min_games is None:
        min_games = minimum_games(int(graph.games[graph.root]))
    chances = move_chances(graph)
    owners = [_owned(graph, SIDES.index(side), chances, min_share, min_games, most) for side in sides]
    both = graph.trace(graph.in_book)
    first = np.arange(graph.starts[graph.root], graph.starts[graph.root + 1])
    order = graph.played if graph.has_archive else graph.weight
    first_moves = first[np.argsort(-order[first], kind="stable")][:_FIRST_MOVES]
    return Reach(
        game=graph.game,
        records=graph.records,
        reachable=int(
            np.count_nonzero(np.bincount(graph.record[graph.in_book & both.reached[graph.parent]]))
        ),
        positions=int(np.count_nonzero(graph.has_book & both.reached)),
        openings=_openings(graph, [SIDES.index(side) for side in sides]),
        has_archive=graph.has_archive,
        min_share=float(min_share),
        min_games=min_games,
        sides=tuple(facts for facts, _ in owners),
        branches=(_branch(graph, []), *(_branch(graph, [edge]) for edge in first_moves.tolist())),
        gaps=tuple(gap for _, gaps in owners for gap in gaps),
        lacking=tuple(_lacking(graph, [SIDES.index(side) for side in sides])),
    )


def selection_reach(chosen: Selection, book: MoveBook | Book) -> Reach:
    """Return what the book of a selection is to the sides that it is for.

    Positions of too few games for a book move are ignored: the owner has no move there, and a walk ends.

    Args:
        chosen: the selection, which knows its tally.
        book: the book that was written, or its moves: those that the file stores.
    """
    assert chosen.origin is not None, "a selection that was read makes no report"
    if isinstance(book, MoveBook):
        book = replace(book, bridges=book.bridges[:0])
    only = chosen.origin.options.for_side
    graph = graph_of_selection(book, *chosen.origin.counted())
    return book_reach(graph, sides=SIDES if only is None else (side_of(only),))


def minimum_games(games: int) -> int:
    """Return the minimum games of a frequent reply, for an archive with this number of games.

    Example:
        >>> minimum_games(500), minimum_games(1_000_000)
        (10, 100)
    """
    return max(_MIN_GAMES, games // _GAMES_A_REPLY)


def _owned(
    graph: BookGraph,
    side: int,
    chances: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    min_share: Fraction,
    min_games: int,
    most: int,
) -> tuple[SideReach, list[Gap]]:
    """Return what a book is to the owner of one side, and the gaps that the most games reached."""
    lines = graph.trace(graph.usable(side))
    plies, visits = expected_walk(graph, side, chances)
    frequent = _frequent_replies(graph, side, lines, min_share, min_games)
    answered = graph.has_book[graph.child[frequent]]
    edges = frequent[~answered]
    # Of several moves to one position, the most played one stands for it.
    edges = edges[np.argsort(-graph.played[edges], kind="stable")]
    edges = edges[np.unique(graph.child[edges], return_index=True)[1]]
    places = graph.child[edges]
    if side == 0 and not graph.has_book[graph.root]:  # the start position, to which no move leads
        edges, places = np.append(edges, -1), np.append(places, graph.root)
    played = graph.played[frequent]
    total = int(played.sum())
    facts = SideReach(
        side=SIDES[side],
        plies=plies,
        frequent_replies=frequent.size,
        answered_replies=int(answered.sum()),
        answered_share=int(played[answered].sum()) / total if total else None,
        gaps=edges.size,
    )
    gaps = []
    for number in np.lexsort((edges, lines.ply[places], -graph.games[places]))[:most].tolist():
        edge, place = int(edges[number]), int(places[number])
        line = lines.to(place) if edge < 0 else [*lines.to(int(graph.parent[edge])), edge]
        here, moves, texts = graph.played_out(line)
        games = int(graph.games[place])
        before = int(graph.games[graph.parent[edge]]) if line else games
        count = int(graph.played[edge]) if line else games
        gaps.append(
            Gap(
                side=SIDES[side],
                line=format_line(texts),
                moves=tuple(moves),
                fen=here.fen,
                ply=len(line),
                games=games,
                played=count,
                share=count / before if before else 0.0,
                reach=float(visits[place]),
            )
        )
    return facts, gaps


def _frequent_replies(
    graph: BookGraph, side: int, lines: Lines, min_share: Fraction, min_games: int
) -> Indices:
    """Return the opponent's frequent moves that lead to a position where a book may have an answer."""
    if not graph.has_archive:
        return np.empty(0, np.int64)
    is_reply = lines.reached[graph.parent] & (graph.side[graph.parent] != side)
    replies = np.flatnonzero(is_reply & (graph.played >= min_games))
    over, under = min_share.numerator, min_share.denominator
    games = graph.games[graph.parent[replies]]
    replies = replies[graph.played[replies] * under > games * over]
    after = graph.child[replies]
    can_answer = graph.has_book[after] | (graph.moved_on[after] > 0) & (lines.ply[after] < graph.plies)
    return replies[can_answer]


def move_chances(graph: BookGraph) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the probability of each move at its position: by the book, and by the games of the archive.

    Without an archive the second is the first.
    """
    rows = np.flatnonzero(graph.in_book)
    parent, weight = graph.parent[rows], graph.weight[rows]
    own = np.zeros(graph.parent.size)
    own[rows] = weight / np.bincount(parent, weight)[parent]
    return own, graph.order / np.maximum(graph.moved_on, 1)[graph.parent] if graph.has_archive else own


def expected_walk(
    graph: BookGraph, owner: int, chances: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the expected plies of a walk from the start, and the expected visits of each position.

    Args:
        graph: the moves of the book and of an archive.
        owner: side that plays the book.
        chances: as `move_chances` returns them.
    """
    is_own = graph.side == owner
    goes_on = np.where(is_own, graph.has_book, graph.moved_on > 0) if graph.has_archive else graph.has_book
    plies, found = expected_visits(
        rows_table(end=graph.ends, goes_on=goes_on.view(np.uint8)),
        rows_table(child=graph.child, chance=np.where(is_own[graph.parent], *chances)),
        graph.root,
        plies=graph.plies,
        negligible=_NEGLIGIBLE,
    )
    return plies, values(from_native(found).column("visits"))


def _openings(graph: BookGraph, sides: Sequence[int]) -> float:
    """Return the number of different openings in effect, if both sides play the book."""
    here: Indices = np.array([graph.root])
    mass: npt.NDArray[np.float64] = np.ones(1)
    total = 0.0
    for _ in range(_OPENING):
        of, out = ranges(graph.starts[here], graph.starts[here + 1])
        of, out = of[graph.in_book[out]], out[graph.in_book[out]]
        weight = graph.weight[out]
        share = weight / np.bincount(of, weight, here.size)[of]
        is_own = np.isin(graph.side[here], sides)[of]
        total -= float((mass[of] * share * np.log(share))[is_own].sum())
        here, place = np.unique(graph.child[out], return_inverse=True)
        mass = np.bincount(place, mass[of] * share, here.size).astype(np.float64)
    return float(np.exp(total / len(sides)))


def _lacking(graph: BookGraph, sides: Sequence[int]) -> list[Lacking]:
    """Return the main moves that the book lacks, where it has others."""
    if not graph.has_archive:
        return []
    lines = graph.trace(np.ones(graph.parent.size, np.bool_), _MAIN_PLIES)
    parent = graph.parent
    is_main = ~graph.in_book & graph.has_book[parent] & np.isin(graph.side[parent], sides)
    is_main &= (lines.ply[parent] >= 0) & (lines.ply[parent] < _MAIN_PLIES)
    is_main &= graph.games[parent] * _MAIN_GAMES >= graph.games[graph.root]
    is_main &= graph.played * _MAIN_SHARE >= graph.moved_on[parent]
    found = np.flatnonzero(is_main)
    lacking = []
    for edge in found[np.lexsort((lines.ply[parent[found]], -graph.played[found]))].tolist():
        _, _, texts = graph.played_out([*lines.to(int(parent[edge])), edge])
        games = int(graph.played[edge])
        lacking.append(
            Lacking(
                line=format_line(texts),
                side=SIDES[int(graph.side[parent[edge]])],
                games=games,
                share=games / int(graph.moved_on[parent[edge]]),
            )
        )
    return lacking


def _branch(graph: BookGraph, line: list[int]) -> Branch:
    here, _, texts = graph.played_out(line)
    place = int(graph.child[line[-1]]) if line else graph.root
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
        share = float(graph.weight[edge]) / total
        replies.append(Reply(move=here.coordinates(code), san=here.san(code), share=share))
    return tuple(replies), moves.size - len(replies)
