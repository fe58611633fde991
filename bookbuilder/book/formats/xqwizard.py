"""BOOK.DAT, the opening book of ElephantEye, XQWizard and xqwlight (`.dat`), xiangqi.

A book is an array of records of 8 bytes, little-endian, ascending by (lock, move):

| offset | bytes | field |
|---|---|---|
| 0 | 4 | lock of the position before the move |
| 4 | 2 | move: low byte the origin, high byte the target, squares of 16 × 16 |
| 6 | 2 | weight |

**Lock.** The RC4 stream with a key of four zero bytes is cut into words of four bytes, little-endian, three
at a time: key, lock 0, lock 1. The first three are for black to move; then follow the pieces K A B N R C P of
red and black, each on squares 0 … 255. The lock of the file is lock 1.

**Mirrors.** A position and its left-right mirror are stored once, as the one of the smaller (lock 1, lock 0),
moves to match; a position that is its own mirror has each move and its mirror. Readers look for the key of a
position, then for the key of its mirror.

**Squares.** The board of 9 × 10 points lies inside 16 × 16: square = (12 - rank) · 16 + 3 + file, where rank
0 is red's back rank and file 0 the a-file. Squares and mirrors are those of OBK books, too.

Source: ElephantEye (xqbase), its book maker and the file BOOK.DAT that comes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from bookbuilder._core import Position, Positions
from bookbuilder.book.formats import Scale
from bookbuilder.book.formats.moves import (
    Lost,
    MoveBook,
    move_table,
    read_records,
    require_weight,
    scaled_weights,
)
from bookbuilder.book.formats.walk import UNREACHED, Found, Level, Lookup, Walk, explore, follow, joined, walk
from bookbuilder.errors import FormatError
from bookbuilder.games.columns import Indices, mirror_moves, ranges

Keys: TypeAlias = Callable[[npt.NDArray[np.uint8], npt.NDArray[np.uint8]], npt.NDArray[np.uint64]]
"""Returns the keys of positions from their boards (rows of 90 piece codes) and sides (0 red, 1 black)."""
Search: TypeAlias = Callable[[npt.NDArray[np.uint64]], Iterable[tuple[Indices, Indices]]]
"""Returns numbers of keys and the rows of the book that have them."""

_POINTS: Final = np.arange(90)
SQUARE_OF: Final[npt.NDArray[np.uint16]] = ((12 - _POINTS // 9) * 16 + 3 + _POINTS % 9).astype(np.uint16)
"""The square of each point a0, b0 … i9."""

# Places of pawn, advisor, elephant, cannon, horse, rook, general in the order K A B N R C P.
_PIECE_ORDER: Final = (6, 1, 2, 5, 3, 4, 0)
_NO_POINT: Final = 127
_POINT_OF: Final = np.full(256, _NO_POINT, dtype=np.uint16)
_POINT_OF[SQUARE_OF] = _POINTS
# Boards hashed at once: 90 words of 8 bytes each.
_PORTION: Final = 50_000

RECORD: Final = np.dtype([("lock", "<u4"), ("move", "<u2"), ("weight", "<u2")])
"""One record of the file."""

_MAX_WEIGHT: Final = 0xFFFF


class Locks(NamedTuple):
    """The three words of each position, uint32."""

    key: npt.NDArray[np.uint32]
    lock0: npt.NDArray[np.uint32]
    lock1: npt.NDArray[np.uint32]


def locks_of(boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8]) -> Locks:
    """Return key, lock 0 and lock 1 of positions.

    A board is a row of 90 codes of pieces. The side to move is 0 red, 1 black.
    """
    turn, words = _words()
    return Locks(*(xor_words(boards, words[which]) ^ turn[which] * side for which in range(3)))


def read_book_dat(path: Path) -> MoveBook:
    """Return the moves of a BOOK.DAT that can be reached from the start position, mirrors folded.

    Raises:
        FormatError: the file has no record, its records do not ascend, or none fits the start position.
        OSError: it cannot be read.
    """
    records, cut = _read(path)
    reached = explore("xiangqi", _lookup(records), len(records), fold=True)
    own = reached.own()
    if not own.row.size:
        raise FormatError(
            f"{path}: offset 0: none of its records is a legal move at a position that the start "
            "position leads to; expected a BOOK.DAT of ElephantEye or XQWizard"
        )
    move = reached.stored_moves()[own.edge]
    weight = records["weight"][own.row].astype(np.uint64)
    # The heaviest of equal moves counts.
    pairs = own.before << 16 | move
    order = np.lexsort((weight.max(initial=0) - weight, pairs))
    is_first = np.diff(pairs[order], prepend=-1) != 0
    first = np.sort(order[is_first])
    differing = int((~is_first[1:] & (weight[order][1:] != weight[order][:-1])).sum())
    table = move_table(
        first.size,
        key=reached.key[own.before[first]],
        lock=reached.lock[own.before[first]],
        move=move[first],
        weight=weight[first],
    )
    illegal = reached.illegal_rows().size
    return (
        MoveBook(table=table, game="xiangqi", fold=True, statistic="own")
        .losing(cut, int(cut != ""))
        .losing("records that the start position does not lead to", reached.unreached(len(records)) - illegal)
        .losing("illegal moves", illegal)
        .losing("mirrored moves of another weight", differing)
    )


def walk_book_dat(records: npt.NDArray[np.void], *, fold: bool = True) -> Walk:
    """Return what can be reached by the records of a BOOK.DAT.

    The records ascend by lock. With `fold`, a position and its mirror are one.
    """
    return walk("xiangqi", _lookup(records), fold=fold)


def _lookup(records: npt.NDArray[np.void]) -> Lookup:
    lock = records["lock"].astype(np.uint64)
    move = moves_of_squares(records["move"] & 0xFF, records["move"] >> 8)

    def search(wanted: npt.NDArray[np.uint64]) -> list[tuple[Indices, Indices]]:
        return [ranges(np.searchsorted(lock, wanted, "left"), np.searchsorted(lock, wanted, "right"))]

    return lookup_mirrored(lambda boards, side: locks_of(boards, side).lock1.astype(np.uint64), search, move)


def write_book_dat(path: Path, book: MoveBook, scale: Scale = "book") -> tuple[int, Lost]:
    """Write a BOOK.DAT; return the number of its records, and the losses.

    Weights above 65,535 are scaled by `scaled_weights`; rows of weight 0 are skipped.

    Weights are scaled over the whole `book`, or at each `position`.
    """
    reached = follow(book, boards=True)
    own = reached.own()
    given = book.column("weight")[own.row]
    weight = scaled_weights(given, _MAX_WEIGHT, None if scale == "book" else own.before)
    key, code, is_self = stored_forms(reached, _ordered_locks)
    kept = weight > 0
    twice = kept & is_self
    origin, target = squares_of_moves(np.concatenate((code[kept], mirror_moves(code[twice]))))
    records = np.zeros(origin.size, dtype=RECORD)
    records["lock"] = np.concatenate((key[kept], key[twice])) >> np.uint64(32)
    records["move"] = target << 8 | origin
    records["weight"] = np.concatenate((weight[kept], weight[twice]))
    # Of equal (lock, move) the heaviest stays.
    lightness = _MAX_WEIGHT - records["weight"].astype(np.int64)
    records = records[np.lexsort((lightness, records["move"], records["lock"]))]
    is_first = np.ones(len(records), np.bool_)
    is_first[1:] = records[["lock", "move"]][1:] != records[["lock", "move"]][:-1]
    records, same = records[is_first], int((~is_first).sum())
    path.write_bytes(records.tobytes())
    return len(records), {
        UNREACHED: reached.unreached(len(book)),
        "rounded to weight 0": int(((weight == 0) & (given > 0)).sum()),
        f"of weight 0 ({book.statistic})": int((given == 0).sum()),
        "weights scaled to 16 bits": int((weight != given)[kept].sum()),
        "moves of positions whose locks are equal": same,
        "games, wins, draws and losses": len(book) if book.has("games") else 0,
    }


def edit_book_dat(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy a BOOK.DAT with a change of one move, see `registry.Editor`."""
    records, _ = _read(source)
    places = stored_places(here, code, _ordered_locks)
    words = [word << 8 & 0xFF00 | word >> 8 for _, word in places]
    own = [(key >> 32, word) for (key, _), word in zip(places, words, strict=True)]
    is_move = np.zeros(len(records), np.bool_)
    for lock, word in own:
        is_move |= (records["lock"] == lock) & (records["move"] == word)
    rest, old = records[~is_move], records["weight"][is_move]
    if weight is not None:
        require_weight(source, weight, _MAX_WEIGHT)
        # A position that is its own mirror has each move and its mirror.
        new = sorted(set(own)) if places[0][0] == places[1][0] else own[:1]
        added = np.array([(lock, word, weight) for lock, word in new], RECORD)
        rest = np.sort(np.concatenate((rest, added)), order=("lock", "move"))
    target.write_bytes(rest.tobytes())
    return int(old.max()) if old.size else None, weight


def _read(path: Path) -> tuple[npt.NDArray[np.void], str]:
    return read_records(path, RECORD, "a BOOK.DAT", ascending=("lock", "move"))


def _ordered_locks(boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Return lock 1 and lock 0 as one number, by which mirrors are compared."""
    locks = locks_of(boards, side)
    return locks.lock1.astype(np.uint64) << np.uint64(32) | locks.lock0


@lru_cache(maxsize=1)
def _words() -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Return the three words for black to move, and the words of pieces on points: 3 by 14 by 90."""
    stream = np.frombuffer(_rc4(12 * (1 + 14 * 256)), dtype="<u4").astype(np.uint32).reshape(-1, 3)
    words = stream[1:].reshape(14, 256, 3)[:, SQUARE_OF]
    return stream[0], np.ascontiguousarray(words.transpose(2, 0, 1))


def _rc4(count: int) -> bytes:
    """Return the first bytes of the RC4 stream with a key of four zero bytes."""
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
    out = bytearray(count)
    i = j = 0
    for n in range(count):
        i = (i + 1) & 255
        j = (j + state[i]) & 255
        state[i], state[j] = state[j], state[i]
        out[n] = state[(state[i] + state[j]) & 255]
    return bytes(out)


def xor_words(boards: npt.NDArray[np.uint8], words: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return for each board the XOR of the words of its pieces.

    A board is a row of 90 codes of pieces. The words are of 14 pieces, K A B N R C P of red, then of black,
    by 90 points.
    """
    by_code = np.zeros((15, 90), dtype=words.dtype)
    for kind, place in enumerate(_PIECE_ORDER):
        by_code[1 + kind], by_code[8 + kind] = words[place], words[7 + place]
    parts = [
        np.bitwise_xor.reduce(by_code[boards[start : start + _PORTION], _POINTS], axis=1)
        for start in range(0, len(boards), _PORTION)
    ]
    return np.concatenate(parts) if parts else np.empty(0, words.dtype)


def moves_of_squares(origin: npt.NDArray[Any], target: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """Return our codes of moves between squares of 16 × 16; 0, an invalid move, if one is off the board."""
    source, aim = _POINT_OF[origin], _POINT_OF[target]
    code = (source << 7 | aim).astype(np.uint16)
    return np.where((source == _NO_POINT) | (aim == _NO_POINT), np.uint16(0), code)


def squares_of_moves(code: npt.NDArray[np.uint16]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """Return origin and target of our move codes as squares of 16 × 16."""
    return SQUARE_OF[code >> 7], SQUARE_OF[code & 127]


def lookup_mirrored(keys_of: Keys, search: Search, move: npt.NDArray[np.uint16]) -> Lookup:
    """Return the lookup of a book's rows by the keys of positions and of their mirrors.

    `search` finds rows by the keys that `keys_of` returns; `move` has the code of each row.
    """

    def lookup(level: Level) -> Found:
        straight, mirror = _both_keys(level.boards(), level.side, keys_of)
        found = [Found(of, at, move[at]) for of, at in search(straight)]
        for of, at in search(mirror):
            new = (mirror != straight)[of]
            found.append(Found(of[new], at[new], mirror_moves(move[at[new]])))
        return joined(*found)

    return lookup


def stored_forms(
    reached: Walk, keys_of: Keys
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16], npt.NDArray[np.bool_]]:
    """Return how a book stores its moves that a walk has reached.

    Returns:
        For each move of `Walk.own` the key of the stored position, the move code there, and whether that
        position is its own mirror.
    """
    own = reached.own()
    straight, mirror = _both_keys(reached.boards, reached.side, keys_of)
    code = np.where((mirror < straight)[own.before], mirror_moves(own.move), own.move)
    return np.minimum(straight, mirror)[own.before], code, (mirror == straight)[own.before]


def stored_places(here: Position, code: int, keys_of: Keys) -> list[tuple[int, int]]:
    """Return key and origin · 256 + target of both forms in which a book may store a move."""
    level = Level.of(Positions(here.game, [here.fen]), fold=False)
    straight, mirror = (int(keys[0]) for keys in _both_keys(level.boards(), level.side, keys_of))
    codes = np.array([code, int(mirror_moves(np.array([code], np.uint16))[0])], np.uint16)
    origin, target = (squares.tolist() for squares in squares_of_moves(codes))
    words = [first << 8 | second for first, second in zip(origin, target, strict=True)]
    return sorted(zip((straight, mirror), words, strict=True))


def _both_keys(
    boards: npt.NDArray[np.uint8], side: npt.NDArray[np.uint8], keys_of: Keys
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the keys of positions and of their mirrors."""
    mirrored = boards.reshape(-1, 10, 9)[:, :, ::-1].reshape(-1, 90)
    return keys_of(boards, side), keys_of(mirrored, side)
