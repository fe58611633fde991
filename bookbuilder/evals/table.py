"""A table of evaluations: one row for each position, engine and limit.

Evaluations change no counts. They are Parquet files of schema EVALS, sorted, so equal evaluations give equal
bytes. Files of several runs, engines and limits merge into one. Positions have the key and lock of a book, so
left-right mirrors of xiangqi share a row where the tally folds them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder._core import Position
from bookbuilder.columns import column_of, values
from bookbuilder.disk import draft_file
from bookbuilder.errors import EvalsError, SchemaError
from bookbuilder.games.columns import PositionIndex
from bookbuilder.games.position import Game, as_game
from bookbuilder.keywords import require_kind
from bookbuilder.schema import EVALS, check, empty
from bookbuilder.sealed import seal, seal_holds

_METADATA: Final = b"bookbuilder.evals"
_ORDER: Final = ("key", "lock", "engine", "network", "limit")
_SORTING: Final[list[tuple[str, Literal["ascending", "descending"]]]] = [
    *((name, "ascending") for name in _ORDER),
    *((name, "descending") for name in ("nodes", "depth", "score")),
    ("best", "ascending"),
]


class Valued(NamedTuple):
    """The evaluations of some positions, one element each."""

    # Centipawns for the side to move by the longest search; NaN = not evaluated.
    score: npt.NDArray[np.float64]
    nodes: npt.NDArray[np.uint64]  # nodes of that search, 0 = unknown
    best: npt.NDArray[np.uint16]  # best move of that search, 0 = unknown
    first_score: npt.NDArray[np.float64]  # centipawns by the shortest search
    first_nodes: npt.NDArray[np.uint64]  # nodes of that search, 0 = unknown
    first_best: npt.NDArray[np.uint16]  # best move of that search, 0 = unknown
    depth: npt.NDArray[np.uint16]  # depth of the longest search, 0 = unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Evals:
    """Evaluations of positions of one game.

    Attributes:
        table: schema EVALS, sorted.
        game: the game.
        fold: whether left-right mirrors share a row.

    Example:
        >>> evals = bb.Evals.empty("chess")
        >>> evals.write("games.evals")
        >>> len(bb.Evals.read("games.evals"))
        0
    """

    table: pa.Table
    game: Game
    fold: bool = True

    def __post_init__(self) -> None:
        """Chess has no left-right mirrors."""
        object.__setattr__(self, "fold", self.fold and self.game == "xiangqi")

    @classmethod
    def empty(cls, game: Game, *, fold: bool = True) -> Evals:
        """Return a table without evaluations.

        Example:
            >>> bb.Evals.empty("xiangqi")
            <Evals: xiangqi, 0 positions, 0 rows>
        """
        return cls(table=empty(EVALS), game=game, fold=fold)

    @classmethod
    def of(cls, table: pa.Table, game: Game, *, fold: bool = True) -> Evals:
        """Return rows as evaluations: sorted, and one for each position, engine, network and limit.

        Of several such rows the one with the most nodes counts, then the deepest.

        Raises:
            SchemaError: the table has other columns.

        Example:
            >>> bb.Evals.of(bb.Evals.empty("chess").table, "chess")
            <Evals: chess, 0 positions, 0 rows>
        """
        table = check(table, EVALS).sort_by(_SORTING)
        is_first = np.zeros(table.num_rows, np.bool_)
        is_first[:1] = True
        for name in _ORDER:
            column: Any = table.column(name)
            if pa.types.is_string(column.type):
                # Texts as numbers. A null equals only another null.
                column = column.combine_chunks().dictionary_encode("encode").indices
            is_first[1:] |= np.diff(values(column)) != 0
        return cls(table=check(table.filter(column_of(is_first)), EVALS), game=game, fold=fold)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Evals:
        """Return the evaluations of a file, or of all files in a folder.

        Raises:
            EvalsError: a file is not one of evaluations, is damaged, or has keys of another scheme.
            OSError: it cannot be read.

        Example:
            >>> bb.Evals.empty("chess").write("games.evals")
            >>> bb.Evals.read("games.evals").game
            'chess'
        """
        require_kind("Evals.read", path, str | os.PathLike)
        place = Path(path)
        if not place.is_dir():
            return _read(place)
        files = sorted(each for each in place.iterdir() if each.suffix in {".evals", ".parquet"})
        if not files:
            raise EvalsError(f"{place}: expected files of evaluations (.evals or .parquet), found none")
        return merge_evals([_read(each) for each in files])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table as Parquet; the file appears whole or not at all.

        Example:
            >>> bb.Evals.empty("chess").write("games.evals")
        """
        from pyarrow import parquet

        facts = {"game": self.game, "fold": self.fold, "key_scheme": _key_scheme(self.game)}
        known = {**(self.table.schema.metadata or {}), _METADATA: seal(self.table, facts)}
        with draft_file(Path(path)) as draft:
            parquet.write_table(self.table.replace_schema_metadata(known), draft, compression="zstd")

    def values(self, key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32]) -> Valued:
        """Return the evaluations of positions.

        Args:
            key: keys of the positions.
            lock: their locks.

        Example:
            >>> import numpy as np
            >>> evals = bb.Evals.empty("chess")
            >>> evals.values(np.array([1], np.uint64), np.array([1], np.uint32)).score.tolist()
            [nan]
        """
        return self.index().values(key, lock)

    def index(self) -> ValueIndex:
        """Return the evaluations sorted for look-ups, which is worth keeping for many small ones.

        Example:
            >>> import numpy as np
            >>> index = bb.Evals.empty("chess").index()
            >>> index.values(np.array([1], np.uint64), np.array([1], np.uint32)).score.tolist()
            [nan]
        """
        names = ("key", "lock", "nodes", "depth", "score", "best")
        key, lock, nodes, depth, score, best = (values(self.table.column(name), null=0) for name in names)
        order = np.lexsort((depth, nodes, lock, key))
        begins = np.ones(key.size, np.bool_)
        begins[1:] = (np.diff(key[order]) != 0) | (np.diff(lock[order]) != 0)
        first, last = order[begins], order[np.roll(begins, -1)]
        places = PositionIndex(key[first], lock[first])
        # The last element is that of positions without evaluations.
        first, last = np.append(first, key.size), np.append(last, key.size)
        score = np.append(score.astype(np.float64), np.nan)
        nodes, best, depth = (np.append(each, each.dtype.type(0)) for each in (nodes, best, depth))
        known = (score[last], nodes[last], best[last], score[first], nodes[first], best[first], depth[last])
        return ValueIndex(places, Valued(*known))

    @property
    def positions(self) -> int:
        """The number of positions.

        Example:
            >>> bb.Evals.empty("chess").positions
            0
        """
        return int(self.index().known.score.size) - 1

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.table.num_rows

    def __repr__(self) -> str:
        """Return one line for people."""
        return f"<Evals: {self.game}, {self.positions:,} positions, {len(self):,} rows>"


def merge_evals(parts: Sequence[Evals]) -> Evals:
    """Return the evaluations of several tables; equal rows count once.

    Raises:
        EvalsError: no table is given, or their games or foldings differ.
        OptionError: one is of another class.

    Example:
        >>> merge_evals([bb.Evals.empty("chess"), bb.Evals.empty("chess")])
        <Evals: chess, 0 positions, 0 rows>
    """
    for each in parts:
        require_kind("merge_evals", each, Evals)
    kinds = {(each.game, each.fold) for each in parts}
    if len(kinds) != 1:
        raise EvalsError("evaluations to merge: expected tables of one game, with mirrors folded alike")
    game, fold = kinds.pop()
    return Evals.of(pa.concat_tables([each.table for each in parts]), game, fold=fold)


class ValueIndex(NamedTuple):
    """The positions that have evaluations, and these; the last element is what others have, at place -1."""

    places: PositionIndex
    known: Valued

    def values(self, key: npt.NDArray[np.uint64], lock: npt.NDArray[np.uint32]) -> Valued:
        """Return the evaluations of positions, given by their keys and locks."""
        place = self.places.find(key, lock)
        columns: list[npt.NDArray[Any]] = [column[place] for column in self.known]
        return Valued(*columns)


def _key_scheme(game: Game) -> str:
    """Return what tells one table of Zobrist numbers from another: the key of the start position."""
    return f"{Position(game).key:016x}"


def _read(path: Path) -> Evals:
    from pyarrow import parquet

    foreign = f"{path}: not a file of evaluations; `bookbuilder evaluate` writes them"
    with path.open("rb") as stream:
        if stream.read(4) != b"PAR1":
            raise EvalsError(foreign)
    try:
        table = parquet.read_table(path)
        table.validate(full=True)
        table.column_names  # noqa: B018 (a damaged name is no text)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise EvalsError(f"{path}: damaged: {error}") from error
    try:
        facts = json.loads((table.schema.metadata or {}).get(_METADATA, b"null"))
        game, fold, scheme = as_game(facts["game"]), facts["fold"], facts["key_scheme"]
        is_known = isinstance(fold, bool) and isinstance(scheme, str)
        is_known &= facts.keys() <= {"game", "fold", "key_scheme", "digest"}
    except (ValueError, TypeError, KeyError):
        is_known = False
    if not is_known:
        raise EvalsError(foreign)
    if not seal_holds(table, facts):
        raise EvalsError(f"{path}: damaged: its content is not what was written")
    if scheme != _key_scheme(game):
        raise EvalsError(f"{path}: has keys of the scheme {scheme}; evaluate the positions again")
    try:
        return Evals.of(table.replace_schema_metadata(None), game, fold=fold)
    except SchemaError as error:
        raise EvalsError(f"{path}: {error}") from error
