"""A book as CSV, which people and programs read, either game, without loss.

The table has one row per move:

| column | meaning |
|---|---|
| fen, ply | the position, and its ply; empty if the start position does not lead to it |
| move, san | the move there: UCI and SAN for chess, ICCS twice for xiangqi |
| weight | the weight of the move |
| games, wins, draws, losses | counts; results from the view of the side that moves; empty = unknown |
| quality | 0 … 31; empty = unknown |
| learn | the learn field of Polyglot books; empty elsewhere |
| engine, value, expected | only where an engine evaluated: see `engine_values`; empty = unknown |
| key, lock, code | the columns that readers use: keys in hexadecimal and stored move code |

A CSV with the columns fen, move and weight alone is a book, too: `startpos` or a line of moves may stand for
a FEN.

Facts about the book (game, fold, statistic, basis) are further columns, with the same value in each row.
Bridges are not written.
"""

from __future__ import annotations

import csv as csv_text
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.book.formats import STATISTICS
from bookbuilder.book.formats.moves import Lost, MoveBook, engine_values, has_lock, merged, require_weight
from bookbuilder.book.formats.walk import follow
from bookbuilder.errors import FenError, FormatError, MoveError, OptionError, SchemaError
from bookbuilder.games.position import GAMES_KNOWN, Game, as_game, as_position
from bookbuilder.schema import BOOK_MOVES, check
from bookbuilder.selection.engine import OF_ENGINE

_NOTATIONS: Final = {"chess": ("uci", "san"), "xiangqi": ("iccs", "iccs")}
_PLACE: Final = ("fen", "move")
_PLAIN: Final = ("weight", "games", "wins", "draws", "losses", "quality", "learn")
_KEYS: Final = ("key", "lock", "code")
_FACTS: Final = ("game", "fold", "statistic", "basis")


def listing(book: MoveBook) -> pa.Table:
    """Return the table of a book, in the order of the book."""
    coordinates, san = _NOTATIONS[book.game]
    reached = follow(book, notations=sorted({coordinates, san}), fens=True)
    row, at = np.unique(reached.row, return_index=True)
    row, at = row[row >= 0], at[row >= 0]
    position = reached.position[at]
    known = {
        "fen": np.array(reached.fens, object)[position],
        "ply": reached.ply[position],
        "move": np.array(reached.texts[coordinates], object)[at],
        "san": np.array(reached.texts[san], object)[at],
    }
    columns = {name: np.full(len(book), None, object) for name in known}
    for name, values in known.items():
        columns[name][row] = values
    types = {"fen": pa.string(), "ply": pa.uint16(), "move": pa.string(), "san": pa.string()}
    arrays: dict[str, Any] = {name: pa.array(columns[name], kind) for name, kind in types.items()}
    arrays |= {name: book.table.column(name) for name in _PLAIN}
    if book.engine is not None:
        arrays |= {name: book.engine.column(name) for name in OF_ENGINE}
    arrays |= {name: book.table.column(name) for name in ("key", "lock")}
    arrays["code"] = book.table.column("move")
    return pa.table(arrays)


def write_csv(path: Path, book: MoveBook) -> tuple[int, Lost]:
    """Write a book as CSV; return the number of its rows, and the losses."""
    from pyarrow import csv

    table = listing(book)
    for name, digits in (("key", 16), ("lock", 8)):
        place = table.schema.get_field_index(name)
        texts = [None if key is None else f"0x{key:0{digits}x}" for key in table.column(name).to_pylist()]
        table = table.set_column(place, name, pa.array(texts, pa.string()))
    for name in _FACTS:
        text = json.dumps(getattr(book, name)).strip('"')
        table = table.append_column(name, pa.array([text] * table.num_rows, pa.string()))
    csv.write_csv(table, path, csv.WriteOptions(quoting_style="needed"))
    return table.num_rows, {}


def read_csv(path: Path) -> MoveBook:
    """Return a book that `write_csv` wrote, or one of the columns fen, move and weight alone.

    Rows may have been changed, added or removed. A row without a key has it computed from fen and move. Rows
    of one move are added up.

    Raises:
        FormatError: it is not such a file.
        OSError: it cannot be read.
    """
    book = _read_rows(path)
    moves = merged(book.table)
    twice = len(book) - moves.num_rows
    if not twice:
        return book
    if book.engine is not None:
        raise FormatError(f"{path}: has {twice:,} moves twice; remove one of the rows of each")
    return replace(book, table=moves).losing("rows of moves that stand twice, added up", twice)


def _read_rows(path: Path) -> MoveBook:
    from pyarrow import csv

    path.open("rb").close()  # an unreadable file is an OSError, not a FormatError
    types: dict[str, pa.DataType] = dict.fromkeys((*_PLACE, *_PLAIN, *_KEYS, *_FACTS), pa.string())
    types |= {name: pa.float64() for name in OF_ENGINE}
    options = csv.ConvertOptions(column_types=types, strings_can_be_null=True)
    try:
        table = csv.read_csv(path, convert_options=options)
        # Names of columns are decoded here, not before.
        columns: dict[str, Any] = {name: table.column(name) for name in table.column_names}
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise _not_a_listing(path, str(error)) from error
    for name in ("weight", *(() if "key" in columns else ("fen", "move"))):
        if name not in columns:
            raise _not_a_listing(path, f'column "{name}" is missing')
    facts = _facts_of_columns(path, columns)
    columns = {name: pa.nulls(table.num_rows, pa.string()) for name in (*_PLACE, *_PLAIN, *_KEYS)} | columns
    texts = {name: columns[name].to_pylist() for name in (*_PLACE, *_PLAIN, *_KEYS)}
    for number, key in enumerate(texts["key"]):
        if not key:
            try:
                here = as_position(texts["fen"][number] or "", facts["game"])
                code = here.stored_move(here.parse_move(texts["move"][number] or ""), facts["fold"])
            except (FenError, MoveError) as error:
                raise FormatError(f"{path}: row {number + 1}: {error}") from error
            for name, value in zip(_KEYS, (*here.stored(facts["fold"]), code), strict=True):
                texts[name][number] = str(value)
    arrays = []
    for each in BOOK_MOVES:
        name = "code" if each.name == "move" else each.name
        try:  # numbers are decimal or hexadecimal
            arrays.append(pa.array([int(text, 0) if text else None for text in texts[name]], each.type))
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise FormatError(f'{path}: column "{name}": {error}; expected {each.type}') from error
    try:
        moves = check(pa.Table.from_arrays(arrays, names=BOOK_MOVES.names), BOOK_MOVES)
        return MoveBook(table=moves, engine=engine_values(columns), **facts)
    except (SchemaError, pa.ArrowException) as error:
        raise FormatError(f"{path}: {error}") from error


def _facts_of_columns(path: Path, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts about a book from columns that have one value each, or of a plain list of moves."""
    game = _game_of(columns) if "game" not in columns and {"fen", "move"} <= columns.keys() else "chess"
    facts: dict[str, Any] = {"game": game, "statistic": "own", "basis": "played"}
    for name in _FACTS:
        if name not in columns:
            continue
        values = sorted(set(columns[name].drop_null().to_pylist()))
        if len(values) != 1:
            found = ", ".join(values) or "nothing"
            raise _not_a_listing(path, f'column "{name}" holds {found}, expected one value')
        facts[name] = values[0]
    if facts["statistic"] not in STATISTICS or facts["basis"] not in ("played", "reached"):
        raise _not_a_listing(path, "statistic or basis is unknown")
    try:
        game = as_game(facts["game"])
    except OptionError as error:
        raise FormatError(f"{path}: {error}") from error
    fold = facts.get("fold", "true" if game == "xiangqi" else "false") == "true"
    return {**facts, "game": game, "fold": fold}


def _game_of(columns: Mapping[str, Any]) -> Game:
    """Return the game of the first move that is legal in one game alone."""

    def plays(game: Game, fen: str, move: str) -> bool:
        try:
            as_position(fen, game).parse_move(move)
        except (FenError, MoveError):
            return False
        return True

    for fen, move in zip(columns["fen"].to_pylist(), columns["move"].to_pylist(), strict=True):
        is_chess, is_xiangqi = (plays(game, fen or "", move or "") for game in GAMES_KNOWN)
        if is_chess != is_xiangqi:
            return "chess" if is_chess else "xiangqi"
    return "chess"


def edit_csv(
    source: Path, target: Path, here: Position, code: int, weight: int | None
) -> tuple[int | None, int | None]:
    """Copy a CSV with a change of one move, see `registry.Editor`. Other rows and columns stay."""
    book = _read_rows(source)
    if weight is not None:
        require_weight(source, weight, 2**64 - 1)
    key, lock = here.stored(book.fold)
    own = book.column("move") == here.stored_move(code, book.fold)
    own &= (book.column("key") == key) & ((book.column("lock") == lock) | ~has_lock(book))
    before = int(book.column("weight")[own].sum()) if own.any() else None
    with source.open(encoding="utf-8-sig", newline="") as file:
        reader = csv_text.DictReader(file)
        rows, names = list(reader), list(reader.fieldnames or ())
    # A move that stands twice keeps one row.
    own_rows = np.flatnonzero(own).tolist()
    if weight is not None and own_rows:
        rows[own_rows.pop(0)]["weight"] = str(weight)
    elif weight is not None:
        known = {"fen": here.fen, "move": here.coordinates(code), "san": here.san(code)}
        known |= {"weight": str(weight)} | {name: rows[0][name] for name in _FACTS if name in names}
        rows.append({name: known.get(name, "") for name in names})
    rows = [row for number, row in enumerate(rows) if number not in own_rows]
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv_text.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return before, weight


def _not_a_listing(path: Path, why: str) -> FormatError:
    return FormatError(f"{path}: {why}; expected a CSV file that bookbuilder has written from a book")
