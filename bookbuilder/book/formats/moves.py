"""`MoveBook`: a book as a table of moves. Every foreign format is read into one and written from one.

A weight is 2 · wins + draws of the side that moved (`score`, as Polyglot's and ElephantEye's book makers
count), the number of games (`games`), or what the format stores (`own`).

| engine column | meaning |
|---|---|
| engine | value of the position after the move, in centipawns for the side that makes it |
| value | the same, backed up over the moves that games played |
| expected | expected value of the book's lines in centipawns |

A selection with sharpened weights gives them to the power of its option `sharpen`, scaled to 0 … 65,535 at
each position. Engine columns are null where nothing was evaluated, and a book without evaluations has none of
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.book.formats import Statistic
from bookbuilder.columns import column_of, rows_at, values
from bookbuilder.errors import FormatError, OptionError, SelectionError
from bookbuilder.evals.words import MATE_SCORE
from bookbuilder.games.position import Game
from bookbuilder.keywords import require_kind
from bookbuilder.schema import BOOK_MOVES, check, empty
from bookbuilder.selection.by_hand import edits_in, notes_of, weights_by_hand
from bookbuilder.selection.candidates import group_starts
from bookbuilder.selection.engine import OF_ENGINE
from bookbuilder.selection.quality import pick_shares, scaled_picks
from bookbuilder.selection.select import Selection

Basis = Literal["played", "reached"]
"""Games that a row counts: games that played the move, or all games that reached the position after it."""
Lost: TypeAlias = Mapping[str, int]
"""What a format does not store, in words, and for how many moves (0 = for the whole book)."""

_COUNTS: Final = ("games", "wins", "draws", "losses")

ENGINE_VALUES: Final = "values of an engine"
"""The loss of formats without values."""

BACKED_UP: Final = "backed-up and expected values"
"""The loss of formats that store only the engine's value."""

_FARTHEST_MATE: Final = 1_000
"""Plies of the longest mate; a score that is farther from that of a mate is in centipawns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBook:
    """Moves of a book with their weights.

    Attributes:
        table: schema BOOK_MOVES, in the order in which the book lists its moves.
        game: the game.
        fold: whether left-right mirrors are one position; move codes are then those of the stored form.
        statistic: what the weights are.
        basis: whose games the counts are.
        bridges: key, lock, move of moves that are not in the book but lead to positions that are.
        lost: content of the file that is not in the table.
        notes: mark and comment by key, lock and move, of changes by hand.
        engine: for each row of the table, the columns engine, value and expected of a selection (centipawns,
            centipawns and 0 … 1, for the side that moves); None = nothing was evaluated.

    Example:
        >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
        >>> book = bb.MoveBook.from_selection(chosen)
        >>> book.game, book.statistic, book.table.column_names[:3]
        ('chess', 'score', ['key', 'lock', 'move'])
    """

    table: pa.Table
    game: Game
    fold: bool
    statistic: Statistic
    basis: Basis = "played"
    bridges: pa.Table = field(default_factory=lambda: empty(BOOK_MOVES).select(["key", "lock", "move"]))
    lost: Lost = field(default_factory=dict)
    notes: Mapping[tuple[int, int, int], tuple[str, str]] = field(default_factory=dict)
    engine: pa.Table | None = None

    @property
    def positions(self) -> int:
        """The number of positions at which the book has a move.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> bb.MoveBook.from_selection(chosen).positions
            17
        """
        key, lock = (values(self.table.column(name), null=0) for name in ("key", "lock"))
        order = np.lexsort((lock, key))  # `group_by` of Arrow would import pandas
        return len(group_starts(key[order], lock[order]))

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Return the kept moves of a selection, the heaviest moves of each position first.

        Args:
            selection: of shape `moves`.

        Raises:
            SelectionError: the selection is of positions.
            OptionError: it is not a selection.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> book = bb.MoveBook.from_selection(chosen)
            >>> len(book) == chosen.reasons()[""]
            True
        """
        require_kind("MoveBook.from_selection", selection, Selection)
        if selection.shape != "moves":
            raise SelectionError(f"a list of moves needs a selection of moves, found {selection.shape}")
        rows = selection.rows
        kept = np.flatnonzero(is_kept := values(rows.column("kept")))
        columns = {name: values(rows.column(name))[kept] for name in ("key", "lock", "move")}
        columns |= {
            name: values(rows.column(of))[kept]
            for name, of in (("games", "played"), *((each, each) for each in (*_COUNTS[1:], "quality")))
        }
        weight = np.uint64(2) * columns["wins"].astype(np.uint64) + columns["draws"].astype(np.uint64)
        options = selection.recipe.get("selection", {})
        points = values(rows.column("worth"), null=0)[kept]
        if not weight.any() and not columns["losses"].any():  # no game has a result
            weight = columns["games"].astype(np.uint64)
        power, scale = (options.get(name) for name in ("sharpen", "loss_scale"))
        if power:
            starts = group_starts(columns["key"], columns["lock"])
            group = np.repeat(np.arange(starts.size), np.diff(starts, append=weight.size))
            is_valued = scale and "expected" in rows.column_names
            value = rows.column("expected").to_numpy()[kept] if is_valued else None
            weight = scaled_picks(pick_shares(points, group, power, value=value, scale=scale))
            if options.get("margin") is None:
                # Nothing is dropped for its results, so a move that lost every game stays in the file.
                weight = np.maximum(weight, np.uint64(1))
        edits, notes = edits_in(options, selection.game), {}
        if edits is not None:
            weight = weights_by_hand(weight, columns, edits, fold=selection.fold)
            notes = notes_of(edits, fold=selection.fold)
        order = np.arange(weight.size)
        # Rows are sorted by (key, lock, move), and most positions have one move.
        sizes = np.diff(
            np.flatnonzero(np.diff(columns["key"], prepend=~columns["key"][:1])), append=order.size
        )
        some = np.flatnonzero(np.repeat(sizes > 1, sizes))
        heaviest_first = np.lexsort((weight.max(initial=0) - weight[some], columns["key"][some]))
        order[some] = some[heaviest_first]
        is_bridge = ~is_kept & (values(rows.column("move")) != 0)
        return cls(
            table=move_table(len(order), **{k: v[order] for k, v in columns.items()}, weight=weight[order]),
            game=selection.game,
            fold=selection.fold,
            statistic="score",
            bridges=rows_at(rows.select(["key", "lock", "move"]), np.flatnonzero(is_bridge)),
            notes=notes,
            engine=engine_values(
                {name: rows.column(name) for name in OF_ENGINE if name in rows.column_names}, kept[order]
            ),
        )

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column as an array; null becomes 0.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> book = bb.MoveBook.from_selection(chosen)
            >>> int(book.column("games").max())
            4
        """
        column = self.table.column(name)
        return values(column, null=0)

    def has(self, name: str) -> bool:
        """Return whether every row knows that column.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> book = bb.MoveBook.from_selection(chosen)
            >>> book.has("wins"), book.has("learn")
            (True, False)
        """
        return self.table.column(name).null_count == 0

    def select(self, rows: npt.NDArray[Any]) -> MoveBook:
        """Return the book with only these rows, by index or by mask.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> book = bb.MoveBook.from_selection(chosen)
            >>> often = book.select(book.column("games") > 1)
            >>> 0 < len(often) < len(book)
            True
        """
        index = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        engine = None if self.engine is None else rows_at(self.engine, index)
        return replace(self, table=taken(self.table, index), engine=engine)

    def losing(self, what: str, count: int) -> MoveBook:
        """Return the book with one more loss, unless the count is 0.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1, shape="moves")
            >>> book = bb.MoveBook.from_selection(chosen)
            >>> dict(book.losing("marks", 2).lost)
            {'marks': 2}
        """
        return replace(self, lost={**self.lost, what: self.lost.get(what, 0) + count}) if count else self

    def __len__(self) -> int:
        """Return the number of moves."""
        return self.table.num_rows


def has_lock(book: MoveBook) -> npt.NDArray[np.bool_]:
    """Return which moves know the lock of their position."""
    known: npt.NDArray[np.bool_] = values(book.table.column("lock").is_valid())
    return known


def move_table(rows: int, **columns: npt.NDArray[Any] | pa.Array[Any]) -> pa.Table:
    """Return a table of schema BOOK_MOVES; columns that are not given are null."""
    arrays = [
        _as_column(columns[each.name], each.type) if each.name in columns else pa.nulls(rows, each.type)
        for each in BOOK_MOVES
    ]
    return check(pa.Table.from_arrays(arrays, names=BOOK_MOVES.names), BOOK_MOVES)


def _as_column(numbers: npt.NDArray[Any] | pa.Array[Any], kind: pa.DataType) -> pa.Array[Any]:
    if isinstance(numbers, pa.Array):
        return numbers.cast(kind)
    column: pa.Array[Any] = column_of(numbers, kind)
    return column


def taken(table: pa.Table, rows: npt.NDArray[Any]) -> pa.Table:
    """Return rows of a table of schema BOOK_MOVES, by index."""
    return check(rows_at(table, rows), BOOK_MOVES)


def merged(table: pa.Table) -> pa.Table:
    """Return a table of schema BOOK_MOVES with one row for each (key, lock, move), in the order of the first.

    Counts and weights are added up; quality and learn are the maximum.
    """
    if table.num_rows == 0:
        return table
    names = ["key", "lock", "move"]
    how: dict[str, Literal["max", "sum"]] = {
        name: "max" if name in ("quality", "learn") else "sum" for name in BOOK_MOVES.names[len(names) :]
    }
    grouped = table.append_column("first", column_of(np.arange(table.num_rows))).group_by(names)
    rows = grouped.aggregate([*how.items(), ("first", "min")]).sort_by("first_min")
    found = [f"{name}_{how[name]}" if name in how else name for name in BOOK_MOVES.names]
    arrays = [rows.column(name).cast(each.type) for name, each in zip(found, BOOK_MOVES, strict=True)]
    return check(pa.Table.from_arrays(arrays, names=BOOK_MOVES.names), BOOK_MOVES)


def scaled_weights(
    weight: npt.NDArray[Any], limit: int, groups: npt.NDArray[Any] | None = None
) -> npt.NDArray[np.uint64]:
    """Return weights scaled to fit a field; the order of weights is kept.

    With m the maximum weight: w if m ≤ limit, else floor((2 · w · limit + m) / (2 · m)), which is
    w · limit / m rounded half up. Weights far below m become 0.

    With `groups`, which number the group of each weight from 0, m is the maximum of the group.
    """
    if weight.size == 0:
        return weight.astype(np.uint64)
    if groups is None:
        groups = np.zeros(weight.size, dtype=np.int64)
    largest = np.zeros(int(groups.max()) + 1, dtype=np.uint64)
    np.maximum.at(largest, groups, weight.astype(np.uint64))
    # If the product would overflow, the lowest bits of the weights are dropped first.
    spare = int(largest.max()).bit_length() + limit.bit_length() + 1 - 64
    shift = np.uint64(max(spare, 0))
    most = (largest >> shift)[groups]
    exact = weight.astype(np.uint64)
    twice = np.maximum(np.uint64(2) * most, np.uint64(1))
    rounded = (np.uint64(2 * limit) * (exact >> shift) + most) // twice
    return np.where(largest[groups] <= np.uint64(limit), exact, rounded)


def engine_values(columns: Mapping[str, Any], rows: npt.NDArray[np.intp] | None = None) -> pa.Table | None:
    """Return the values of moves as a table with the columns of `OF_ENGINE`; None if nothing is known.

    Columns of `OF_ENGINE` that are missing are null. `rows` numbers the moves; None = all.
    """
    present = {name: columns[name] for name in OF_ENGINE if name in columns}
    if all(column.null_count == len(column) for column in present.values()):
        return None
    count = len(next(iter(present.values())))
    arrays: dict[str, pa.Array[Any]] = {name: pa.nulls(count, pa.float64()) for name in OF_ENGINE}
    for name, column in present.items():
        numbers = values(column.cast(pa.float64()))
        # Files that were changed may hold infinities.
        arrays[name] = column_of(np.where(np.isfinite(numbers), numbers, np.nan), nullable=True)
    table = pa.table(arrays)
    if rows is not None:
        table = rows_at(table, rows)
    return table if number_valued(table) else None


def number_valued(table: pa.Table | None, *names: str) -> int:
    """Return the number of moves of which one of these columns is known; without names, any column."""
    if table is None:
        return 0
    known = [values(table.column(name).is_valid()) for name in names or OF_ENGINE]
    return int(np.count_nonzero(np.logical_or.reduce(known)))


def engine_numbers(table: pa.Table | None, moves: int) -> npt.NDArray[np.float64]:
    """Return the engine's value of each move; NaN = unknown."""
    if table is None:
        return np.full(moves, np.nan)
    numbers: npt.NDArray[np.float64] = values(table.column("engine"))
    return numbers


def eval_comment(score: float, side: int) -> str:
    """Return a value as lichess writes it in comments of PGN: pawns or a mate, for the first side.

    The score is in centipawns for the side that made the move, 0 first, 1 second.

    Example:
        >>> eval_comment(31, 0), eval_comment(31, 1), eval_comment(29_994, 1)
        ('[%eval 0.31]', '[%eval -0.31]', '[%eval #-3]')
    """
    first = -score if side else score
    sign = "-" if first < 0 else ""
    plies = MATE_SCORE - abs(round(first))
    # A score of exactly that of a mate has no distance: protocols of xiangqi name none.
    if 0 < plies < _FARTHEST_MATE:
        return f"[%eval #{sign}{-(-plies // 2)}]"
    return f"[%eval {sign}{abs(first) / 100:.2f}]"


def read_records(
    path: Path, record: np.dtype[Any], kind: str, *, ascending: tuple[str, ...] = ()
) -> tuple[npt.NDArray[Any], str]:
    """Return the whole records of a file, and a description of an incomplete record at its end, or "".

    `kind` is the expected kind of file, such as `a BOOK.DAT`. The records must ascend by the fields
    `ascending`, the most significant first.

    Raises:
        FormatError: there is not one whole record, or the records do not ascend.
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    whole = len(content) // record.itemsize * record.itemsize
    if not whole:
        raise FormatError(
            f"{path}: {len(content)} bytes, expected {kind}: at least one record of {record.itemsize} bytes"
        )
    records = np.frombuffer(content, dtype=record, count=whole // record.itemsize)
    falls = np.zeros(len(records) - 1, np.bool_)
    for name in reversed(ascending):
        before, after = records[name][:-1], records[name][1:]
        falls = (after < before) | ((after == before) & falls)
    if falls.any():
        row = int(np.argmax(falls)) + 1
        fields = " and ".join(
            f"{name} 0x{int(records[name][row]):0{2 * record[name].itemsize}x}" for name in ascending
        )
        raise FormatError(
            f"{path}: offset {row * record.itemsize}: {fields} below the record before it; {kind} ascends "
            f"by {' and '.join(ascending)}: the file is damaged or not {kind}; copy or build it again"
        )
    cut = f"the last {len(content) - whole} bytes, a record cut off" if whole < len(content) else ""
    return records, cut


def require_weight(path: Path, weight: int, most: int) -> None:
    """Refuse a weight that a format does not store.

    Raises:
        OptionError: it is below 0 or above the maximum.
    """
    if not 0 <= weight <= most:
        raise OptionError(f"{path}: weight {weight:,}: expected 0 to {most:,}")


def group_numbers(key: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return for each row the number of its group, from 0; rows of one group are adjacent."""
    begins = np.ones(key.size, dtype=np.int64)
    begins[1:] = key[1:] != key[:-1]
    return np.cumsum(begins) - 1
