"""The clustered book: write a selection to a `.book` file, open the file, look positions up.

The core writes, maps, probes and verifies the file; `core/src/book/layout.rs` documents its bytes. A record
describes a position. The book moves at a position are the legal moves that lead to a record, so
transpositions need no extra records.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.book.play import RESULT_KINDS, PlayableBook, record_weight
from bookbuilder.book.recipe import dump_recipe, parse_recipe, selection_recipe
from bookbuilder.disk import remove_drafts
from bookbuilder.errors import BookError, SelectionError
from bookbuilder.evals.words import MATE_SCORE
from bookbuilder.games.position import Game, PositionLike, as_position
from bookbuilder.keywords import require_kind
from bookbuilder.ratios import result_figures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    from bookbuilder._core import Position, Record
    from bookbuilder.selection.select import Selection


class Book(PlayableBook):
    """An open clustered book. The file is mapped, so opening is fast for any size.

    An open book is not affected when its file is replaced.

    Attributes:
        path: the file.
        native: the book of the core, as the engine takes it.
        format: the name of its format.

    Example:
        >>> book = bb.Book.open("games.book")
        >>> book.game, len(book)
        ('chess', 21)
        >>> book.moves("1.e4")["san"].tolist()
        ['e5', 'c5', 'e6']
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

        Example:
            >>> bb.Book.open("games.book")
            <Book: chess, 21 records, games.book>
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

        The same selection gives the same file, byte for byte. An existing file is replaced. The
        evaluations of the selection become values of the records, where their depth is known.

        Args:
            path: the file.
            selection: of shape `positions`.
            columns: store locks and results too: 16 more bytes a record.

        Raises:
            SelectionError: the selection is of moves.
            OptionError: it is not a selection.
            OSError: the file cannot be written.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> bb.Book.write("all.book", chosen)
            <Book: chess, 21 records, all.book>
        """
        from bookbuilder.selection.select import Selection

        require_kind("Book.write", selection, Selection)
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
        """The game.

        Example:
            >>> bb.Book.open("games.book").game
            'chess'
        """
        return self.native.game

    @property
    def fold(self) -> bool:
        """Whether a position and its left-right mirror share one record.

        Example:
            >>> bb.Book.open("games.book").fold
            False
        """
        return self.native.fold

    @property
    def has_columns(self) -> bool:
        """Whether it stores locks and results.

        Example:
            >>> bb.Book.open("games.book").has_columns
            True
        """
        return self.native.has_columns

    @property
    def has_values(self) -> bool:
        """Whether it stores values of an engine.

        Example:
            >>> bb.Book.open("games.book").has_values
            False
        """
        return self.native.has_values

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the file does not store of a book, in words.

        Example:
            >>> bb.Book.open("games.book").lacks
            ()
        """
        return () if self.has_columns else ("results",)

    @property
    def recipe(self) -> dict[str, Any]:
        """How the book was built: program, sources, options.

        Raises:
            BookError: the recipe is not a JSON object.

        Example:
            >>> recipe = bb.Book.open("games.book").recipe
            >>> recipe["preset"], recipe["selection"]["margin"]
            ('engine', '1/20')
        """
        return parse_recipe(self.native.recipe, self.path)

    @property
    def info(self) -> dict[str, Any]:
        """Facts of the book.

        game, format, records, clusters_used, bytes, fold, columns, values, does_not_store, format_version,
        key_scheme and recipe.

        Example:
            >>> info = bb.Book.open("games.book").info
            >>> info["records"], info["columns"]
            (21, True)
        """
        facts = {**self.native.info, "format": self.format, "does_not_store": list(self.lacks)}
        return {**facts, "recipe": self.recipe}

    def cluster_sizes(self) -> npt.NDArray[np.uint32]:
        """Return the number of records in each cluster.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> int(book.cluster_sizes().sum()) == len(book)
            True
        """
        from bookbuilder.schema import array_from_native

        return array_from_native(self.native.cluster_sizes())

    def probe(self, position: PositionLike) -> Record | None:
        """Return the record of a position, or None if the book has none.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

        Raises:
            FenError: the position is not a position of the book's game.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> record = book.probe("1.e4")
            >>> record.usage, record.wins, record.draws, record.losses
            (4, 2, 1, 1)
        """
        return self.native.probe_position(as_position(position, self.game))

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame."""
        here = as_position(position, self.game)
        first_moves = here.side == 0
        rows = []
        for code, record in self.native.moves_at(here):
            row = {
                "move": here.coordinates(code),
                "san": here.san(code),
                "code": code,
                "reached": record.usage,
            }
            wins, draws, losses = record.wins, record.draws, record.losses
            if wins is not None and draws is not None and losses is not None:
                row.update(result_figures(wins, draws, losses, first_moves=first_moves))
            if self.has_values:
                row["engine"] = None if record.value is None else -record.value
            row.update(quality=record.quality, kept=True, reason="")
            rows.append(row)
        return rows

    def _figures(self) -> Iterable[str]:
        results = RESULT_KINDS if self.has_columns else ()
        return ("reached", *results, *(("engine",) if self.has_values else ()), "quality")

    def weighted_moves(self, position: Position) -> list[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first, then the most used.

        `record_weight` is the formula. Its games are the games that reached the position after the move.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> start = bb.as_position("startpos", "chess")
            >>> [(start.san(code), weight) for code, weight in book.weighted_moves(start)]
            [('e4', 131072), ('Nf3', 8000), ('d4', 1000)]
        """
        records = self.native.moves_at(position)  # the most used first, and sorting keeps that
        rows = [(code, record_weight(record.usage, record.quality)) for code, record in records]
        return sorted(rows, key=lambda row: -row[1])

    def verify(self) -> None:
        """Check every byte of the file.

        Raises:
            BookError: the file is damaged; the message names the first defect and its offset.

        Example:
            >>> bb.Book.open("games.book").verify()
        """
        self.native.verify()

    def to_arrow(self) -> pa.Table:
        """Return all records, sorted by (key, lock).

        key uint64, lock uint32, usage uint32, seen_first_win, seen_draw, seen_second_win bool, quality uint8,
        wins, draws, losses uint32 (the first side's). A book without columns lacks lock, wins, draws, losses.
        A book with values has valued uint64 too: depth << 32 | best move << 16 | value, 0 = none. Lock and
        results are read from the mapped file itself, without a copy.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.to_arrow().column_names[:3]
            ['key', 'lock', 'usage']
        """
        from bookbuilder.schema import from_native

        return from_native(self.native.records())

    def to_pandas(self) -> pd.DataFrame:
        """Return all records as a frame with the columns of `to_arrow`. Counts are signed.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> records = book.to_pandas()
            >>> len(records), int(records["usage"].max())
            (21, 4)
        """
        from bookbuilder.schema import signed_counts

        return signed_counts(self.to_arrow()).to_pandas()


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
        **({"valued": table.column("valued")} if book.has_values else {}),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def selection_records(selection: Selection) -> pa.Table:
    """Return the kept positions of a selection as `write_records` takes them."""
    import numpy as np
    import pyarrow as pa

    from bookbuilder.columns import column_of, rows_at, values

    names = ["key", "lock", "side", "reached", "wins", "draws", "losses", "quality"]
    kept = rows_at(selection.rows.select(names), np.flatnonzero(values(selection.rows.column("kept"))))
    first_moved = values(kept.column("side")) == 0
    wins, losses = values(kept.column("wins")), values(kept.column("losses"))
    # A move that is added by hand has no game; a record of usage 0 would never be played.
    usage = np.maximum(values(kept.column("reached")), 1)
    columns: dict[str, Any] = {
        "key": kept.column("key"),
        "lock": kept.column("lock"),
        "usage": column_of(usage),
        "wins": column_of(np.where(first_moved, wins, losses)),
        "draws": kept.column("draws"),
        "losses": column_of(np.where(first_moved, losses, wins)),
        "quality": kept.column("quality"),
    }
    if selection.evidence is not None:
        found = selection.evidence.evals.values(values(kept.column("key")), values(kept.column("lock")))
        # Evaluations of unknown depth say nothing.
        known = ~np.isnan(found.score) & (found.depth > 0)
        centipawns = np.clip(np.where(known, found.score, 0), -MATE_SCORE, MATE_SCORE)
        value = centipawns.astype(np.int16).view(np.uint16).astype(np.uint64)
        depth = np.minimum(found.depth, 255).astype(np.uint64)
        valued = depth << 32 | found.best.astype(np.uint64) << 16 | value
        columns["valued"] = column_of(np.where(known, valued, np.uint64(0)))
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def write_records(
    path: str | os.PathLike[str],
    records: pa.Table,
    *,
    game: Game,
    fold: bool,
    columns: bool,
    recipe: Mapping[str, Any] | str,
) -> None:
    """Write records as a book, atomically. An existing file is replaced.

    The records have the columns key uint64, lock uint32, usage, wins, draws, losses uint64 (the first side's)
    and quality uint8, and may have valued uint64, as in `Book.to_arrow`. They are sorted by (key, lock), each
    once. With `fold`, mirrored positions share a record. With `columns`, locks and results are stored. The
    recipe is JSON data or its text.

    Raises:
        BookError: the records are not in order.
        OSError: the file cannot be written.
    """
    from bookbuilder.columns import values

    if "valued" in records.column_names and not values(records.column("valued")).any():
        records = records.drop_columns(["valued"])
    remove_drafts(Path(path).absolute().parent, Path(path).name)
    text = recipe if isinstance(recipe, str) else dump_recipe(recipe)
    _core.write_book(os.fspath(path), records, game=game, fold=fold, columns=columns, recipe=text)
