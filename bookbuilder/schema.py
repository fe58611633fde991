"""The schemas of all tables: names, types, meanings and units of their columns.

Every frame and every Parquet file follows these schemas. Each field carries its meaning and unit as metadata,
so a file explains itself. The columns of OBSERVATIONS, TALLY and GAMES are declared in the core.

Stability: a column is never renamed and never changes its type within one `SCHEMA_VERSION`; columns may be
added at the end in a later version.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import pyarrow as pa

from bookbuilder._core import GAME_COLUMNS, OBSERVATION_COLUMNS, TALLY_COLUMNS
from bookbuilder.errors import SchemaError

if TYPE_CHECKING:
    import numpy.typing as npt

    from bookbuilder._core import ArrowArray, ArrowStream

__all__ = [
    "BOOK_MOVES",
    "EVALS",
    "GAMES",
    "NO_VERDICTS",
    "OBSERVATIONS",
    "REASONS",
    "REJECTS",
    "SCHEMA_VERSION",
    "SELECTION_MOVES",
    "SELECTION_POSITIONS",
    "TALLY",
    "TALLY_CELLS",
    "array_from_native",
    "check",
    "check_order",
    "empty",
    "from_native",
    "signed_counts",
    "sorted_games",
]

SCHEMA_VERSION: Final = 1
"""Version of all schemas below; written into every file."""

REASONS: Final = (
    "",
    "root",
    "no-move",
    "beyond-ply",
    "below-games",
    "below-p",
    "below-score",
    "below-share",
    "proved-worse",
    "engine-veto",
    "below-value",
    "not-top",
    "by-hand",
    "repetition",
    "unreachable",
)
"""Why a row is not kept, in the order of the rules; the empty reason means kept."""
NO_VERDICTS: Final = ("root", "no-move")
"""The reasons of rows that are not moves."""


class _Column(NamedTuple):
    name: str
    type: pa.DataType
    unit: str
    meaning: str
    is_nullable: bool = False


def _schema(name: str, *columns: _Column) -> pa.Schema:
    fields = [
        pa.field(c.name, c.type, nullable=c.is_nullable, metadata={"meaning": c.meaning, "unit": c.unit})
        for c in columns
    ]
    metadata: dict[bytes | str, bytes | str] = {
        "bookbuilder.schema": name,
        "bookbuilder.version": str(SCHEMA_VERSION),
    }
    return pa.schema(fields, metadata=metadata)


_REASON = pa.dictionary(pa.int8(), pa.string())


def _declared(columns: Iterable[tuple[str, str, str, str, bool]]) -> tuple[_Column, ...]:
    return tuple(
        _Column(name, getattr(pa, kind)(), unit, meaning, is_nullable)
        for name, kind, unit, meaning, is_nullable in columns
    )


_TALLY: Final = _declared(TALLY_COLUMNS)

# Columns whose numbers have all 64 bits.
_BITS: Final = ("key", "lock", "sample", "fingerprint", "line_hash")

TALLY: Final = _schema("TALLY", *_TALLY)
"""One row per (position, move), sorted by (key, lock, move), unique."""

OBSERVATIONS: Final = _schema("OBSERVATIONS", *_declared(OBSERVATION_COLUMNS))
"""One row per position of a game and the move played from it, in the order of the archives."""

TALLY_CELLS: Final = _schema(
    "TALLY_CELLS",
    *_TALLY,
    _Column(
        "cell", pa.uint16(), "cell", "classes of the games: ((year · 14 + rating) · 6 + speed) · 3 + side"
    ),
)
"""TALLY with one row per (position, move, cell), as the parts of a store with facets hold it."""

GAMES: Final = _schema("GAMES", *_declared(GAME_COLUMNS))
"""One row per game used, sorted by (source, member, offset)."""

REJECTS: Final = _schema(
    "REJECTS",
    _Column("source", pa.string(), "path", "archive file"),
    _Column("member", pa.string(), "path", "member of a tar or zip archive; null for a bare file", True),
    _Column("offset", pa.uint64(), "bytes", "first byte of the game in the decompressed member", True),
    _Column("line", pa.uint64(), "lines", "line of the game or defect, from 1; 0 in binary formats", True),
    _Column("game", pa.uint64(), "games", "number of the game in its source, from 1", True),
    _Column("ply", pa.uint16(), "plies", "plies that were legal before the defect", True),
    _Column("token", pa.string(), "text", "the text that was refused", True),
    _Column("reason", pa.string(), "code", "stable reason code, such as illegal-move"),
    _Column("message", pa.string(), "text", "what was found and what was expected", True),
)
"""One row per game, or rest of a game, that could not be used."""


def _selection(name: str, counted: _Column, *move: _Column) -> pa.Schema:
    share = centipawns = pa.float64()
    return _schema(
        name,
        *_TALLY[:2],
        *move,
        _Column("side", pa.uint8(), "side", "side that made the move: 0 first, 1 second"),
        _Column("ply", pa.uint16(), "plies", "smallest number of plies after which the position stood"),
        counted,
        _Column("wins", pa.uint64(), "games", "games won by that side"),
        _Column("draws", pa.uint64(), "games", "games drawn"),
        _Column("losses", pa.uint64(), "games", "games lost by that side"),
        _Column("p", share, "0 … 1", "wins / (wins + losses); null where nobody won", True),
        _Column("p_low", share, "0 … 1", "lower Wilson bound of p, 95 %", True),
        _Column("p_high", share, "0 … 1", "upper Wilson bound of p, 95 %", True),
        _Column("score", share, "0 … 1", "(wins + draws / 2) / known results; null if none is known", True),
        _Column("quality", pa.uint8(), "0 … 31", "quality of the record"),
        _Column("kept", pa.bool_(), "", "whether the row goes into the book"),
        _Column("reason", _REASON, "code", "first rule that dropped the row; empty = kept"),
        _Column("paired", pa.uint64(), "games", "games with a result and both ratings; null = unknown", True),
        _Column(
            "performance",
            share,
            "0 … 1",
            "score of that side corrected for ratings; null where paired = 0",
            True,
        ),
        _Column(
            "engine", centipawns, "centipawns", "engine's value for that side; null = not evaluated", True
        ),
        _Column("value", centipawns, "centipawns", "value backed up over counted moves, likewise", True),
        _Column("expected", centipawns, "centipawns", "expected value of the book's lines, likewise", True),
    )


SELECTION_POSITIONS: Final = _selection(
    "SELECTION_POSITIONS",
    _Column("reached", pa.uint64(), "games", "games that reached the position, by any order of moves"),
)
"""One row per position, the sum of its tally rows, sorted by (key, lock); `side` moved into it."""

SELECTION_MOVES: Final = _selection(
    "SELECTION_MOVES",
    _Column("played", pa.uint64(), "games", "games in which the move was played from the position"),
    _Column("move", pa.uint16(), "move code", "move played from the position; 0 = none"),
    _Column("worth", pa.float64(), "", "what the criteria make of the move; null = not known", True),
)
"""One row per tally row, same order; key and lock are of the position *before* the move, `ply` counts it."""

BOOK_MOVES: Final = _schema(
    "BOOK_MOVES",
    _Column("key", pa.uint64(), "key", "64-bit key of the position before the move"),
    _Column("lock", pa.uint32(), "key", "second key of it; null where a format keeps none", True),
    _Column("move", pa.uint16(), "move code", "move that the book holds there"),
    _Column("weight", pa.uint64(), "", "what readers of the book choose by; larger is more often"),
    _Column("games", pa.uint64(), "games", "games in which the move was played; null = unknown", True),
    _Column("wins", pa.uint64(), "games", "games won by who made the move; null = unknown", True),
    _Column("draws", pa.uint64(), "games", "games drawn; null = unknown", True),
    _Column("losses", pa.uint64(), "games", "games lost by who made the move; null = unknown", True),
    _Column("quality", pa.uint8(), "0 … 31", "quality of the move; null = unknown", True),
    _Column("learn", pa.uint32(), "", "the learn field of Polyglot books; null elsewhere", True),
)
"""One row per move of a book, in the order in which the book lists them."""


EVALS: Final = _schema(
    "EVALS",
    *_TALLY[:2],
    _Column("engine", pa.string(), "name", "engine and version, as it names itself"),
    _Column("network", pa.string(), "name", "network file that the engine names; null = unknown", True),
    _Column("limit", pa.string(), "limit", "how long it could think: nodes=N, depth=N or movetime=MS"),
    _Column("depth", pa.uint16(), "plies", "depth that it reported; null = unknown", True),
    _Column("nodes", pa.uint64(), "nodes", "nodes of the limit, else those reported; null = unknown", True),
    _Column(
        "score", pa.int32(), "centipawns", "value for the side to move; a mate is ±30,000 less its distance"
    ),
    _Column("best", pa.uint16(), "move code", "best move, as a row of TALLY holds it; null = unknown", True),
)
"""One row per position, engine, network and limit, sorted by these; key and lock are as in a book."""


def check(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table under the declared schema, metadata included; copies nothing.

    Args:
        table: any pyarrow table.
        schema: one of the schemas of this module.

    Returns:
        A table with the same columns and the fields of `schema`.

    Raises:
        SchemaError: a column is missing, unexpected, out of place, of another type, or holds nulls where none
            may be.

    Example:
        >>> check(empty(TALLY).drop_columns(["ply"]), TALLY)
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SchemaError: table is not TALLY: column "ply" is missing (expected uint16)
    """
    name = (schema.metadata or {}).get(b"bookbuilder.schema", b"?").decode()
    for field in schema:
        if field.name not in table.schema.names:
            where = f'table is not {name}: column "{field.name}"'
            raise SchemaError(f"{where} is missing (expected {field.type})")
    for found in table.schema.names:
        if found not in schema.names or table.schema.names.count(found) > 1:
            raise SchemaError(f'table is not {name}: column "{found}" was not expected there, or not twice')
    for place, (field, found_field) in enumerate(zip(schema, table.schema, strict=True)):
        where = f'table is not {name}: column "{field.name}"'
        if found_field.name != field.name:
            raise SchemaError(f'{where} expected at place {place}, found "{found_field.name}"')
        if found_field.type != field.type:
            raise SchemaError(f"{where} expected as {field.type}, found {found_field.type}")
        nulls = table.column(place).null_count
        if nulls and not field.nullable:
            raise SchemaError(f"{where} expected without nulls, found {nulls}")
    return pa.Table.from_arrays(table.columns, schema=schema)


def from_native(stream: ArrowStream) -> pa.Table:
    """Return a stream of the native core as a table; copies nothing.

    Example:
        >>> from_native(bb.Book.open("games.book").native.records()).num_rows
        21
    """
    return pa.RecordBatchReader.from_stream(stream).read_all()


def array_from_native(column: ArrowArray) -> npt.NDArray[Any]:
    """Return a column of numbers of the native core as an array; copies nothing.

    Example:
        >>> int(array_from_native(bb.Book.open("games.book").native.cluster_sizes()).sum())
        21
    """
    # The stub of pyarrow asks for the protocols of devices too.
    numbers: npt.NDArray[Any] = pa.array(column).to_numpy()  # type: ignore[call-overload]
    return numbers


def empty(schema: pa.Schema) -> pa.Table:
    """Return a table of that schema without rows. `Schema.empty_table` would import pandas.

    Example:
        >>> empty(TALLY).num_rows, empty(TALLY).column_names[:3]
        (0, ['key', 'lock', 'move'])
    """
    return pa.Table.from_batches([], schema=schema)


def check_order(rows: pa.Table) -> None:
    """Refuse rows of a tally or a selection that are not in order.

    Raises:
        SchemaError: (key, lock, move) does not ascend somewhere; without moves (key, lock).

    Example:
        >>> check_order(bb.Tally.from_archives("games.pgn").to_arrow())
    """
    import numpy as np

    from bookbuilder.columns import values

    names = [name for name in ("key", "lock", "move") if name in rows.column_names]
    ascends = np.zeros(max(rows.num_rows - 1, 0), np.bool_)
    for name in reversed(names):
        column = values(rows.column(name))
        ascends = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & ascends)
    if not ascends.all():
        place = int(np.argmin(ascends)) + 1
        kind = (rows.schema.metadata or {}).get(b"bookbuilder.schema", b"TALLY").decode()
        raise SchemaError(
            f"table is not {kind}: ({', '.join(names)}) does not ascend at row {place}; sort it by these"
        )


def signed_counts(table: pa.Table) -> pa.Table:
    """Return a table whose counts are signed; keys and hashes stay as they are.

    Example:
        >>> import pyarrow as pa
        >>> counts = pa.table({"key": pa.array([2], pa.uint64()), "wins": pa.array([1], pa.uint64())})
        >>> [str(each) for each in signed_counts(counts).schema.types]
        ['uint64', 'int64']
    """
    for place, field in enumerate(table.schema):
        is_unsigned = pa.types.is_uint64(field.type) or pa.types.is_uint32(field.type)
        if is_unsigned and field.name not in _BITS:
            table = table.set_column(place, field.name, table.column(place).cast(pa.int64()))
    return table


def sorted_games(games: pa.Table) -> pa.Table:
    """Return games in the order of GAMES.

    Example:
        >>> sorted_games(bb.Tally.from_archives("games.pgn").games).column("offset").to_pylist()[0]
        0
    """
    # The fingerprint decides between two contents that a file of one name has had.
    order: list[tuple[str, Literal["ascending", "descending"]]] = [
        (name, "ascending") for name in ("source", "member", "offset", "fingerprint")
    ]
    return games.sort_by(order).combine_chunks()
