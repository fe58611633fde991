"""Arena's opening books (`.abk`), chess.

A book is an array of entries of 28 bytes, little-endian. The first 900 are the header; entry 900 is the first
move at the start position:

| offset | bytes | field of an entry |
|---|---|---|
| 0 | 1 | origin, a1 = 0 … h8 = 63; castling is the king's own two squares |
| 1 | 1 | target |
| 2 | 1 | promotion, signed: 0 none, ±1 rook, ±2 knight, ±3 bishop, ±4 queen |
| 3 | 1 | priority: 0 never played … 9 |
| 4 | 4 | games |
| 8 | 4 | games won by White |
| 12 | 4 | games lost by White |
| 16 | 4 | flags: 0x01000000 = deleted |
| 20 | 4 | entry of the first reply; below 900 = none |
| 24 | 4 | entry of the next move at the same position; below 900 = none |

| offset | bytes | field of the header |
|---|---|---|
| 0 | 4 | 03 `ABK` (or 03 `AB2`) |
| 12 | 1 + 120 | length and text of the comment |
| 133 | 1 + 80 | length and text of the author |
| 214 | 6 × 4 | depth in plies, moves, minimum games, minimum wins, win percentages of White and of Black |
| 238 | 4 × 4 | weights of priority, games and win percentage; plies that the book is used for |

The reader adds up the entries of a position that the tree reaches in several ways. The writer expands each
position once (see `tree`); bridges have priority 0.

Source: chessprogramming.org/ABK (after Jury Osipov, CCC 2008); header and flags as jja (A. Polatel) has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder import _core
from bookbuilder._core import Position
from bookbuilder.book.formats import CASTLING_TEXTS
from bookbuilder.book.formats.moves import Lost, MoveBook, merged, move_table, read_records, require_weight
from bookbuilder.book.formats.walk import UNREACHED, Level, grow
from bookbuilder.columns import rows_at, values
from bookbuilder.errors import FormatError, OptionError
from bookbuilder.games.columns import Indices, rows_table

ENTRY: Final = np.dtype(
    [
        ("origin", "u1"),
        ("target", "u1"),
        ("promotion", "i1"),
        ("priority", "u1"),
        ("games", "<u4"),
        ("won", "<u4"),
        ("lost", "<u4"),
        ("flags", "<u4"),
        ("reply", "<i4"),
        ("next", "<i4"),
    ]
)
"""One entry of the file."""
ROOT: Final = 900
"""The first entry that is a move."""

_HEADER: Final = np.dtype(
    {
        "names": ["magic", "comment_bytes", "comment", "author_bytes", "author", "facts"],
        "formats": ["S4", "u1", "S120", "u1", "S80", ("<u4", 10)],
        "offsets": [0, 12, 13, 133, 134, 214],
        "itemsize": ROOT * ENTRY.itemsize,
    }
)
_MAGIC: Final = (b"\x03ABK", b"\x03AB2")
_DELETED: Final = 0x01000000
_MAX_COUNT: Final = 2**31 - 1
# Arena's promotion (rook 1, knight 2, bishop 3, queen 4) to ours (knight 1 … queen 4), and back.
_PROMOTION: Final = np.array([0, 3, 1, 2, 4], dtype=np.uint16)
_ARENA_PROMOTION: Final = np.array([0, 2, 3, 1, 4, 0, 0, 0], dtype=np.int8)
_ROOK, _KING_PIECES = 4, (6, 12)
# No position has more moves, so a longer chain is damaged.
_MAX_MOVES: Final = 256
# Weights of priority, games and win percentage: all the same.
_CHOICE: Final = (1, 1, 1)
# The priority of moves without a quality, in the middle of 1 … 9.
_DEFAULT_PRIORITY: Final = 5
_MAX_PRIORITY: Final = 9


def read_abk(path: Path) -> MoveBook:
    """Return the moves of an Arena book, weighted by 2 · wins + draws, or without games by priority.

    Raises:
        FormatError: it has no such header, no entry, or no legal first move.
        OSError: it cannot be read.
    """
    entries, cut = _read(path)
    visited = np.zeros(len(entries), np.bool_)
    visited[:ROOT] = True
    moves = _legal_moves(entries, visited)
    if not moves["at"].size:
        raise FormatError(
            f"{path}: offset {ROOT * ENTRY.itemsize}: entry {ROOT} is not legal in the start position; "
            "expected the tree of an Arena book"
        )
    visited[:ROOT] = False
    deleted, reached = int((entries["flags"][visited] == _DELETED).sum()), int(visited.sum())
    links = np.concatenate((entries["reply"][visited], entries["next"][visited]))
    return (
        _as_book(entries, moves)
        .losing(cut, int(cut != ""))
        .losing("moves marked as deleted", deleted)
        .losing("illegal moves", reached - deleted - moves["at"].size)
        .losing("entries that no move leads to", len(entries) - ROOT - reached)
        .losing("links beyond the end of the file", int((links >= len(entries)).sum()))
    )


def edit_abk(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy an Arena book with a change of one move, see `registry.Editor`; the weight is the priority, 0 … 9.

    A new move is an entry at the end of the file, the last of its position.

    Raises:
        OptionError: no line of the book leads to the position.
    """
    entries = _read(source)[0].copy()
    visited = np.arange(len(entries)) < ROOT
    moves = _legal_moves(entries, visited)
    key, lock = here.stored(False)
    siblings = (moves["key"] == key) & (moves["lock"] == lock)
    at = moves["at"][siblings & (moves["move"] == code)]
    before = int(entries["priority"][at].max()) if at.size else None
    if weight is None:
        entries["flags"][at] = _DELETED
    else:
        require_weight(source, weight, _MAX_PRIORITY)
        entries["priority"][at] = weight
    if weight is not None and not at.size:
        squares = _squares(np.array([code]), np.array([here.coordinates(code) in CASTLING_TEXTS]))
        entry = np.zeros(1, ENTRY)
        entry["origin"], entry["target"], entry["promotion"] = squares
        entry["priority"], entry["reply"], entry["next"] = weight, -1, -1
        if siblings.any():
            last = int(moves["at"][siblings][0])
            while ROOT <= (following := int(entries["next"][last])) < len(entries):
                last = following
            entries["next"][last] = len(entries)
        else:
            leads = moves["at"][(moves["child_key"] == key) & (moves["child_lock"] == lock)]
            if not leads.size:
                raise OptionError(f"{source}: no line of the book leads to {here.fen}")
            entries["reply"][leads[:1]] = len(entries)
        entries = np.concatenate((entries, entry))
    target.write_bytes(entries.tobytes())
    return before, weight


def write_abk(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write an Arena book; return the number of its entries, and the losses.

    Priorities are 1 … 9 by quality, or 5 if it is unknown. If games are unknown, weights are written as
    games.
    """
    tree = grow(book, boards=True)
    reached, own = tree.walk, tree.row >= 0
    code, position = reached.move[tree.edge].astype(np.int64), reached.position[tree.edge]
    is_first = reached.side[position] == 0
    # Castling: a king takes his own rook.
    boards, row = reached.boards[position], np.arange(tree.edge.size)
    castles = np.isin(boards[row, code >> 6 & 63], _KING_PIECES)
    castles &= boards[row, code & 63] == np.where(is_first, _ROOK, _ROOK + 6)
    entries = np.zeros(tree.edge.size, dtype=ENTRY)
    entries["origin"], entries["target"], entries["promotion"] = _squares(code, castles)

    def counts(name: str) -> npt.NDArray[np.uint64]:
        known: npt.NDArray[np.uint64] = np.append(book.column(name), np.uint64(0))[tree.row]
        return np.minimum(known, np.uint64(_MAX_COUNT))

    wins, losses = counts("wins"), counts("losses")
    entries["games"] = counts("games" if book.has("games") else "weight")
    entries["won"], entries["lost"] = np.where(is_first, wins, losses), np.where(is_first, losses, wins)
    quality = np.append(book.column("quality"), np.uint8(0))[tree.row]
    entries["priority"] = np.where(
        own, 1 + quality.astype(np.int64) * 8 // 31 if book.has("quality") else _DEFAULT_PRIORITY, 0
    )
    entries["reply"] = np.where(tree.first_child >= 0, tree.first_child + ROOT, -1)
    entries["next"] = np.where(tree.is_last, -1, np.arange(tree.edge.size) + 1 + ROOT)
    depth = int(reached.ply[position].max(initial=-1)) + 1
    comment, author = b"opening book", b"bookbuilder"
    facts = (depth, len(entries), 0, 0, 0, 0, *_CHOICE, depth)
    header = np.zeros(1, _HEADER)
    header[0] = (_MAGIC[0], len(comment), comment, len(author), author, facts)
    path.write_bytes(header.tobytes() + entries.tobytes())
    moves = int(own.sum())
    return len(entries), {
        UNREACHED: tree.unreached,
        "moves whose replies stand on another line": tree.transposed,
        "moves of priority 0, which only connect the book": len(entries) - moves,
        "games and results, unknown: weights stand for games": 0 if book.has("games") else moves,
        "weights (Arena has its own rule)": 0 if book.statistic == "score" else moves,
    }


def _legal_moves(
    entries: npt.NDArray[np.void], visited: npt.NDArray[np.bool_]
) -> dict[str, npt.NDArray[Any]]:
    """Return the legal moves of the tree: key, lock, side, move, at (the entry), child_key, child_lock."""
    kinds = {"key": np.uint64, "lock": np.uint32, "side": np.uint8, "move": np.uint16, "at": np.int64}
    kinds |= {"child_key": np.uint64, "child_lock": np.uint32}
    found = [{name: np.empty(0, kind) for name, kind in kinds.items()}]
    level, heads = Level.of(_core.Positions("chess"), fold=False), np.array([ROOT])
    while heads.size:
        of, at = _chained(entries, heads, visited)
        code = _codes(entries[at], level.boards()[of])
        is_legal, children = level.play(of, code)
        of, at, after = of[is_legal], at[is_legal], Level.of(children, fold=False)
        known = {name: getattr(level, name)[of] for name in ("key", "lock", "side")}
        known |= {"child_key": after.key, "child_lock": after.lock}
        found.append({**known, "move": code[is_legal], "at": at})
        goes_on = np.flatnonzero(entries["reply"][at] >= ROOT)
        heads = entries["reply"][at[goes_on]].astype(np.int64)
        level = Level.of(children.take(rows_table(index=goes_on.astype(np.uint32))), fold=False)
    return {name: np.concatenate([each[name] for each in found]) for name in kinds}


def _chained(
    entries: npt.NDArray[np.void], heads: Indices, visited: npt.NDArray[np.bool_]
) -> tuple[Indices, Indices]:
    """Return the entries chained to each head, with the number of the head; each entry is visited once."""
    of, at = np.arange(heads.size), heads
    chains_of, chains_at = [], []
    for _ in range(_MAX_MOVES):
        inside = (at >= ROOT) & (at < len(entries))
        of, at = of[inside], at[inside]
        _, first = np.unique(at, return_index=True)
        first = np.sort(first[~visited[at[first]]])
        of, at = of[first], at[first]
        if not at.size:
            break
        visited[at] = True
        chains_of.append(of)
        chains_at.append(at)
        at = entries["next"][at].astype(np.int64)
    none = np.empty(0, np.int64)
    of, at = np.concatenate([none, *chains_of]), np.concatenate([none, *chains_at])
    in_use = entries["flags"][at] != _DELETED
    of, at = of[in_use], at[in_use]
    order = np.argsort(of, kind="stable")
    return of[order], at[order]


def _codes(entries: npt.NDArray[np.void], boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    """Return our codes of entries' moves on boards; 0, an invalid move, if a field is out of range."""
    origin, target = entries["origin"].astype(np.int64), entries["target"].astype(np.int64)
    promotion = np.abs(entries["promotion"].astype(np.int64))
    is_valid = (origin < 64) & (target < 64) & (promotion < len(_PROMOTION))
    origin, target, promotion = (np.where(is_valid, each, 0) for each in (origin, target, promotion))
    is_king = np.isin(boards[np.arange(len(boards)), origin], _KING_PIECES)
    castles = is_king & (np.abs(target - origin) == 2)
    target = np.where(castles, np.where(target > origin, origin + 3, origin - 4), target)
    code = _PROMOTION[promotion].astype(np.int64) << 12 | origin << 6 | np.clip(target, 0, 63)
    return np.where(is_valid, code, 0).astype(np.uint16)


def _as_book(entries: npt.NDArray[np.void], columns: dict[str, npt.NDArray[Any]]) -> MoveBook:
    found = entries[columns["at"]]
    won, lost = found["won"].astype(np.uint64), found["lost"].astype(np.uint64)
    games = np.maximum(found["games"].astype(np.uint64), won + lost)
    by_first = columns["side"] == 0
    wins, losses = np.where(by_first, won, lost), np.where(by_first, lost, won)
    draws = games - won - lost
    # The smallest quality of a priority, so that writing restores the priority.
    priority = found["priority"].astype(np.int64)
    least = -(-(np.clip(priority, 1, 9) - 1) * 31 // 8)
    table = move_table(
        games.size,
        **{name: columns[name] for name in ("key", "lock", "move")},
        weight=np.where((priority == 0) | (games == 0), found["priority"], np.uint64(2) * wins + draws),
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        quality=np.where(priority == 0, 0, np.maximum(least, 1)).astype(np.uint8),
    )
    once = merged(table)
    is_played = values(once.column("quality")) > 0
    bridges = rows_at(once.select(["key", "lock", "move"]), np.flatnonzero(~is_played))
    book = MoveBook(table=once, game="chess", fold=False, statistic="score", bridges=bridges)
    return (
        book.select(is_played)
        .losing("moves of priority 0, which are never played", int((~is_played).sum()))
        .losing("moves added up where several ways lead to a position", table.num_rows - once.num_rows)
    )


def _squares(code: Indices, castles: npt.NDArray[np.bool_]) -> tuple[Indices, Indices, npt.NDArray[np.int8]]:
    """Return origin, target and promotion of moves as Arena stores them."""
    origin, target = code >> 6 & 63, code & 63
    target = np.where(castles, np.where(target > origin, origin + 2, origin - 2), target)
    return origin, target, _ARENA_PROMOTION[code >> 12]


def _read(path: Path) -> tuple[npt.NDArray[np.void], str]:
    with path.open("rb") as file:
        magic = file.read(4)
    if magic not in _MAGIC:
        raise FormatError(
            f"{path}: offset 0: found {magic!r}; expected an Arena book, which begins with {_MAGIC[0]!r}"
        )
    entries, cut = read_records(path, ENTRY, "an Arena book")
    if len(entries) <= ROOT:
        raise FormatError(
            f"{path}: {len(entries)} entries of {ENTRY.itemsize} bytes, expected more than the {ROOT} of the "
            "header; the file is truncated, fetch it again"
        )
    return entries, cut
