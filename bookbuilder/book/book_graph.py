"""`BookGraph`: the moves of a book and of an archive as edges between positions.

A move of an archive counts if at least `MIN_PLAYED` games played it. In archives with few rows every move
counts. Linking all rows of a large archive would cost more than counting it. In the graph of a selection of
positions, only moves of the archive lead to a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE, Position
from bookbuilder.book.formats.levels import Indices, ranges
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.columns import values
from bookbuilder.games.position import Game
from bookbuilder.selection.candidates import group_starts
from bookbuilder.selection.graph import Graph, link_rows
from bookbuilder.selection.select import Selection
from bookbuilder.tally.tally import Tally

__all__ = ["MIN_PLAYED", "BookGraph", "Lines", "minimum_played"]

MIN_PLAYED: Final = 3
"""Minimum games of a move of a large archive."""

# Archives with at most this number of rows are linked completely, which takes 0.2 s.
_FEW_ROWS: Final = 200_000

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookGraph:
    """Positions, and the moves between them that a book has or an archive played.

    Moves are sorted by the position before them.

    Attributes:
        game: the game.
        fold: whether left-right mirrors are one position.
        root: number of the start position; None = it is not there.
        side: side to move at each position.
        games: games that reached each position; 0 without an archive.
        moved_on: the games of those that went on with a move.
        parent: position before each move.
        child: position after it, or `NOWHERE`.
        code: its code, as the tally or the book stores it.
        played: games that played it; 0 without an archive.
        weight: its weight in the book.
        record: number of the record that it is or leads to; -1 = it is not a book move.
        records: number of records of the book; `owned` has those of each side's moves, if they are known.
        owned: see `records`.
        max_ply: plies after which the book has no moves any more; None = no limit.
        min_played: minimum games of the archive's moves; None = there is no archive.
    """

    game: Game
    fold: bool
    root: int | None
    side: _Column
    games: _Column
    moved_on: _Column
    parent: _Column
    child: _Column
    code: _Column
    played: _Column
    weight: _Column
    record: Indices
    records: int
    owned: tuple[int, int] | None
    max_ply: int | None
    min_played: int | None
    starts: Indices = field(init=False)

    def __post_init__(self) -> None:
        """Index the moves by the position before them."""
        starts = np.searchsorted(self.parent, np.arange(self.side.size + 1))
        object.__setattr__(self, "starts", starts)

    @classmethod
    def from_selection(
        cls,
        tally: Tally,
        chosen: Selection,
        *,
        book: MoveBook | None = None,
        min_weight: int = 0,
        graph: Graph | None = None,
    ) -> Self:
        """Return the graph of the book that a selection makes.

        Args:
            tally: the tally that was selected from.
            chosen: the selection.
            book: the moves with their weights, of a selection of moves; None = by the statistic `score`.
                Positions weigh games · (quality + 1), as the engine draws them.
            min_weight: minimum weight of a move that the file stores.
            graph: the graph of the tally, if it is known.
        """
        linked = _Linked.of(tally, graph)
        kept, weight, record = _book_moves(chosen, linked, book, min_weight)
        second = int(np.count_nonzero(values(chosen.table.column("side"))[kept]))
        return cls(
            game=tally.game,
            fold=tally.options.fold,
            root=linked.root,
            side=tally.column("mover")[linked.first],
            games=linked.games,
            moved_on=linked.moved_on,
            parent=linked.parent,
            child=linked.child,
            code=tally.column("move")[linked.rows],
            played=tally.column("games")[linked.rows].astype(np.int64),
            weight=weight,
            record=record,
            records=kept.size,
            owned=(kept.size - second, second),
            max_ply=_max_ply(tally, chosen),
            min_played=minimum_played(tally.whole_rows),
        )

    @property
    def in_book(self) -> _Column:
        """Whether each move is a book move."""
        return np.greater_equal(self.record, 0)

    @property
    def has_book(self) -> _Mask:
        """Whether each position has a book move."""
        has = np.zeros(self.side.size, np.bool_)
        has[self.parent[self.in_book]] = True
        return has

    def usable(self, owner: int) -> _Mask:
        """Return the moves that may be played: the owner's book moves, and all of the opponent.

        Without an archive the opponent plays book moves too.

        Args:
            owner: side that the book is used for, 0 first, 1 second.
        """
        if self.min_played is None:
            return self.in_book
        usable: _Mask = self.in_book | (self.side[self.parent] != owner)
        return usable

    def trace(self, usable: _Mask) -> Lines:
        """Return a shortest line of usable moves from the start to each position.

        Of several last moves the line has the most played one, or without an archive the heaviest.
        """
        into = np.full(self.side.size, -1, np.int64)
        ply = np.full(self.side.size, -1, np.int64)
        if self.root is None:
            return Lines(into, ply, self.parent)
        leads = usable & (self.child != NOWHERE)
        order = self.weight if self.min_played is None else self.played
        front, depth = np.array([self.root]), 0
        ply[self.root] = 0
        while front.size:
            depth += 1
            _, out = ranges(self.starts[front], self.starts[front + 1])
            out = out[leads[out]]
            out = out[ply[self.child[out]] < 0]
            out = out[np.argsort(order[out], kind="stable")]
            into[self.child[out]] = out  # the last one wins
            ply[self.child[out]] = depth
            front = np.flatnonzero(ply == depth)
        return Lines(into, ply, self.parent)

    def played_out(self, edges: list[int]) -> tuple[Position, list[str], list[str]]:
        """Return the position after moves from the start, and the moves as coordinates and as SAN or WXF."""
        here = Position(self.game)
        codes, texts = [], []
        for edge in edges:
            code = self.move_at(here, edge)
            codes.append(here.coordinates(code))
            texts.append(here.san(code))
            here = here.play(code)
        return here, codes, texts

    def move_at(self, here: Position, edge: int) -> int:
        """Return the code of a move that is legal at the position on the board, itself or its mirror."""
        return here.unfolded_move(int(self.code[edge]), self.fold)


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines that `BookGraph.trace` found.

    Attributes:
        into: the last move of the line to each position; -1 = there is none.
        ply: plies of the line; -1 = no line leads there.
        parent: the position before each move.
    """

    into: Indices
    ply: Indices
    parent: _Column

    @property
    def reached(self) -> _Mask:
        """Whether a line leads to each position."""
        return self.ply >= 0

    def to(self, position: int) -> list[int]:
        """Return the moves of the line to a position."""
        edges: list[int] = []
        while self.into[position] >= 0:
            edges.append(int(self.into[position]))
            position = int(self.parent[edges[-1]])
        return edges[::-1]


def minimum_played(rows: int) -> int:
    """Return the minimum games of the moves of an archive with this number of rows.

    Example:
        >>> minimum_played(1_000), minimum_played(4_000_000)
        (1, 3)
    """
    return 1 if rows <= _FEW_ROWS else MIN_PLAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class _Linked:
    """The positions and moves of a tally that enough games played.

    Attributes:
        root: number of the start position.
        positions: of each position, its number in the tally.
        first: its first row in the tally.
        games: games that reached it.
        moved_on: the games of those that went on with a move.
        rows: of each move, its row in the tally.
        parent: number of the position before it.
        child: number of the position after it, or `NOWHERE`.
    """

    root: int | None
    positions: Indices
    first: Indices
    games: _Column
    moved_on: _Column
    rows: Indices
    parent: _Column
    child: _Column

    @classmethod
    def of(cls, tally: Tally, graph: Graph | None) -> Self:
        """Return them from the graph of the whole tally, or link only what is needed."""
        key, lock, move, played = (tally.column(name) for name in ("key", "lock", "move", "games"))
        least = minimum_played(tally.whole_rows)
        starts = group_starts(key, lock) if graph is None else graph.starts
        # Most positions have one row of one game. They need no sum.
        several = (np.diff(starts, append=key.size) > 1) | (played[starts] >= least)
        positions = np.flatnonzero(several)
        games = _sums(played, starts[positions], np.append(starts, key.size)[positions + 1])
        positions, games = positions[games >= least], games[games >= least]
        first = starts[positions]
        # A position keeps at least one row, or no move would lead to it.
        some = played >= least
        some[first] = True
        linked = np.flatnonzero(some)
        if graph is None:
            fold = tally.options.fold
            graph = link_rows(key[linked], lock[linked], move[linked], tally.game, fold=fold)
        else:
            graph = _part(graph, positions, linked)
        edges = np.flatnonzero((move[linked] != 0) & (played[linked] >= least))
        return cls(
            root=graph.root,
            positions=positions,
            first=first,
            games=games,
            # A row without a move counts the games that ended there. It is the first of its position.
            moved_on=games - np.where(move[first] == 0, played[first].astype(np.int64), 0),
            rows=linked[edges],
            parent=graph.parent[edges],
            child=graph.child[edges],
        )


def _max_ply(tally: Tally, chosen: Selection) -> int | None:
    limits = (chosen.recipe["selection"]["max_ply"], tally.options.max_ply)
    return min((limit for limit in limits if limit is not None), default=None)


def _part(graph: Graph, positions: Indices, rows: Indices) -> Graph:
    """Return the graph with only some positions and rows; positions get new numbers in their order."""
    number = np.full(graph.positions + 1, NOWHERE, np.uint32)
    number[positions] = np.arange(positions.size, dtype=np.uint32)
    # `NOWHERE` is above all numbers and stays itself.
    child = number[np.minimum(graph.child[rows], graph.positions)]
    parent = number[graph.parent[rows]]
    root = None if graph.root is None or number[graph.root] == NOWHERE else int(number[graph.root])
    starts = np.searchsorted(parent, np.arange(positions.size))
    return Graph(starts=starts, parent=parent, child=child, root=root)


def _sums(values: _Column, begin: Indices, end: Indices) -> Indices:
    """Return the sum of each range of values; ranges ascend and do not overlap."""
    if not begin.size:
        return begin
    bounds = np.stack([begin, end], axis=1).ravel()
    # Every second sum is that of the values between two ranges. The last range needs no end.
    return np.add.reduceat(values, bounds[: bounds.size - (end[-1] == values.size)])[::2].astype(np.int64)


def _book_moves(
    chosen: Selection, linked: _Linked, book: MoveBook | None, min_weight: int
) -> tuple[Indices, _Column, Indices]:
    """Return the kept rows of a selection, and weight and record of each linked move."""
    kept = np.flatnonzero(values(chosen.table.column("kept")))
    if chosen.shape == "positions":
        return kept, *_of_positions(chosen, linked.positions, linked.child)
    book = book or MoveBook.from_selection(chosen)
    weights = book.column("weight")[_order_of_tally(book)]
    kept, weights = kept[weights >= min_weight], weights[weights >= min_weight]
    return kept, *_of_moves(kept, weights, linked.rows)


def _order_of_tally(book: MoveBook) -> Indices:
    """Return the order of the moves by (key, lock, move); a book of a selection is sorted by key already."""
    key = book.column("key")
    order = np.arange(key.size)
    same = key[1:] == key[:-1]
    # Most positions of a large book have one move. Sorting only the others saves seconds.
    several = np.flatnonzero(np.append(same, False) | np.append(False, same))
    move, lock = (book.column(name)[several] for name in ("move", "lock"))
    order[several] = several[np.lexsort((move, lock, key[several]))]
    return order


def _of_moves(kept: Indices, weights: _Column, rows: Indices) -> tuple[_Column, Indices]:
    """Return weight and record of each row, which is its own number among the kept ones."""
    weight, record = np.zeros(rows.size), np.full(rows.size, -1)
    if kept.size:
        place = np.minimum(np.searchsorted(kept, rows), kept.size - 1)
        own = np.flatnonzero(kept[place] == rows)
        record[own] = place[own]
        weight[own] = weights[place[own]]
    return weight, record


def _of_positions(chosen: Selection, used: Indices, child: _Column) -> tuple[_Column, Indices]:
    """Return weight and record of each move: the position that it leads to, if that is kept."""
    kept = values(chosen.table.column("kept"))[used]
    reached, quality = (values(chosen.table.column(name))[used] for name in ("reached", "quality"))
    record = np.full(child.size, -1)
    weight = np.zeros(child.size)
    leads = np.flatnonzero(child != NOWHERE)
    leads = leads[kept[child[leads]]]
    record[leads] = child[leads]
    weight[leads] = (reached * (quality + np.uint64(1)))[child[leads]]
    return weight, record
