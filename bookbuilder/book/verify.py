"""Is a book sound, and does it say what was counted? A book, and perhaps its tally, in; what was found out.

The bytes of the file are checked by the core: checksum, order of the records, index. Then the book is
walked from the start position: the moves of the walk are taken from the rules, so every record that it
meets is reached by legal moves. A record that it does not meet is not wrong by that: the positions before
it may have been dropped.

Against the tally, every record is compared with the counts that its recipe's options give, and a sample of
records is played out: a line of counted moves from the start position, each move checked by the rules, must
lead to the record's key and lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bookbuilder.book.book import Book
from bookbuilder.book.edits import edits_of
from bookbuilder.errors import BookError, MoveError
from bookbuilder.games.position import as_position
from bookbuilder.schema import from_native
from bookbuilder.selection.candidates import match_positions
from bookbuilder.selection.graph import tally_graph
from bookbuilder.selection.options import SelectionOptions
from bookbuilder.selection.select import select
from bookbuilder.tally.tally import Tally

__all__ = ["Comparison", "Soundness", "compare_with_tally", "walked"]

_MAX_COUNT: Final = 0xFFFF_FFFF
_MAX_USAGE: Final = 0xFF_FFFF
_RESULTS: Final = ("wins", "draws", "losses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Soundness:
    """What a walk through a book found.

    Attributes:
        records: records of the book.
        moves: book moves on the walk, all legal.
        reached: records that the walk met.
        unreached: records that no line of book moves leads to from the start position.
        longest: plies of the longest line of the walk.
    """

    records: int
    moves: int
    reached: int
    unreached: int
    longest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a comparison with the tally found.

    Attributes:
        same: records whose usage, results and quality are those of the tally.
        different: records of which something is not.
        unknown: records that the tally does not know, or that its selection does not keep.
        missing: positions that the selection keeps and the book does not have.
        replayed: lines of counted moves that were played out.
        misled: of those, lines with an illegal move, or that lead to another position.
        fault: the first thing that is wrong, in words; empty if nothing is.
    """

    same: int
    different: int
    unknown: int
    missing: int
    replayed: int
    misled: int
    fault: str


def walked(book: Book) -> Soundness:
    """Check every byte of a book, walk through it, and return what was found.

    Raises:
        BookError: something is wrong; the message names the first such thing and its offset.
    """
    book.verify()
    steps = from_native(book.native.walk())
    reached = np.unique(steps.column("record").to_numpy()).size
    return Soundness(
        records=len(book),
        moves=steps.num_rows,
        reached=reached,
        unreached=len(book) - reached,
        longest=int(steps.column("ply").to_numpy().max(initial=0)),
    )


def compare_with_tally(book: Book, tally: Tally, *, sample: int = 100, seed: int = 0) -> Comparison:
    """Compare a book with the tally that it was made from.

    Args:
        book: the book. Its edits are made in the tally's selection too.
        tally: of the archives that its recipe names, with its options.
        sample: how many records to play out.
        seed: of the sample.

    Raises:
        BookError: the book is of another game, or its recipe does not tell how it was selected.
    """
    if (book.game, book.fold) != (tally.game, tally.options.fold):
        raise BookError(f"{book.path}: is of {book.game}, the tally of {tally.game}")
    if "selection" not in book.recipe:
        raise BookError(f"{book.path}: its recipe does not tell how it was selected from one tally")
    wanted = _expected(book, tally)
    table = book.to_arrow()
    has = {name: table.column(name).to_numpy() for name in table.column_names}
    place = match_positions(has["key"], has.get("lock"), wanted["key"], wanted["lock"])
    found = place >= 0
    same = found.copy()
    for name in ("usage", "quality", *_RESULTS):
        if name in has:
            most = _MAX_USAGE if name == "usage" else _MAX_COUNT
            same[found] &= np.minimum(wanted[name][place[found]].astype(np.uint64), most) == has[name][found]
    replayed, misled = _replay(book, tally, has["key"], has.get("lock"), sample, seed)
    missing = wanted["key"].size - int(found.sum())
    return Comparison(
        same=int(same.sum()),
        different=int((found & ~same).sum()),
        unknown=int((~found).sum()),
        missing=missing,
        replayed=replayed,
        misled=misled,
        fault=_fault(has["key"], found, same, missing=missing, misled=misled),
    )


def _expected(book: Book, tally: Tally) -> dict[str, npt.NDArray[Any]]:
    """Return the records that the recipe's options and edits give, column by column."""
    kept = select(tally, SelectionOptions.from_json(book.recipe["selection"])).kept()
    columns = {name: kept.column(name).to_numpy() for name in ("key", "lock", "draws", "quality")}
    columns["usage"] = kept.column("reached").to_numpy()
    wins, losses = kept.column("wins").to_numpy(), kept.column("losses").to_numpy()
    is_first = kept.column("side").to_numpy() == 0
    columns["wins"], columns["losses"] = np.where(is_first, wins, losses), np.where(is_first, losses, wins)
    for edit in edits_of(book.recipe):
        here = as_position(edit.position, book.game)
        key, lock = here.play(here.parse_move(edit.move)).stored(book.fold)
        is_edited = (columns["key"] == np.uint64(key)) & (columns["lock"] == np.uint32(lock))
        if edit.quality is None:
            columns = {name: column[~is_edited] for name, column in columns.items()}
        else:
            columns["quality"] = np.where(is_edited, np.uint8(edit.quality), columns["quality"])
    return columns


def _fault(
    key: npt.NDArray[Any],
    found: npt.NDArray[np.bool_],
    same: npt.NDArray[np.bool_],
    *,
    missing: int,
    misled: int,
) -> str:
    if not same.all():
        record = int(np.argmin(same))
        what = "has other counts or quality" if found[record] else "is not kept"
        return f"record {record}, key 0x{int(key[record]):016x}, {what} by the tally and the recipe's options"
    if missing:
        return f"{missing} positions that the recipe's options keep are not in the book"
    return f"{misled} replayed lines do not lead to their records" if misled else ""


def _replay(
    book: Book,
    tally: Tally,
    key: npt.NDArray[Any],
    lock: npt.NDArray[Any] | None,
    sample: int,
    seed: int,
) -> tuple[int, int]:
    """Play out lines to some records; return how many, and how many do not lead there."""
    graph = tally_graph(tally)
    starts = graph.starts
    position = match_positions(key, lock, tally.column("key")[starts], tally.column("lock")[starts])
    into = graph.rows_into()
    reachable = np.flatnonzero((position >= 0) & (into[position] >= 0))
    drawn = np.random.default_rng(seed).permutation(reachable)[:sample].tolist()
    lines = [(graph.line_to(int(position[record]), into), int(key[record])) for record in drawn]
    return len(drawn), sum(not _leads_to(book, tally, line, wanted) for line, wanted in lines)


def _leads_to(book: Book, tally: Tally, line: list[int], key: int) -> bool:
    from bookbuilder._core import Position

    here, fold = Position(book.game), book.fold
    codes = tally.column("move")
    for row in line:
        wanted = int(codes[row])
        fits = [code for code in here.moves() if here.stored_move(code, fold) == wanted]
        try:
            here = here.play(fits[0] if fits else wanted)
        except MoveError:
            return False
    return here.stored(fold)[0] == key and book.probe(here) is not None
