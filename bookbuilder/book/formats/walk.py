"""A walk over a book from the start position: which of its moves can be reached, and what is there.

In comes a book, or whatever tells the moves of positions; out go the positions reached and the moves between
them, as columns. The walk goes ply by ply: all positions of a ply are looked up, played and hashed at once.
A position reached by several ways is one; it stands at the ply of the shortest way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native

__all__ = [
    "Found",
    "Indices",
    "Level",
    "Lookup",
    "Walk",
    "explore",
    "follow",
    "identity",
    "joined",
    "legal_only",
    "mirror_moves",
    "ranges",
    "rows_table",
    "successors",
    "walk",
]

Indices: TypeAlias = npt.NDArray[np.int64]
"""Numbers of positions or of rows."""

SQUARES = {"chess": 64, "xiangqi": 90}
"""Points of a board."""
_MIRRORED, _SELF_MIRRORED = 1, 2
# What stands for a row where a move is none of the book's: it bridges a gap, or leads nowhere.
_BRIDGE, _NOWHERE = -1, -2
# Positions whose legal moves are all played at once: some 30 each, of some 200 bytes.
_PORTION = 20_000
# Positions at which every legal move is tried for what a walk has missed: some seconds.
_MOST_TRIED = 500_000


class Level(NamedTuple):
    """The positions of one ply, and their columns as `_core.Positions.keys` tells them."""

    positions: _core.Positions
    key: npt.NDArray[np.uint64]
    lock: npt.NDArray[np.uint32]
    symmetry: npt.NDArray[np.uint8]
    side: npt.NDArray[np.uint8]

    def boards(self) -> npt.NDArray[np.uint8]:
        """Return the pieces, one row for each position."""
        pieces = from_native(self.positions.boards()).column("piece").to_numpy()
        return pieces.reshape(len(self.positions), SQUARES[self.positions.game])


class Found(NamedTuple):
    """Moves found at positions of a level: number of the position, row of the book, code legal there."""

    of: Indices
    row: Indices
    move: npt.NDArray[np.uint16]


Lookup: TypeAlias = Callable[[Level], Found]
"""What tells the book's moves at the positions of a level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What a walk reached. Position 0 is the start; positions and moves stand in the order of plies.

    Attributes:
        key: of each position, as the book stores it.
        lock: likewise.
        symmetry: 0 the position is the stored form, 1 its mirror is, 2 it is its own mirror.
        side: side to move.
        ply: plies of the shortest way to it.
        fens: its FEN; empty unless asked for.
        boards: its pieces, a row for each position; empty unless asked for.
        parent: of each position, the number of the move by which the walk came to it first, the book's own
            before bridges; -1 for the start. A mirrored position looks as this move leaves it.
        position: of each move, the number of the position before it.
        row: of each move, its row in the book; -1 = a bridge.
        move: code, legal in that position.
        child: number of the position after it.
        texts: the move in each notation asked for.
        illegal: rows that no position allowed.
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
        stored = np.where(symmetry == _MIRRORED, mirrored, self.move)
        return np.where(symmetry == _SELF_MIRRORED, np.minimum(self.move, mirrored), stored)


def walk(
    game: Game,
    lookup: Lookup,
    *,
    fold: bool,
    notations: Sequence[str] = (),
    fens: bool = False,
    boards: bool = False,
) -> Walk:
    """Return what can be reached from the start position.

    Args:
        game: the game.
        lookup: tells the moves of positions; codes that are not legal are left out and reported.
        fold: take a position and its left-right mirror as one.
        notations: write the moves in these notations of `_core.notations`.
        fens: write the positions' FENs.
        boards: keep the positions' pieces.
    """
    level = _level(_core.Positions(game), fold)
    ids = _Ids(identity(level.key, level.lock))
    columns: list[tuple[npt.NDArray[Any], ...]] = []
    steps: list[_Step] = []
    told_fens: list[str] = []
    told_boards = [np.empty((0, SQUARES[game]), np.uint8)]
    parents = [np.full(1, -1)]
    begins = moves = 0
    while len(level.positions):
        # The positions of a ply are let go with it; what is asked of them is kept.
        columns.append((*level[1:], np.full(len(level.positions), len(columns))))
        told_fens += _fens(level) if fens else []
        told_boards += [level.boards()] if boards else []
        step, children = _step(level, lookup(level))
        after = _level(children, fold)
        step.child, new = ids.numbered(identity(after.key, after.lock))
        # A bridge stays only where it is the first way to a position.
        is_needed = step.row >= 0
        is_needed[new] = True
        steps.append(step.only(is_needed).told(level, notations, begins))
        parents.append((np.cumsum(is_needed) - 1)[new] + moves)
        begins += len(level.positions)
        moves += int(is_needed.sum())
        level = _level(children.take(rows_table(index=new.astype(np.uint32))), fold)
    key, lock, symmetry, side, ply = (np.concatenate(each) for each in zip(*columns, strict=True))
    return Walk(
        key=key,
        lock=lock,
        symmetry=symmetry,
        side=side,
        ply=ply,
        fens=told_fens,
        boards=np.concatenate(told_boards),
        parent=np.concatenate(parents),
        **{
            name: np.concatenate([getattr(step, name) for step in steps])
            for name in ("position", "row", "move", "child", "illegal")
        },
        texts={name: [text for step in steps for text in step.texts[name]] for name in notations},
    )


@dataclass(slots=True)
class _Step:
    """The legal moves of one ply; see `Walk` for the columns."""

    position: Indices
    row: Indices
    move: npt.NDArray[np.uint16]
    child: Indices
    illegal: Indices
    texts: Mapping[str, list[str]]

    def only(self, chosen: npt.NDArray[np.bool_]) -> _Step:
        """Return the chosen moves."""
        return replace(
            self,
            position=self.position[chosen],
            row=self.row[chosen],
            move=self.move[chosen],
            child=self.child[chosen],
        )

    def told(self, level: Level, notations: Sequence[str], begins: int) -> _Step:
        """Return the moves written in notations; positions counted from those of the plies before."""
        rows = rows_table(index=self.position.astype(np.uint32), move=self.move)
        texts: dict[str, Any] = {
            name: from_native(level.positions.texts(rows, name)).column("text").to_pylist()
            for name in notations
        }
        return replace(self, position=self.position + begins, texts=texts)


def _step(level: Level, found: Found) -> tuple[_Step, _core.Positions]:
    """Return the legal ones of the moves found, the book's own first, and the positions after them."""
    order = np.argsort(found.row < 0, kind="stable")
    of, row, move = (each[order] for each in found)
    moves = rows_table(index=of.astype(np.uint32), move=move)
    children, told = level.positions.play(moves)
    is_legal = from_native(told).column("legal").to_numpy()
    nowhere = np.empty(0, np.int64)
    return _Step(of[is_legal], row[is_legal], move[is_legal], nowhere, row[~is_legal], {}), children


def follow(
    book: MoveBook,
    *,
    notations: Sequence[str] = (),
    fens: bool = False,
    boards: bool = False,
) -> Walk:
    """Return what can be reached by the moves of a book.

    Rows of moves that are not the book's own are -1: its bridges, and where they do not lead to all of it
    whatever legal moves do. So books are walked that leave out moves between those they hold: one side's,
    rare ones, or all but the last of those that a game played from a position.

    Args:
        book: any book.
        notations: as of `walk`.
        fens: as of `walk`.
        boards: as of `walk`.
    """
    options: dict[str, Any] = {"fold": book.fold, "notations": notations, "fens": fens, "boards": boards}
    return explore(book.game, _stored_moves(book), len(book), everywhere=True, **options)


def legal_only(book: MoveBook) -> MoveBook:
    """Return a book without the moves that are illegal at a position it leads to, with that told."""
    reached = walk(book.game, _stored_moves(book), fold=book.fold)
    wrong = np.setdiff1d(reached.illegal[reached.illegal >= 0], reached.row)
    if not wrong.size:
        return book
    return book.select(np.setdiff1d(np.arange(len(book)), wrong)).losing("illegal moves", wrong.size)


def explore(
    game: Game,
    lookup: Lookup,
    rows: int,
    *,
    fold: bool,
    everywhere: bool = False,
    **options: Any,  # noqa: ANN401 (those of `walk`)
) -> Walk:
    """Return what `walk` returns, with bridges to what it does not come to without them.

    Args:
        game: the game.
        lookup: tells the moves of positions.
        rows: how many rows there are.
        fold: as of `walk`.
        everywhere: build bridges from positions with moves of the book, too, and not only from those without
            any move; none if there are very many.
        **options: as of `walk`.
    """
    reached = walk(game, lookup, fold=fold, **options)
    missing = np.ones(rows, np.bool_)
    missing[reached.row[reached.row >= 0]] = False
    own = reached.row >= 0
    passed_by = np.setdiff1d(reached.position[~own], reached.position[own])
    if not missing.any() or (everywhere and reached.key.size - passed_by.size > _MOST_TRIED):
        return reached
    return walk(game, _over_gaps(lookup, missing, fold=fold, everywhere=everywhere), fold=fold, **options)


def identity(key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32]) -> npt.NDArray[np.bytes_]:
    """Return key and lock as one value of 12 bytes, in whose order (key, lock) ascends."""
    both = np.empty(key.size, dtype=[("key", ">u8"), ("lock", ">u4")])
    both["key"], both["lock"] = key, lock
    return both.view("S12")


def ranges(begin: npt.NDArray[Any], end: npt.NDArray[Any]) -> tuple[Indices, Indices]:
    """Return all numbers from begin[i] to below end[i], and for each its i.

    Example:
        >>> ranges(np.array([5, 9]), np.array([7, 10]))
        (array([0, 0, 1]), array([5, 6, 9]))
    """
    length = (end - begin).astype(np.int64)
    of = np.repeat(np.arange(length.size), length)
    within = np.arange(of.size) - np.repeat(np.cumsum(length) - length, length)
    return of, begin.astype(np.int64)[of] + within


def mirror_moves(code: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Return xiangqi move codes as a left-right mirror shows them: two squares of 7 bits, 9 a rank."""
    origin, target = code >> 7, code & 127
    origin, target = origin + 8 - 2 * (origin % 9), target + 8 - 2 * (target % 9)
    return (origin << 7 | target).astype(np.uint16)


class _Ids:
    """Numbers for identities, in the order in which they are first seen."""

    def __init__(self, known: npt.NDArray[np.bytes_]) -> None:
        self.known = known
        self.number: Indices = np.arange(known.size)

    def numbered(self, found: npt.NDArray[np.bytes_]) -> tuple[Indices, Indices]:
        """Return the number of each, and the indices at which the new ones first stand."""
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


def _stored_moves(book: MoveBook) -> Lookup:
    """Return the lookup of a book's rows and bridges by key, and by lock where both know one."""
    table = book.table.select(["key", "lock", "move"])
    table = pa.concat_tables([table, book.bridges.cast(table.schema)])
    row = np.concatenate((np.arange(len(book)), np.full(book.bridges.num_rows, -1)))
    key, move = table.column("key").to_numpy(), table.column("move").to_numpy()
    has_lock = table.column("lock").is_valid().to_numpy()
    lock = table.column("lock").fill_null(pa.scalar(0, pa.uint32())).to_numpy()
    order = np.argsort(key, kind="stable")
    key, move, has_lock, lock, row = (each[order] for each in (key, move, has_lock, lock, row))

    def lookup(level: Level) -> Found:
        of, at = ranges(np.searchsorted(key, level.key, "left"), np.searchsorted(key, level.key, "right"))
        same = ~has_lock[at] | (lock[at] == level.lock[of])
        of, at = of[same], at[same]
        code = move[at]
        if book.fold:
            code = np.where(level.symmetry[of] == _MIRRORED, mirror_moves(code), code)
        return Found(of, row[at], code)

    return lookup


def _over_gaps(lookup: Lookup, missing: npt.NDArray[np.bool_], *, fold: bool, everywhere: bool) -> Lookup:
    """Return a lookup that goes by legal moves to positions with missing rows, too.

    A position is taken for such a one if all the moves that are found there are legal: of locks of few bits
    some are equal by chance.
    """

    def leads_on(level: Level) -> Indices:
        found = lookup(level)
        moves = rows_table(index=found.of.astype(np.uint32), move=found.move)
        is_legal = from_native(level.positions.play(moves)[1]).column("legal").to_numpy()
        goal = np.full(len(level.positions), _NOWHERE)
        goal[found.of[(found.row >= 0) & missing[found.row]]] = _BRIDGE
        goal[found.of[~is_legal]] = _NOWHERE
        return goal

    def wider(level: Level) -> Found:
        found = lookup(level)
        every = np.arange(len(level.positions))
        starts = np.setdiff1d(every, found.of[found.row < 0] if everywhere else found.of)
        if everywhere:
            starts = np.union1d(starts, found.of[found.row >= 0])
        return joined(found, successors(level.positions, starts, leads_on, fold=fold))

    return wider


def successors(
    positions: _core.Positions, chosen: Indices, goal: Callable[[Level], Indices], *, fold: bool
) -> Found:
    """Return the legal moves at chosen positions that lead to where `goal` tells a row, or a bridge (-1).

    Some thousand positions are played at a time; for what is no goal, `goal` tells -2.
    """
    parts = []
    for start in range(0, chosen.size, _PORTION):
        of = chosen[start : start + _PORTION]
        portion = positions.take(rows_table(index=of.astype(np.uint32)))
        moves = from_native(portion.legal_moves())
        row = goal(_level(portion.play(moves)[0], fold))
        wanted = np.flatnonzero(row != _NOWHERE)
        index, code = (moves.column(name).to_numpy()[wanted] for name in ("index", "move"))
        parts.append(Found(of[index], row[wanted], code))
    return joined(*parts)


def joined(*parts: Found) -> Found:
    """Return all that was found, in the order of positions."""
    none = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16))
    of, row, move = (np.concatenate([part[place] for part in (none, *parts)]) for place in range(3))
    order = np.argsort(of, kind="stable")
    return Found(of[order], row[order], move[order].astype(np.uint16))


def _level(positions: _core.Positions, fold: bool) -> Level:
    table = from_native(positions.keys(fold))
    return Level(positions, *(table.column(name).to_numpy() for name in ("key", "lock", "symmetry", "side")))


def _fens(level: Level) -> list[str]:
    fens: list[Any] = from_native(level.positions.fens()).column("fen").to_pylist()
    return fens


def rows_table(**columns: npt.NDArray[Any]) -> pa.Table:
    """Return columns as `_core.Positions` takes them: index uint32, and move uint16."""
    return pa.Table.from_arrays([pa.array(each) for each in columns.values()], names=list(columns))
