"""`BookGraph`: the moves of a book and of an archive as edges between positions.

The graph of a book is a walk from the start position along the moves of the book and of the tally, ply by
ply. Book and tally may differ in whether left-right mirrors are one position; the graph joins mirrors if both
do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import NOWHERE, Position, unplayed_moves
from bookbuilder.book.book import Book
from bookbuilder.book.formats.clustered import moves_to
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.formats.registry import read_moves, source_format
from bookbuilder.book.formats.walk import Found, Level, joined, stored_moves_of, walk
from bookbuilder.book.play import record_weight
from bookbuilder.columns import values
from bookbuilder.errors import BookError, OptionError
from bookbuilder.games.columns import (
    Indices,
    PositionIndex,
    ranges,
    rows_table,
    shortest_lines,
    unfolded_moves,
)
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native
from bookbuilder.selection.candidates import group_starts
from bookbuilder.selection.graph import Graph, tally_graph
from bookbuilder.tally.tally import Tally

_Mask: TypeAlias = npt.NDArray[np.bool_]
_Column: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookGraph:
    """Positions, and the moves between them that a book has or an archive played.

    Moves are sorted by the position before them.
    """

    game: Game
    fold: bool  # whether left-right mirrors are one position
    root: int  # number of the start position
    side: _Column  # side to move at each position
    games: _Column  # games that reached each position; 0 without an archive
    moved_on: _Column  # the games of those that went on with a move
    parent: _Column  # position before each move
    child: _Column  # position after it
    code: _Column  # its code, as the tally or the book stores it
    played: _Column  # games that played it; 0 without an archive
    weight: _Column  # its weight in the book
    record: Indices  # number of the record that it is or leads to; -1 = it is not a book move
    records: int  # number of records of the book
    max_ply: int | None  # plies after which the book ends; None = those before its last move, and one
    has_archive: bool  # whether moves of an archive are in the graph
    starts: Indices = field(init=False)  # number of the first move of each position, and the number of moves
    ends: npt.NDArray[np.uint32] = field(
        init=False
    )  # the number of its moves and those of positions before it
    in_book: _Mask = field(init=False)  # whether each move is one that the book can play
    has_book: _Mask = field(init=False)  # whether each position has such a move
    order: npt.NDArray[np.float64] = field(init=False)  # `played`, or without an archive `weight`
    plies: int = field(init=False)  # plies after which the book ends

    def __post_init__(self) -> None:
        """Index the moves by the position before them, and find the book moves."""
        # A move of weight 0 is never played.
        count, in_book = self.side.size, (self.record >= 0) & (self.weight > 0)
        starts = np.append(0, np.cumsum(np.bincount(self.parent, minlength=count)))
        has_book = np.zeros(count, np.bool_)
        has_book[self.parent[in_book]] = True
        columns = {"starts": starts, "in_book": in_book, "has_book": has_book}
        columns |= {"ends": starts[1:].astype(np.uint32)}
        columns |= {"order": self.played.astype(np.float64) if self.has_archive else self.weight}
        for name, column in columns.items():
            object.__setattr__(self, name, column)
        plies = self.max_ply
        if plies is None:
            ply = self.trace(np.ones(self.parent.size, np.bool_)).ply
            plies = int(ply[self.parent[in_book]].max(initial=-1)) + 1
        object.__setattr__(self, "plies", plies)

    def usable(self, owner: int) -> _Mask:
        """Return the moves that may be played: the owner's book moves, and all of the opponent.

        Without an archive the opponent plays book moves too.

        Args:
            owner: side that the book is used for, 0 first, 1 second.
        """
        if not self.has_archive:
            return self.in_book
        usable: _Mask = self.in_book | (self.side[self.parent] != owner)
        return usable

    def trace(self, usable: _Mask, plies: int | None = None) -> Lines:
        """Return a shortest line of usable moves from the start to each position.

        Of several last moves the line has the most played one, or without an archive the heaviest.

        Args:
            usable: for each move, whether a line may have it.
            plies: the longest line; None = no limit.
        """
        into, ply = shortest_lines(self.ends, self.child, usable, self.root, weight=self.order, plies=plies)
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


class Lines(NamedTuple):
    """The lines that `BookGraph.trace` found."""

    into: Indices  # the last move of the line to each position; -1 = there is none
    ply: npt.NDArray[np.int32]  # plies of the line; -1 = no line leads there
    parent: _Column  # the position before each move

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
    as `record_weight` says.

    Args:
        given: the book.
        tally: the counts of the opponent's moves; None = both sides play book moves.

    Raises:
        BookError: the book is damaged.
    """
    table = given.table if isinstance(given, MoveBook) else given.to_arrow()
    lookup_own = stored_moves_of(given) if isinstance(given, MoveBook) else moves_to(table, fold=given.fold)
    own_weight, max_ply = _weights(given, table)
    archive = None if tally is None else _Archive(tally)
    fold = given.fold and (archive is None or archive.fold)

    def lookup(level: Level) -> Found:
        own = lookup_own(level)
        if archive is None:
            return own
        theirs = archive.moves_at(level)
        return joined(own, theirs._replace(row=theirs.row + len(given)))

    found = walk(given.game, lookup, fold=fold)
    # One move for each position and code.
    code = found.stored_moves() if fold else found.move
    pairs, first, edge = np.unique(found.position << 16 | code, return_index=True, return_inverse=True)
    is_own = found.row < len(given)
    record, weight = np.full(pairs.size, -1), np.zeros(pairs.size)
    own = found.row[is_own]
    record[edge[is_own]] = own
    weight[edge[is_own]] = own_weight[own]
    played, games = np.zeros(pairs.size, np.int64), np.zeros(found.side.size, np.int64)
    moved_on = games
    if archive is not None:
        rows = archive.rows[found.row[~is_own] - len(given)]
        played[edge[~is_own]] = archive.tally.column("games")[rows]
        games, moved_on = archive.games(np.concatenate(archive.places))
    return BookGraph(
        game=given.game,
        fold=fold,
        root=0,
        side=found.side,
        games=games,
        moved_on=moved_on,
        parent=found.position[first],
        child=found.child[first].astype(np.uint32),
        code=code[first],
        played=played,
        weight=weight,
        record=record,
        records=len(given),
        max_ply=max_ply,
        has_archive=archive is not None,
    )


def graph_of_selection(book: Book | MoveBook, tally: Tally, links: Graph | None = None) -> BookGraph:
    """Return the graph of a book that was selected from a tally, and of that tally; see `graph_of_book`.

    The rows of the tally are linked already, or the core links them in one pass; and it finds the moves to
    records that no game played. A book that has what the tally lacks, or knows no mirrors where the tally
    does, is walked like any book.

    Args:
        book: the book.
        tally: the tally.
        links: its graph, if it is known.

    Raises:
        BookError: the book is damaged.
    """
    archive, is_listed = _Archive(tally), isinstance(book, MoveBook)
    table = book.table if isinstance(book, MoveBook) else book.to_arrow()
    number, root = archive.numbers_of(table), archive.root()
    if root < 0 or book.fold != archive.fold or (number < 0).any():
        return graph_of_book(book, tally)
    move = tally.column("move")
    links = tally_graph(tally) if links is None else links
    child, positions = links.child.copy(), links.positions
    # Each move out of the tally leads to a separate position, from which moves may lead to records. A list
    # of moves has none there, and one position stands for all of them.
    beyond = np.flatnonzero((child == NOWHERE) & (move != 0))
    child[beyond] = positions + (0 if is_listed else np.arange(beyond.size))
    beyond = beyond[: 1 if is_listed else None]
    row = np.flatnonzero(move != 0)
    parent, code, played = links.parent[row], move[row], tally.column("games")[row].astype(np.int64)
    record_at = np.full(len(tally) if is_listed else positions + beyond.size, -1)
    record_at[number] = np.arange(number.size)
    if is_listed:
        child, record = child[row], record_at[row]
    else:
        rows = rows_table(key=tally.column("key"), lock=tally.column("lock"), move=move, child=child)
        records = rows_table(position=np.sort(number).astype(np.uint32))
        found = from_native(unplayed_moves(rows, links.placed, records, tally.game, fold=archive.fold))
        more = {name: values(found.column(name)) for name in ("parent", "move", "child")}
        order = np.argsort(more["parent"], kind="stable")
        place = np.searchsorted(parent, more["parent"][order], "right")
        parent = np.insert(parent, place, more["parent"][order])
        code = np.insert(code, place, more["move"][order])
        child = np.insert(child[row], place, more["child"][order])
        played = np.insert(played, place, 0)
        record = record_at[child]
    games, moved_on = archive.games(slice(-1))
    weight, max_ply = _weights(book, table)
    mover = tally.column("mover")
    return BookGraph(
        game=tally.game,
        fold=archive.fold,
        root=root,
        side=np.append(mover[archive.first[:-1]], 1 - mover[beyond]),
        games=np.append(games, np.zeros(beyond.size, np.int64)),
        moved_on=np.append(moved_on, np.zeros(beyond.size, np.int64)),
        parent=parent,
        child=child,
        code=code,
        played=played,
        weight=np.append(weight, 0.0)[record],
        record=record,
        records=number.size,
        max_ply=max_ply,
        has_archive=True,
    )


def _weights(book: Book | MoveBook, table: pa.Table) -> tuple[npt.NDArray[np.float64], int | None]:
    """Return the weights by which moves or records are drawn, and the plies after which a book ends."""
    if isinstance(book, MoveBook):
        return book.column("weight").astype(np.float64), None
    usage, quality = (values(table.column(name)).astype(np.float64) for name in ("usage", "quality"))
    recipe = book.recipe.get("selection", {})
    return record_weight(usage, quality), recipe.get("max_ply") if isinstance(recipe, dict) else None


class _Archive:
    """The moves of a tally, and the positions that a walk asked for.

    `places` holds the number in the tally of each position of the walk; -1 = it has none.
    """

    def __init__(self, tally: Tally) -> None:
        """Index the rows by position."""
        self.tally, self.fold = tally, tally.options.fold
        self.places: list[Indices] = []
        self.rows = np.flatnonzero(tally.column("move") != 0)
        starts = group_starts(tally.column("key"), tally.column("lock"))
        self.first = np.append(starts, len(tally))
        self.index = PositionIndex(tally.column("key")[starts], tally.column("lock")[starts])

    @property
    def parent(self) -> Indices:
        """The number of the position of each row of the tally."""
        return np.repeat(np.arange(self.first.size - 1), np.diff(self.first))

    def root(self) -> int:
        """Return the number of the start position, -1 = no game has it."""
        key, lock = Position(self.tally.game).stored(self.fold)
        return int(self.index.find(np.array([key], np.uint64), np.array([lock], np.uint32))[0])

    def numbers_of(self, book: pa.Table) -> Indices:
        """Return the number in the tally of each record, or the row of each move; -1 = the tally lacks it."""
        has_lock = "lock" in book.column_names and not book.column("lock").null_count
        place = self.index.find(values(book.column("key")), values(book.column("lock")) if has_lock else None)
        if "move" not in book.column_names:
            return place
        pairs = self.parent << 16 | self.tally.column("move")
        wanted = place << 16 | values(book.column("move"))
        row = np.minimum(np.searchsorted(pairs, wanted), pairs.size - 1)
        return np.where((place >= 0) & (pairs[row] == wanted), row, -1)

    def moves_at(self, level: Level) -> Found:
        """Return the moves at the positions of a level; a row is its number in `rows`."""
        own = Level.of(level.positions, fold=self.fold)
        place = self.index.find(own.key, own.lock)
        self.places.append(place)
        known = np.flatnonzero(place >= 0)
        bounds = (np.searchsorted(self.rows, self.first[place[known] + step]) for step in (0, 1))
        of, row = ranges(*bounds)
        of = known[of]
        code = self.tally.column("move")[self.rows[row]]
        return Found(of, row, unfolded_moves(level.positions, own.symmetry, of, code))

    def games(self, place: Indices | slice) -> tuple[Indices, Indices]:
        """Return the games that reached each position, and the games that moved on from it.

        Args:
            place: its number in the tally; -1 = it has none. `slice(-1)` is all of the tally.
        """
        played = self.tally.column("games").astype(np.int64)
        total = np.append(np.add.reduceat(played, self.first[:-1]) if played.size else played, 0)
        ended = np.where(self.tally.column("move")[self.first[:-1]] == 0, played[self.first[:-1]], 0)
        games = total[place]  # the last number, of place -1, is 0
        return games, games - np.append(ended, 0)[place]
