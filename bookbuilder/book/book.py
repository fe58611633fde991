"""The clustered book: write a selection to a `.book` file, open the file, look positions up.

The core writes, maps, probes and verifies the file; `core/src/book/layout.rs` documents its bytes. A record
describes a position. The book moves at a position are the legal moves that lead to a record, so
transpositions need no extra records.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from bookbuilder import _core
from bookbuilder.archives.kinds import describe_mistake
from bookbuilder.book.book_moves import BookMoves
from bookbuilder.book.recipe import parse_recipe, selection_recipe
from bookbuilder.book.records import selection_records, write_records
from bookbuilder.errors import BookError, SelectionError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    from bookbuilder.selection.select import Selection

__all__ = ["Book", "stored_records"]


class Book(BookMoves):
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

        The same selection gives the same file, byte for byte. An existing file is replaced.

        Args:
            path: the file.
            selection: of shape `positions`.
            columns: store locks and results too: 16 more bytes a record.

        Raises:
            SelectionError: the selection is of moves.
            OSError: the file cannot be written.

        Example:
            >>> chosen = bb.select(bb.Tally.from_archives("games.pgn"), min_games=1)
            >>> bb.Book.write("all.book", chosen)
            <Book: chess, 21 records, all.book>
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
        """Facts: game, records, clusters_used, bytes, fold, columns, format_version, key_scheme, recipe.

        Example:
            >>> info = bb.Book.open("games.book").info
            >>> info["records"], info["columns"]
            (21, True)
        """
        return {**self.native.info, "recipe": self.recipe}

    def cluster_sizes(self) -> npt.NDArray[np.uint32]:
        """Return the number of records in each cluster.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> int(book.cluster_sizes().sum()) == len(book)
            True
        """
        from bookbuilder.schema import array_from_native

        return array_from_native(self.native.cluster_sizes())

    def cluster_histogram(self, classes: int = 12) -> list[dict[str, int]]:
        """Return a histogram of cluster sizes, in classes of equal width: from, to, clusters.

        Args:
            classes: the maximum number of classes.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> sum(row["clusters"] for row in book.cluster_histogram()) == len(book.cluster_sizes())
            True
        """
        import numpy as np

        sizes = self.cluster_sizes()
        width = int(sizes.max(initial=0)) // classes + 1
        counts = np.bincount(sizes // width)
        return [
            {"from": place * width, "to": (place + 1) * width - 1, "clusters": int(count)}
            for place, count in enumerate(counts)
        ]

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
        Lock and results are read from the mapped file itself, without a copy.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.to_arrow().column_names[:3]
            ['key', 'lock', 'usage']
        """
        from bookbuilder.schema import from_native

        return from_native(self.native.records())

    def to_pandas(self) -> pd.DataFrame:
        """Return all records as a frame with the columns of `to_arrow`; copies keys and flags only.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> records = book.to_pandas()
            >>> len(records), int(records["usage"].max())
            (21, 4)
        """
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
