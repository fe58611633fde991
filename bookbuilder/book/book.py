"""The clustered book: write a selection to a `.book` file, open the file, look positions up.

The core writes, maps, probes and verifies the file; `core/src/book/layout.rs` documents its bytes. A record
describes a position. The book moves at a position are the legal moves that lead to a record, so
transpositions need no extra records.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.book.reader import EntryReader
from bookbuilder.book.recipe import parse_recipe, selection_recipe
from bookbuilder.book.records import selection_records, write_records
from bookbuilder.errors import BookError, SelectionError
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_position
from bookbuilder.ratios import result_figures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    from bookbuilder._core import Position, Record
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.move_table import MoveTable

__all__ = ["Book", "PickPolicy", "stored_records"]

PickPolicy: TypeAlias = Literal["best", "weighted", "uniform"]
"""How `Book.pick` chooses a move."""

# Types of the columns of `Book.moves`. Results are known only in a book with columns.
_RESULT_KINDS: Final = {
    **dict.fromkeys(("first_wins", "draws", "second_wins", "wins", "losses"), "int64"),
    **dict.fromkeys(("p", "p_low", "p_high", "score"), "float64"),
}
_KINDS: Final[Mapping[str, str]] = {
    "move": "str",
    "san": "str",
    "code": "uint16",
    "reached": "int64",
    **_RESULT_KINDS,
    "quality": "uint8",
    "kept": "bool",
    "reason": "str",
}


class Book(EntryReader):
    """An open clustered book. The file is mapped, so opening is fast for any size.

    An open book is not affected when its file is replaced.

    Attributes:
        path: the file.
        native: the book of the core, as the engine takes it.
        format: the name of its format.
    """

    format: Final = "book"

    def __init__(self, native: _core.Book, path: Path) -> None:
        """Wrap a book that the core has opened; `Book.open` opens a file."""
        self.path = path
        self.native = native

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, game: Game | None = None) -> Self:
        """Return the book in a file.

        Args:
            path: the file.
            game: the expected game; None = either.

        Raises:
            BookError: the file is not a clustered book, is damaged or truncated, or has another game or a
                newer format.
            OSError: it is missing or cannot be read.
        """
        try:
            return cls(_core.Book.open(os.fspath(path), game), Path(path))
        except (BookError, IsADirectoryError) as error:
            if (mistake := describe_mistake(Path(path), "book", is_clustered=True)) is None:
                raise
            raise BookError(mistake) from error

    @classmethod
    def write(cls, path: str | os.PathLike[str], selection: Selection, *, columns: bool = True) -> Self:
        """Write the kept rows of a selection as a book, atomically, and return the open book.

        The same selection gives the same file, byte for byte. An existing file is replaced.

        Args:
            path: the file.
            selection: of shape `positions`.
            columns: store locks and results too: 16 more bytes a record.

        Raises:
            SelectionError: the selection is of moves.
            OSError: the file cannot be written.
        """
        if selection.shape != "positions":
            raise SelectionError(f"a clustered book stores positions: expected them, found {selection.shape}")
        write_records(
            path,
            selection_records(selection),
            game=selection.game,
            fold=selection.fold,
            columns=columns,
            recipe=selection_recipe(selection, columns=columns),
        )
        return cls.open(path, game=selection.game)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.native)

    def __repr__(self) -> str:
        """Return one line for people."""
        return f"<Book: {self.game}, {len(self):,} records, {self.path}>"

    @property
    def game(self) -> Game:
        """The game."""
        return self.native.game

    @property
    def fold(self) -> bool:
        """Whether a position and its left-right mirror share one record."""
        return self.native.fold

    @property
    def has_columns(self) -> bool:
        """Whether it stores locks and results."""
        return self.native.has_columns

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the file does not store of a book, in words."""
        return () if self.has_columns else ("results",)

    @property
    def recipe(self) -> dict[str, Any]:
        """How the book was built: program, sources, options.

        Raises:
            BookError: the recipe is not a JSON object.
        """
        return parse_recipe(self.native.recipe, self.path)

    @property
    def info(self) -> dict[str, Any]:
        """Facts: game, records, clusters_used, bytes, fold, columns, format_version, key_scheme, recipe."""
        return {**self.native.info, "recipe": self.recipe}

    def cluster_sizes(self) -> npt.NDArray[np.uint32]:
        """Return the number of records in each cluster."""
        from bookbuilder.schema import array_from_native

        return array_from_native(self.native.cluster_sizes())

    def cluster_histogram(self, classes: int = 12) -> list[dict[str, int]]:
        """Return a histogram of cluster sizes, in classes of equal width: from, to, clusters.

        Args:
            classes: the maximum number of classes.
        """
        import numpy as np

        sizes = self.cluster_sizes()
        width = int(sizes.max(initial=0)) // classes + 1
        counts = np.bincount(sizes // width)
        return [
            {"from": place * width, "to": (place + 1) * width - 1, "clusters": int(count)}
            for place, count in enumerate(counts)
        ]

    def lines(self, position: PositionLike = START_WORD, *, max_ply: int | None = None) -> pd.DataFrame:
        """Return every line of book moves from a position, the most used move first.

        Args:
            position: where the lines begin: a FEN, moves such as `1.e4 e5`, a `Position` or a
                `chess.Board`.
            max_ply: the maximum length of a line, in plies; None = no limit.

        Returns:
            One row for each book move, line by line: ply (from 1), parent (row of the move before it, -1 =
            none), record (row of `to_arrow`), code, move (UCI or ICCS), san, is_again (whether an earlier row
            leads to the same record; the line continues there). If two mirrored moves lead to one record,
            only the smaller code is listed.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        from bookbuilder.schema import from_native

        here = as_position(position, self.game)
        steps = from_native(self.native.walk(here.fen, max_ply=max_ply, texts=True)).to_pandas()
        return steps.assign(parent=steps["parent"].astype("int64").replace(_core.NOWHERE, -1))

    def pick(
        self,
        position: PositionLike,
        how: PickPolicy = "weighted",
        *,
        seed: int | None = None,
    ) -> str | None:
        """Return a book move at a position, UCI or ICCS; None if there is none.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
            how: `best` = the heaviest move, then the one with more games, then the smaller code;
                `weighted` = at random by weight; `uniform` = at random, every move equally likely.
                The weight is games x (quality + 1), games that reached the position after the move. The
                bundled engine chooses by the same weight.
            seed: of the random numbers; the same seed gives the same move. None = a new seed each time.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        rows = self.move_rows(position)
        if not rows:
            return None
        if how == "best":
            here = as_position(position, self.game)
            return here.coordinates(self.weighted_moves(here)[0][0])
        weights = [_weight(row) for row in rows] if how == "weighted" else None
        return str(random.Random(seed).choices([row["move"] for row in rows], weights)[0])

    def verify(self) -> None:
        """Check every byte of the file.

        Raises:
            BookError: the file is damaged; the message names the first defect and its offset.
        """
        self.native.verify()

    def probe(self, position: PositionLike) -> Record | None:
        """Return the record of a position, or None if the book has none.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        return self.native.probe_position(as_position(position, self.game))

    def moves(self, position: PositionLike) -> MoveTable:
        """Return the book moves at a position, the most used first.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

        Returns:
            One row for each legal move that leads to a record. move (UCI or ICCS), san, code; reached;
            first_wins, draws, second_wins (by side); wins, losses (of the side to move); p, p_low, p_high,
            score (NaN = undefined); quality; kept (true) and reason (empty), as in a selection. In a book
            without columns counts and ratios are missing.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        kinds = {name: kind for name, kind in _KINDS.items() if self.has_columns or name not in _RESULT_KINDS}
        moves = MoveTable.of_rows(self.move_rows(here), kinds)
        moves.attrs = {"game": self.game, "fen": here.fen}
        return moves

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame."""
        here = as_position(position, self.game)
        found = [(code, self.native.probe_position(here.play(code))) for code in here.moves()]
        records = [(code, record) for code, record in found if record is not None]
        records.sort(key=lambda row: (-row[1].usage, row[0]))
        return [
            {
                "move": here.coordinates(code),
                "san": here.san(code),
                "code": code,
                "reached": record.usage,
                **_results(record, first_moves=here.side == 0),
                "quality": record.quality,
                "kept": True,
                "reason": "",
            }
            for code, record in records
        ]

    def weighted_moves(self, position: Position) -> list[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first; see `pick`."""
        rows = sorted(self.move_rows(position), key=lambda row: (-_weight(row), -row["reached"], row["code"]))
        return [(row["code"], _weight(row)) for row in rows]

    def to_arrow(self) -> pa.Table:
        """Return all records, sorted by (key, lock).

        key uint64, lock uint32, usage uint32, seen_first_win, seen_draw, seen_second_win bool, quality uint8,
        wins, draws, losses uint32 (the first side's). A book without columns lacks lock, wins, draws, losses.
        Lock and results are read from the mapped file itself, without a copy.
        """
        from bookbuilder.schema import from_native

        return from_native(self.native.records())

    def to_pandas(self) -> pd.DataFrame:
        """Return all records as a frame with the columns of `to_arrow`; copies keys and flags only."""
        return self.to_arrow().to_pandas(split_blocks=True)


def stored_records(book: Book) -> pa.Table:
    """Return the records of a book as `write_records` takes them. Writing them gives the same records.

    A book without columns only knows whether there were wins, draws and losses: each counts as 1. Its locks
    are 0.
    """
    import numpy as np
    import pyarrow as pa

    from bookbuilder.columns import column_of, values

    table = book.to_arrow()
    names = ("wins", "draws", "losses")
    seen = ("seen_first_win", "seen_draw", "seen_second_win")
    results = [
        values(table.column(name if book.has_columns else flag)).astype(np.uint64)
        for name, flag in zip(names, seen, strict=True)
    ]
    # The usage has fewer bits than the results: at its maximum it may be less than their sum.
    usage = np.maximum(values(table.column("usage")).astype(np.uint64), sum(results))
    columns: dict[str, Any] = {
        "key": table.column("key"),
        "lock": table.column("lock") if book.has_columns else column_of(np.zeros(len(book), np.uint32)),
        "usage": column_of(usage),
        **{name: column_of(column) for name, column in zip(names, results, strict=True)},
        "quality": table.column("quality"),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def _weight(row: dict[str, Any]) -> int:
    """Return the weight of a row of `move_rows`, as `Word::weight` in the core."""
    return int(row["reached"]) * (int(row["quality"]) + 1)


def _results(record: Record, *, first_moves: bool) -> dict[str, Any]:
    """Return the columns of `Book.moves` that need results; empty in a book without columns."""
    if record.wins is None or record.draws is None or record.losses is None:
        return {}
    return result_figures(record.wins, record.draws, record.losses, first_moves=first_moves)
