"""Walk over a book from the start position: which of its moves can be reached, and the positions on the way.

The walk goes ply by ply: all positions of a ply are looked up, played and hashed at once. A position that
several lines reach is one position, at the ply of the shortest line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.formats.levels import (
    BRIDGE,
    MIRRORED,
    NO_ROW,
    SELF_MIRRORED,
    Found,
    Indices,
    Level,
    Lookup,
    identity,
    joined,
    mirror_moves,
    ranges,
    rows_table,
    successors,
)
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.columns import values
from bookbuilder.games.columns import unfolded_moves
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native

__all__ = ["UNREACHED", "Extras", "Own", "Walk", "explore", "follow", "legal_only", "stored_moves_of", "walk"]

UNREACHED: Final = "moves that the start position does not lead to"
"""The loss that most writers report: moves of the book that a walk does not reach."""

# The maximum number of positions at which every legal move is tried to find missing rows: some seconds.
_MOST_TRIED: Final = 500_000


class Extras(TypedDict, total=False):
    """What a walk records besides keys and moves.

    Attributes:
        notations: the texts of the moves in these notations of `_core.notations`.
        fens: the FENs of the positions.
        boards: the pieces of the positions.
    """

    notations: Sequence[str]
    fens: bool
    boards: bool


class Own(NamedTuple):
    """The moves of a walk that are in the book: number in the walk, row, position before, code."""

    edge: Indices
    row: Indices
    before: Indices
    move: npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The positions and moves that a walk reached, in the order of plies. Position 0 is the start.

    Attributes:
        key: of each position, as the book stores it.
        lock: likewise.
        symmetry: 0 the position is the stored form, 1 its mirror is, 2 it is its own mirror.
        side: side to move.
        ply: plies of the shortest way to it.
        fens: its FEN; empty unless asked for.
        boards: its pieces, a row for each position; empty unless asked for.
        parent: of each position, the number of the first move that led to it, moves of the book before
            bridges; -1 for the start. A mirrored position looks as this move leaves it.
        position: of each move, the number of the position before it.
        row: of each move, its row in the book; -1 = a bridge.
        move: code, legal in that position.
        child: number of the position after it.
        texts: the move in each notation asked for.
        illegal: rows whose move no position allowed.
    """

    key: npt.NDArray[np.uint64]
    lock: npt.NDArray[np.uint32]
    symmetry: npt.NDArray[np.uint8]
    side: npt.NDArray[np.uint8]
    ply: Indices
    fens: list[str]
    boards: npt.NDArray[np.uint8]
    parent: Indices
    position: Indices
    row: Indices
    move: npt.NDArray[np.uint16]
    child: Indices
    texts: Mapping[str, list[str]]
    illegal: Indices

    def stored_moves(self) -> npt.NDArray[np.uint16]:
        """Return the codes of the moves as a folded book holds them."""
        mirrored = mirror_moves(self.move)
        symmetry = self.symmetry[self.position]
        stored = np.where(symmetry == MIRRORED, mirrored, self.move)
        return np.where(symmetry == SELF_MIRRORED, np.minimum(self.move, mirrored), stored)

    def own(self) -> Own:
        """Return the moves of the book, without bridges."""
        edge = np.flatnonzero(self.row >= 0)
        return Own(edge, self.row[edge], self.position[edge], self.move[edge])

    def unreached(self, rows: int) -> int:
        """Return how many of the book's rows no move of the walk has."""
        return rows - np.unique(self.row[self.row >= 0]).size

    def illegal_rows(self) -> Indices:
        """Return the rows whose move is legal nowhere on the walk."""
        return np.setdiff1d(self.illegal[self.illegal >= 0], self.row)


def walk(game: Game, lookup: Lookup, *, fold: bool, **extras: Unpack[Extras]) -> Walk:
    """Return what can be reached from the start position.

    Args:
        game: the game.
        lookup: finds the moves of positions; moves that are not legal are skipped and reported.
        fold: treat a position and its left-right mirror as one.
        **extras: what else to record.
    """
    level = Level.of(_core.Positions(game), fold=fold)
    ids = _Ids(identity(level.key, level.lock))
    found = _Gathered(extras)
    while len(level):
        step, children = _step(level, lookup(level))
        after = Level.of(children, fold=fold)
        step.child, new = ids.numbered(identity(after.key, after.lock))
        found.add(level, step, new)
        level = Level.of(children.take(rows_table(index=new.astype(np.uint32))), fold=fold)
    return found.walk()


@dataclass(slots=True)
class _Step:
    """The legal moves of one ply; see `Walk` for the columns."""

    position: Indices
    row: Indices
    move: npt.NDArray[np.uint16]
    child: Indices
    illegal: Indices

    def only(self, chosen: npt.NDArray[np.bool_]) -> _Step:
        """Return the chosen moves."""
        columns = {name: getattr(self, name)[chosen] for name in ("position", "row", "move", "child")}
        return replace(self, **columns)


def _step(level: Level, found: Found) -> tuple[_Step, _core.Positions]:
    """Return the legal moves, moves of the book first, and the positions after them."""
    order = np.argsort(found.row < 0, kind="stable")
    of, row, move = found.of[order], found.row[order], found.move[order]
    is_legal, children = level.play(of, move)
    return _Step(of[is_legal], row[is_legal], move[is_legal], np.empty(0, np.int64), row[~is_legal]), children


@dataclass(slots=True)
class _Gathered:
    """The columns of a walk, ply by ply. The positions themselves are dropped after each ply."""

    extras: Extras
    levels: list[tuple[npt.NDArray[Any], ...]] = field(default_factory=list)
    steps: list[_Step] = field(default_factory=list)
    parents: list[Indices] = field(default_factory=lambda: [np.full(1, -1)])
    fens: list[str] = field(default_factory=list)
    boards: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    positions: int = 0
    moves: int = 0

    def add(self, level: Level, step: _Step, new: Indices) -> None:
        """Add one ply: its positions, its moves, and which of the moves lead to new positions first."""
        ply = np.full(len(level), len(self.levels))
        self.levels.append((level.key, level.lock, level.symmetry, level.side, ply))
        if self.extras.get("fens"):
            self.fens += level.fens()
        if self.extras.get("boards"):
            self.boards.append(level.boards())
        # A bridge is kept only if it is the first way to a position.
        is_needed = step.row >= 0
        is_needed[new] = True
        kept = step.only(is_needed)
        for name in self.extras.get("notations", ()):
            rows = rows_table(index=kept.position.astype(np.uint32), move=kept.move)
            texts: list[Any] = from_native(level.positions.texts(rows, name)).column("text").to_pylist()
            self.texts.setdefault(name, []).extend(texts)
        self.steps.append(replace(kept, position=kept.position + self.positions))
        self.parents.append((np.cumsum(is_needed) - 1)[new] + self.moves)
        self.positions += len(level)
        self.moves += kept.row.size

    def walk(self) -> Walk:
        """Return all plies as one walk."""
        key, lock, symmetry, side, ply = (np.concatenate(each) for each in zip(*self.levels, strict=True))
        names = ("position", "row", "move", "child", "illegal")
        return Walk(
            key=key,
            lock=lock,
            symmetry=symmetry,
            side=side,
            ply=ply,
            fens=self.fens,
            boards=np.concatenate(self.boards) if self.boards else np.empty((0, 0), np.uint8),
            parent=np.concatenate(self.parents),
            **{name: np.concatenate([getattr(step, name) for step in self.steps]) for name in names},
            texts=self.texts,
        )


class _Ids:
    """Numbers for identities, in the order in which they are first seen."""

    def __init__(self, known: npt.NDArray[np.bytes_]) -> None:
        self.known = known
        self.number: Indices = np.arange(known.size)

    def numbered(self, found: npt.NDArray[np.bytes_]) -> tuple[Indices, Indices]:
        """Return the number of each, and the indices of the first occurrences of new ones."""
        unique, first, inverse = np.unique(found, return_index=True, return_inverse=True)
        place = np.minimum(np.searchsorted(self.known, unique), self.known.size - 1)
        is_new = self.known[place] != unique
        number = self.number[place]
        new = np.flatnonzero(is_new)
        new = new[np.argsort(first[new])]
        number[new] = self.known.size + np.arange(new.size)
        into = np.searchsorted(self.known, unique[is_new])
        self.known = np.insert(self.known, into, unique[is_new])
        self.number = np.insert(self.number, into, number[is_new])
        return number[inverse], first[new]


def follow(book: MoveBook, **extras: Unpack[Extras]) -> Walk:
    """Return what can be reached by the moves of a book and by bridges, see `explore`.

    Args:
        book: any book.
        **extras: as of `walk`.
    """
    return explore(book.game, stored_moves_of(book), len(book), fold=book.fold, everywhere=True, **extras)


def legal_only(book: MoveBook) -> MoveBook:
    """Return a book without the moves that are illegal at every position it leads to; they are a loss."""
    wrong = walk(book.game, stored_moves_of(book), fold=book.fold).illegal_rows()
    if not wrong.size:
        return book
    return book.select(np.setdiff1d(np.arange(len(book)), wrong)).losing("illegal moves", wrong.size)


def explore(
    game: Game, lookup: Lookup, rows: int, *, fold: bool, everywhere: bool = False, **extras: Unpack[Extras]
) -> Walk:
    """Like `walk`, but also continue across gaps in the book.

    A bridge is a legal move that is not in the book and leads to a position with rows that the walk would
    miss. Books have gaps if they contain only one side's moves, only frequent moves, or only the last move
    that each game played from a position.

    Args:
        game: the game.
        lookup: finds the moves of positions.
        rows: the number of rows of the book.
        fold: as of `walk`.
        everywhere: build bridges from positions with moves of the book too, unless there are very many of
            them; otherwise only from positions without any move.
        **extras: as of `walk`.
    """
    reached = walk(game, lookup, fold=fold, **extras)
    missing = np.ones(rows, np.bool_)
    own = reached.own()
    missing[own.row] = False
    passed_by = np.setdiff1d(reached.position[reached.row < 0], own.before)
    if not missing.any() or (everywhere and reached.key.size - passed_by.size > _MOST_TRIED):
        return reached
    return walk(game, _over_gaps(lookup, missing, fold=fold, everywhere=everywhere), fold=fold, **extras)


def stored_moves_of(book: MoveBook) -> Lookup:
    """Return the lookup of a book's rows and bridges by key, and by lock where both know one."""
    table = book.table.select(["key", "lock", "move"])
    table = pa.concat_tables([table, book.bridges.cast(table.schema)])
    row = np.concatenate((np.arange(len(book)), np.full(book.bridges.num_rows, BRIDGE)))
    key, move = values(table.column("key")), values(table.column("move"))
    has_lock = values(table.column("lock").is_valid())
    lock = values(table.column("lock"), null=0)
    order = np.argsort(key, kind="stable")
    key, move, has_lock, lock, row = (each[order] for each in (key, move, has_lock, lock, row))

    def lookup(level: Level) -> Found:
        of, at = ranges(np.searchsorted(key, level.key, "left"), np.searchsorted(key, level.key, "right"))
        same = ~has_lock[at] | (lock[at] == level.lock[of])
        of, at = of[same], at[same]
        code = move[at]
        if book.fold:
            code = unfolded_moves(level.positions, level.symmetry, of, code)
        return Found(of, row[at], code)

    return lookup


def _over_gaps(lookup: Lookup, missing: npt.NDArray[np.bool_], *, fold: bool, everywhere: bool) -> Lookup:
    """Return a lookup that also finds legal moves to positions with missing rows.

    All moves found at such a position must be legal: short locks are sometimes equal by chance.
    """

    def leads_on(level: Level) -> Indices:
        found = lookup(level)
        is_legal, _ = level.play(found.of, found.move)
        goal = np.full(len(level), NO_ROW)
        goal[found.of[(found.row >= 0) & missing[found.row]]] = BRIDGE
        goal[found.of[~is_legal]] = NO_ROW
        return goal

    def wider(level: Level) -> Found:
        found = lookup(level)
        every = np.arange(len(level))
        starts = np.setdiff1d(every, found.of[found.row < 0] if everywhere else found.of)
        if everywhere:
            starts = np.union1d(starts, found.of[found.row >= 0])
        return joined(found, successors(level, starts, leads_on, fold=fold))

    return wider
