"""Walk over a book from the start position: which of its moves can be reached, and the positions on the way.

The walk goes ply by ply: all positions of a ply are looked up, played and hashed at once, as columns. A
position that several lines reach is one position, at the ply of the shortest line.

Formats that store moves but not positions are written from a `Tree`. Each position is expanded once, under
the first move that the walk found to it. Other moves to it are leaves, so a tree is never larger than its
book and has no cycles. Bridges stay only if moves of the book follow them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, Self, TypeAlias, TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder import _core
from bookbuilder.book.formats import CASTLING
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.columns import column_of, values
from bookbuilder.games.columns import (
    MIRRORED,
    SELF_MIRRORED,
    Indices,
    PositionIndex,
    mirror_moves,
    ranges,
    rows_table,
    unfolded_moves,
)
from bookbuilder.games.position import Game
from bookbuilder.schema import from_native

BRIDGE: Final = -1
"""In place of a row: the move is not in the book but leads to moves that are."""

_KINGS: Final = (6, 12)  # codes of pieces on boards of chess
_SQUARES: Final = {"chess": 64, "xiangqi": 90}
# Positions whose legal moves are played at once: about 30 moves each, 200 bytes per move.
_PORTION: Final = 20_000


@dataclass(frozen=True, slots=True)
class Level:
    """The positions of one ply, with the columns of `_core.Positions.keys`."""

    positions: _core.Positions
    key: npt.NDArray[np.uint64]
    lock: npt.NDArray[np.uint32]
    symmetry: npt.NDArray[np.uint8]
    side: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, positions: _core.Positions, *, fold: bool) -> Self:
        """Return the level of these positions, mirrors folded or not."""
        table = from_native(positions.keys(fold))
        return cls(positions, *(values(table.column(name)) for name in ("key", "lock", "symmetry", "side")))

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions)

    def take(self, chosen: Indices) -> Level:
        """Return the level of chosen positions."""
        return Level(
            self.positions.take(rows_table(index=chosen.astype(np.uint32))),
            self.key[chosen],
            self.lock[chosen],
            self.symmetry[chosen],
            self.side[chosen],
        )

    def boards(self) -> npt.NDArray[np.uint8]:
        """Return the pieces, one row for each position."""
        pieces = values(from_native(self.positions.boards()).column("piece"))
        return pieces.reshape(len(self), _SQUARES[self.positions.game])

    def play(
        self, of: Indices, move: npt.NDArray[np.uint16]
    ) -> tuple[npt.NDArray[np.bool_], _core.Positions]:
        """Return which moves are legal, and the positions after those.

        `of` numbers the position of each move.
        """
        children, legal = self.positions.play(rows_table(index=of.astype(np.uint32), move=move))
        return values(from_native(legal).column("legal")), children


class Found(NamedTuple):
    """Moves found at the positions of a level: number of the position, row of the book, code legal there."""

    of: Indices
    row: Indices
    move: npt.NDArray[np.uint16]


Lookup: TypeAlias = Callable[[Level], Found]
"""Finds the book's moves at the positions of a level."""


def joined(*parts: Found) -> Found:
    """Return the moves of all parts, sorted by position."""
    none = Found(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint16))
    of, row, move = (np.concatenate([part[place] for part in (none, *parts)]) for place in range(3))
    order = np.argsort(of, kind="stable")
    return Found(of[order], row[order], move[order].astype(np.uint16))


UNREACHED: Final = "moves that the start position does not lead to"
"""The loss that most writers report: moves of the book that a walk does not reach."""


class Extras(TypedDict, total=False):
    """What a walk records besides keys and moves."""

    notations: Sequence[str]  # the texts of the moves in these notations of `_core.notations`
    fens: bool  # the FENs of the positions
    boards: bool  # the pieces of the positions


class Own(NamedTuple):
    """The moves of a walk that are in the book: number in the walk, row, position before, code."""

    edge: Indices
    row: Indices
    before: Indices
    move: npt.NDArray[np.uint16]


class Walk(NamedTuple):
    """The positions and moves that a walk reached, in the order of plies. Position 0 is the start."""

    key: npt.NDArray[np.uint64]  # of each position, as the book stores it
    lock: npt.NDArray[np.uint32]  # likewise
    # 0 the position is the stored form, 1 its mirror is, 2 it is its own mirror.
    symmetry: npt.NDArray[np.uint8]
    side: npt.NDArray[np.uint8]  # side to move
    ply: Indices  # plies of the shortest way to it
    fens: list[str]  # its FEN; empty unless asked for
    boards: npt.NDArray[np.uint8]  # its pieces, a row for each position; empty unless asked for
    # Of each position, the number of the first move that led to it, moves of the book before bridges;
    # -1 for the start. A mirrored position looks as this move leaves it.
    parent: Indices
    position: Indices  # of each move, the number of the position before it
    row: Indices  # of each move, its row in the book; -1 = a bridge
    move: npt.NDArray[np.uint16]  # code, legal in that position
    child: Indices  # number of the position after it
    texts: Mapping[str, list[str]]  # the move in each notation asked for
    illegal: Indices  # rows whose move no position allowed

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

    Moves that are not legal are skipped and reported. With `fold`, a position and its left-right mirror
    are one. The extras say what else to record.
    """
    level = Level.of(_core.Positions(game), fold=fold)
    numbers = _core.PositionNumbers()
    numbers.number(rows_table(key=level.key, lock=level.lock))
    parts: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
    parts["parent"].append(np.full(1, -1))
    parts["boards"].append(np.empty((0, _SQUARES[game]), np.uint8))
    fens: list[Any] = []
    texts: dict[str, list[Any]] = {name: [] for name in extras.get("notations", ())}
    ply = positions = moves = 0
    # The positions themselves are dropped after each ply.
    while len(level):
        found = lookup(level)
        order = np.argsort(found.row < 0, kind="stable")
        of, row, move = found.of[order], found.row[order], found.move[order]
        is_legal, children = level.play(of, move)
        after = Level.of(children, fold=fold)
        met, new = numbers.number(rows_table(key=after.key, lock=after.lock))
        first = values(from_native(new).column("index")).astype(np.int64)
        # A bridge is kept only if it is the first way to a position.
        kept = row[is_legal] >= 0
        kept[first] = True
        columns = {
            **{name: getattr(level, name) for name in ("key", "lock", "symmetry", "side")},
            "ply": np.full(len(level), ply),
            "position": of[is_legal][kept] + positions,
            "row": row[is_legal][kept],
            "move": move[is_legal][kept],
            "child": values(from_native(met).column("number"))[kept].astype(np.int64),
            "illegal": row[~is_legal],
            "parent": (np.cumsum(kept) - 1)[first] + moves,
        }
        if extras.get("boards"):
            columns["boards"] = level.boards()
        if extras.get("fens"):
            fens += from_native(level.positions.fens()).column("fen").to_pylist()
        played = rows_table(index=of[is_legal][kept].astype(np.uint32), move=columns["move"])
        for name, of_moves in texts.items():
            of_moves += from_native(level.positions.texts(played, name)).column("text").to_pylist()
        for name, column in columns.items():
            parts[name].append(column)
        ply, positions, moves = ply + 1, positions + len(level), moves + columns["row"].size
        level = after.take(first)
    return Walk(fens=fens, texts=texts, **{name: np.concatenate(part) for name, part in parts.items()})


def follow(book: MoveBook, **extras: Unpack[Extras]) -> Walk:
    """Return what can be reached by the moves of a book and by bridges, see `explore`."""
    rows = len(book)
    return explore(book.game, stored_moves_of(book), rows, fold=book.fold, keys=book.table, **extras)


def legal_only(book: MoveBook) -> MoveBook:
    """Return a book without the moves that are illegal at every position it leads to; they are a loss.

    Castling as a move of the king becomes king takes rook.
    """
    reached = walk(book.game, stored_moves_of(book), fold=book.fold)
    own = reached.own()
    if not book.fold and (book.column("move")[own.row] != own.move).any():
        move = book.column("move").copy()
        move[own.row] = own.move
        place = book.table.schema.get_field_index("move")
        book = replace(
            book, table=book.table.set_column(place, book.table.schema.field("move"), column_of(move))
        )
    wrong = reached.illegal_rows()
    if not wrong.size:
        return book
    return book.select(np.setdiff1d(np.arange(len(book)), wrong)).losing("illegal moves", wrong.size)


def explore(
    game: Game,
    lookup: Lookup,
    rows: int,
    *,
    fold: bool,
    keys: pa.Table | None = None,
    **extras: Unpack[Extras],
) -> Walk:
    """Like `walk`, but also continue across gaps in the book.

    A bridge is a legal move that is not in the book and leads to a position with rows that the walk would
    miss. Books have gaps if they contain only one side's moves, only frequent moves, or only the first move
    that each game played from a position.

    The keys are key and lock of the position before each row; None = the book has other keys, or none, and
    all legal moves are tried. Other arguments are those of `walk`.
    """
    reached = walk(game, lookup, fold=fold, **extras)
    missing = np.ones(rows, np.bool_)
    own = reached.own()
    missing[own.row] = False
    if not missing.any():
        return reached
    among = None
    if keys is not None:
        key, lock = (values(keys.column(name), null=0)[missing] for name in ("key", "lock"))
        order = np.lexsort((lock, key))
        key, lock = key[order], lock[order].astype(np.uint32)
        is_new = np.append(True, (np.diff(key) != 0) | (np.diff(lock) != 0))
        among = PositionIndex(key[is_new], None if keys.column("lock").null_count else lock[is_new])

    def wider(level: Level) -> Found:
        """Also find the legal moves to positions with missing rows.

        All moves found at such a position must be legal: short locks are sometimes equal by chance.
        """
        found = lookup(level)
        every, parts = np.arange(len(level)), [found]
        starts = np.union1d(np.setdiff1d(every, found.of), found.of[found.row >= 0])
        for start in range(0, starts.size, _PORTION):
            of = starts[start : start + _PORTION]
            portion = level.positions.take(rows_table(index=of.astype(np.uint32)))
            if among is None:
                legal = from_native(portion.legal_moves())
                index, code = (values(legal.column(name)) for name in ("index", "move"))
            else:
                index, code, _ = among.successors(portion, fold=fold)
            children, _ = portion.play(rows_table(index=index.astype(np.uint32), move=code))
            after = Level.of(children, fold=fold)
            onward = lookup(after)
            is_legal, _ = after.play(onward.of, onward.move)
            is_goal = np.zeros(len(after), np.bool_)
            is_goal[onward.of[(onward.row >= 0) & missing[onward.row]]] = True
            is_goal[onward.of[~is_legal]] = False
            bridges = np.full(np.count_nonzero(is_goal), BRIDGE)
            parts.append(Found(of[index[is_goal]], bridges, code[is_goal]))
        return joined(*parts)

    return walk(game, wider, fold=fold, **extras)


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
    starts = np.flatnonzero(np.append(True, np.diff(key) != 0)[: key.size])
    index, first = PositionIndex(key[starts]), np.append(starts, key.size)

    def lookup(level: Level) -> Found:
        place = index.find(level.key, None)
        known = np.flatnonzero(place >= 0)
        of, at = ranges(first[place[known]], first[place[known] + 1])
        of = known[of]
        same = ~has_lock[at] | (lock[at] == level.lock[of])
        of, at = of[same], at[same]
        code = move[at]
        if book.fold:
            code = unfolded_moves(level.positions, level.symmetry, of, code)
        elif book.game == "chess":
            code = _castling_by_rook(level, of, code)
        return Found(of, row[at], code)

    return lookup


def _castling_by_rook(level: Level, of: Indices, code: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Return codes with castling as king takes rook; e1g1 is castling if a king is on e1."""
    castles = np.isin(code, list(CASTLING))
    if castles.any():
        origin = code[castles].astype(np.int64) >> 6 & 63
        boards = level.take(of[castles]).boards()
        castles[castles] = np.isin(boards[np.arange(len(boards)), origin], _KINGS)
        code = code.copy()
        code[castles] = [CASTLING[each] for each in code[castles].tolist()]
    return code


class Tree(NamedTuple):
    """Moves of a book, grouped by position, heaviest first. The moves of the start position come first."""

    walk: Walk  # the walk over the book
    edge: Indices  # for each move of the tree, its number in the walk
    row: Indices  # its row in the book; -1 = a bridge
    first_child: Indices  # the number of the first reply to it in the tree; -1 = none
    is_last: npt.NDArray[np.bool_]  # whether it is the last move of its position
    transposed: int  # the number of moves whose replies stand elsewhere in the tree
    unreached: int  # the number of moves of the book that are not in the tree


def grow(book: MoveBook, **extras: Unpack[Extras]) -> Tree:
    """Return the tree of a book.

    The extras are those of `walk`.
    """
    reached = follow(book, **extras)
    own = reached.row >= 0
    opens = np.zeros(own.size, np.bool_)
    opens[reached.parent[1:]] = True
    # A bridge stays if the position after it, or one behind that in the tree, has a move of the book.
    leads_on: npt.NDArray[np.bool_] = np.zeros(reached.key.size, np.bool_)
    leads_on[reached.position[own]] = True
    ply = reached.ply[reached.position]
    deepest_first = np.argsort(-ply, kind="stable")
    begins = np.flatnonzero(np.diff(ply[deepest_first], prepend=-1))
    for edges in np.split(deepest_first, begins[1:]):
        leads_on[reached.position[edges[opens[edges] & leads_on[reached.child[edges]]]]] = True
    chosen = np.flatnonzero(own | (opens & leads_on[reached.child]))
    weight = np.where(own, book.column("weight")[reached.row] if len(book) else np.uint64(0), np.uint64(0))
    lightness = (weight.max(initial=0) - weight)[chosen]
    order = np.lexsort((reached.move[chosen], lightness, ~own[chosen], reached.position[chosen]))
    edge = chosen[order]
    position = reached.position[edge]
    begins = np.full(reached.key.size, -1)
    first_of_each = np.flatnonzero(np.diff(position, prepend=-1))
    begins[position[first_of_each]] = first_of_each
    replies = begins[reached.child[edge]]
    return Tree(
        walk=reached,
        edge=edge,
        row=reached.row[edge],
        first_child=np.where(opens[edge], replies, -1),
        is_last=np.append(position[1:] != position[:-1], True)[: edge.size],
        transposed=int((~opens[edge] & (replies >= 0)).sum()),
        unreached=reached.unreached(len(book)),
    )
