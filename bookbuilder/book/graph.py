"""`BookGraph`: the moves of a book and of an archive as edges between positions.

A move of an archive counts if at least `MIN_PLAYED` games played it. In archives with few rows every move
counts. Linking all rows of a large archive would cost more than counting it. In the graph of a selection of
positions, only moves of the archive lead to a record.

The graph of a file is a walk from the start position along the moves of the book and of the tally, ply by
ply. Book and tally may differ in whether left-right mirrors are one position; the graph joins mirrors if both
do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import NOWHERE, Position
from bookbuilder.book.book import Book
from bookbuilder.book.formats.clustered import records_at
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import read_moves, source_format
from bookbuilder.book.formats.walk import (
    Found,
    Indices,
    Level,
    Lookup,
    Walk,
    joined,
    stored_moves_of,
    successors,
    walk,
)
from bookbuilder.columns import values
from bookbuilder.errors import BookError, OptionError
from bookbuilder.games.columns import ranges, unfolded_moves
from bookbuilder.games.position import Game
from bookbuilder.selection.candidates import group_starts, match_positions
from bookbuilder.selection.graph import Graph, link_rows
from bookbuilder.selection.select import Selection
from bookbuilder.tally.tally import Tally

__all__ = [
    "MIN_PLAYED",
    "BookGraph",
    "Lines",
    "graph_of_book",
    "graph_of_file",
    "is_clustered",
    "minimum_played",
]

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


def is_clustered(path: Path) -> bool:
    """Return whether a file is read as a clustered book: by its content, or if the format is unknown."""
    try:
        return source_format(path).name == "book"
    except OptionError:
        return True


def graph_of_file(path: Path, tally: Tally | None = None) -> BookGraph:
    """Return the graph of a book file. See `graph_of_book`.

    Raises:
        OptionError: the format stores too little to be read.
        BookError: the file is damaged, or its game is not that of the tally.
        FormatError: the file is damaged.
        OSError: it cannot be read.
    """
    book = Book.open(path) if is_clustered(path) else read_moves(path)
    if tally is not None and tally.game != book.game:
        raise BookError(
            f"{path}: is a book of {book.game}, the store is a tally of {tally.game}; "
            f"name a store of {book.game}"
        )
    return graph_of_book(book, tally)


def graph_of_book(given: Book | MoveBook, tally: Tally | None = None) -> BookGraph:
    """Return the moves of a book, and of a tally, that the start position leads to.

    Moves of a clustered book are the legal moves that lead to a record, played or not. They weigh
    games · (quality + 1), as the engine draws them.

    Args:
        given: the book.
        tally: the counts of the opponent's moves; None = both sides play book moves.

    Raises:
        BookError: the book is damaged.
    """
    book = _listed(given) if isinstance(given, MoveBook) else _clustered(given)
    archive = None if tally is None else _Archive(tally)
    fold = book.fold and (archive is None or archive.fold)

    def lookup(level: Level) -> Found:
        own = book.lookup(level)
        if archive is None:
            return own
        theirs = archive.moves_at(level)
        return joined(own, theirs._replace(row=theirs.row + book.rows))

    return _graph(book, archive, walk(book.game, lookup, fold=fold), fold=fold)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A book as a lookup: `rows` moves or records, the weight of each, and plies after which it ends."""

    game: Game
    fold: bool
    rows: int
    weight: npt.NDArray[np.float64]
    lookup: Lookup
    is_by_move: bool
    max_ply: int | None


def _clustered(book: Book) -> _File:
    records = book.to_arrow()
    goal = records_at(records)

    def lookup(level: Level) -> Found:
        return successors(level, np.arange(len(level)), goal, fold=book.fold)

    recipe = book.recipe.get("selection", {})
    usage, quality = (values(records.column(name)).astype(np.float64) for name in ("usage", "quality"))
    return _File(
        game=book.game,
        fold=book.fold,
        rows=len(book),
        weight=usage * (quality + 1),
        lookup=lookup,
        is_by_move=False,
        max_ply=recipe.get("max_ply") if isinstance(recipe, dict) else None,
    )


def _listed(book: MoveBook) -> _File:
    return _File(
        game=book.game,
        fold=book.fold,
        rows=len(book),
        weight=book.column("weight").astype(np.float64),
        lookup=stored_moves_of(book),
        is_by_move=True,
        max_ply=None,
    )


@dataclass(slots=True)
class _Archive:
    """The moves of a tally that enough games played, and the positions that a walk asked for.

    Attributes:
        tally: the tally.
        places: of each position of the walk, its number in the tally; -1 = it has none.
    """

    tally: Tally
    places: list[Indices] = field(default_factory=list)
    fold: bool = field(init=False)
    rows: Indices = field(init=False)
    first: Indices = field(init=False)
    key: _Column = field(init=False)
    lock: _Column = field(init=False)

    def __post_init__(self) -> None:
        """Index the rows by position."""
        tally = self.tally
        played, move = tally.column("games"), tally.column("move")
        self.fold = tally.options.fold
        self.rows = np.flatnonzero((move != 0) & (played >= minimum_played(tally.whole_rows)))
        starts = group_starts(tally.column("key"), tally.column("lock"))
        self.first = np.append(starts, len(tally))
        self.key, self.lock = tally.column("key")[starts], tally.column("lock")[starts]

    def moves_at(self, level: Level) -> Found:
        """Return the moves at the positions of a level; a row is its number in `rows`."""
        own = Level.of(level.positions, fold=self.fold)
        place = match_positions(own.key, own.lock, self.key, self.lock)
        self.places.append(place)
        known = np.flatnonzero(place >= 0)
        bounds = (np.searchsorted(self.rows, self.first[place[known] + step]) for step in (0, 1))
        of, row = ranges(*bounds)
        of = known[of]
        code = self.tally.column("move")[self.rows[row]]
        return Found(of, row, unfolded_moves(level.positions, own.symmetry, of, code))

    def games(self) -> tuple[Indices, Indices]:
        """Return the games that reached each position of the walk, and the games that moved on from it."""
        place = np.concatenate(self.places)
        played = self.tally.column("games").astype(np.int64)
        total = np.append(np.add.reduceat(played, self.first[:-1]) if self.key.size else played, 0)
        ended = np.where(self.tally.column("move")[self.first[:-1]] == 0, played[self.first[:-1]], 0)
        games = total[place]  # the last number, of place -1, is 0
        return games, games - np.append(ended, 0)[place]


def _graph(book: _File, archive: _Archive | None, found: Walk, *, fold: bool) -> BookGraph:
    """Return the graph of a walk: one move for each position and code."""
    code = found.stored_moves() if fold else found.move
    pairs, first, edge = np.unique(found.position << 16 | code, return_index=True, return_inverse=True)
    is_own = found.row < book.rows
    record, weight = np.full(pairs.size, -1), np.zeros(pairs.size)
    own = found.row[is_own]
    record[edge[is_own]] = own
    weight[edge[is_own]] = book.weight[own]
    played, games = np.zeros(pairs.size, np.int64), np.zeros(found.side.size, np.int64)
    moved_on = games
    if archive is not None:
        rows = archive.rows[found.row[~is_own] - book.rows]
        played[edge[~is_own]] = archive.tally.column("games")[rows]
        games, moved_on = archive.games()
    deepest = int(found.ply[found.position[is_own]].max(initial=-1)) + 1
    return BookGraph(
        game=book.game,
        fold=fold,
        root=0,
        side=found.side,
        games=games,
        moved_on=moved_on,
        parent=found.position[first],
        child=found.child[first],
        code=code[first],
        played=played,
        weight=weight,
        record=record,
        records=book.rows,
        owned=None,
        max_ply=deepest if book.max_ply is None else book.max_ply,
        min_played=None if archive is None else minimum_played(archive.tally.whole_rows),
    )
