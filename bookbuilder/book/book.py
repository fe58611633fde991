"""The clustered book: a selection in, a `.book` file out; a position in, its record or its book moves out.

The file is written, mapped, probed and verified by the core, which draws its layout byte for byte
(`core/src/book/layout.rs`). A record is about a position: the moves of a book at a position are the legal
moves that lead to a record, so transpositions come for free.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from bookbuilder.disk import remove_drafts
from bookbuilder.errors import BookError, SelectionError
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_game, as_position
from bookbuilder.ratios import result_figures

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa

    from bookbuilder import _core
    from bookbuilder._core import Record
    from bookbuilder.selection.select import Selection
    from bookbuilder.tally.move_table import MoveTable

__all__ = ["Book", "dump_recipe", "stored_records", "write_records"]

# The figures of a move, and the type that each has as a column; those of results come of a book with columns.
_RESULT_KINDS: Final = {
    **dict.fromkeys(("first_wins", "draws", "second_wins", "wins", "losses"), "uint64"),
    **dict.fromkeys(("p", "p_low", "p_high", "score"), "float64"),
}
_KINDS: Final[Mapping[str, str]] = {
    "move": "str",
    "san": "str",
    "code": "uint16",
    "reached": "uint64",
    **_RESULT_KINDS,
    "quality": "uint8",
    "kept": "bool",
    "reason": "str",
}


class Book:
    """An open clustered book. The file is mapped, so opening takes no time, whatever the size.

    Replacing the file by another book does not disturb one that is open.

    Attributes:
        path: the file.
        native: the book as the engine takes it.
    """

    def __init__(self, native: _core.Book, path: Path) -> None:
        """Take a book that the core has opened; `Book.open` opens one by its path."""
        self.path = path
        self.native = native

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, game: Game | None = None) -> Self:
        """Return the book in a file.

        Args:
            path: the file.
            game: the game that it must be of; None = either.

        Raises:
            BookError: it is no clustered book, damaged, truncated, of a newer format or of another game.
            OSError: it is missing or cannot be read.
        """
        from bookbuilder import _core

        return cls(_core.Book.open(os.fspath(path), game), Path(path))

    @classmethod
    def write(cls, path: str | os.PathLike[str], selection: Selection, *, columns: bool = True) -> Self:
        """Write the kept rows of a selection as a book, whole or not at all, and return it, opened.

        The same selection gives the same file, byte for byte. An existing file is replaced.

        Args:
            path: the file.
            selection: of shape `positions`.
            columns: store locks and results too: 16 more bytes a record.

        Raises:
            SelectionError: the selection is of moves.
            OSError: the file cannot be written.
        """
        from bookbuilder import _core

        if selection.shape != "positions":
            raise SelectionError(f"a clustered book stores positions: expected them, found {selection.shape}")
        recipe = {
            "program": f"bookbuilder {_core.CORE_VERSION}",
            "game": selection.game,
            "columns": columns,
            **selection.recipe,
        }
        records = _records(selection)
        write_records(path, records, game=selection.game, fold=selection.fold, columns=columns, recipe=recipe)
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
        return as_game(self.native.game)

    @property
    def fold(self) -> bool:
        """Whether a position and its left-right mirror are one."""
        return self.native.fold

    @property
    def has_columns(self) -> bool:
        """Whether it stores locks and results."""
        return self.native.has_columns

    @property
    def recipe(self) -> dict[str, Any]:
        """How the book was made: program, sources, options.

        Raises:
            BookError: it is no JSON object.
        """
        text = self.native.recipe
        try:
            recipe = json.loads(text)
        except ValueError as error:
            raise BookError(f"{self.path}: the recipe is not JSON: {error}") from error
        if not isinstance(recipe, dict):
            raise BookError(f"{self.path}: the recipe is no JSON object but {type(recipe).__name__}")
        return recipe

    @property
    def info(self) -> dict[str, Any]:
        """Facts: game, records, clusters_used, bytes, fold, columns, format_version, key_scheme, recipe."""
        return {**self.native.info, "recipe": self.recipe}

    def cluster_sizes(self) -> npt.NDArray[np.uint32]:
        """Return how many records each of the 32,768 clusters holds."""
        from bookbuilder.schema import array_from_native

        return array_from_native(self.native.cluster_sizes())

    def cluster_histogram(self, classes: int = 12) -> list[dict[str, int]]:
        """Return how many clusters hold how many records, in classes of equal width: from, to, clusters.

        Args:
            classes: how many classes at most.
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
            position: where the lines begin: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            max_ply: plies after which lines are cut; None = none.

        Returns:
            One row for each book move, each line before the next one begins: ply (from 1), parent (row of the
            move before it, -1 = none), record (row of `to_arrow`), code, move (UCI or ICCS), san, is_again
            (whether a row before this one leads to the same record; the line goes on there). Of two mirrored
            moves that lead to one record the smaller code is told.

        Raises:
            FenError: it is no position of the book's game.
        """
        from bookbuilder._core import WALK_ROOT
        from bookbuilder.schema import from_native

        here = as_position(position, self.game)
        steps = from_native(self.native.walk(here.fen, max_ply=max_ply, texts=True)).to_pandas()
        return steps.assign(parent=steps["parent"].astype("int64").replace(WALK_ROOT, -1))

    def pick(
        self,
        position: PositionLike,
        how: Literal["best", "weighted", "uniform"] = "weighted",
        *,
        seed: int | None = None,
    ) -> str | None:
        """Return a book move at a position, UCI or ICCS; None if there is none.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            how: `best` = the highest quality, then the most games, then the smaller code; `weighted` = at
                random, by the games that reached the position after it; `uniform` = at random, all alike.
            seed: of the random numbers; the same seed gives the same move. None = another one each time.

        Raises:
            FenError: it is no position of the book's game.
        """
        rows = self.move_rows(position)
        if not rows:
            return None
        if how == "best":
            best = min(rows, key=lambda row: (-row["quality"], -row["reached"], row["code"]))
            return str(best["move"])
        weights = [row["reached"] for row in rows] if how == "weighted" else None
        return str(random.Random(seed).choices([row["move"] for row in rows], weights)[0])

    def verify(self) -> None:
        """Check every byte of the file.

        Raises:
            BookError: something is wrong; the message names the first such thing and its offset.
        """
        self.native.verify()

    def probe(self, position: PositionLike) -> Record | None:
        """Return what the book knows of a position, or None.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

        Raises:
            FenError: it is no position of the book's game.
        """
        return self.native.probe_position(as_position(position, self.game))

    def moves(self, position: PositionLike) -> MoveTable:
        """Return the book moves at a position, those first that more games reached.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

        Returns:
            One row for each legal move that leads to a record. move (UCI or ICCS), san, code; reached;
            first_wins, draws, second_wins (by side); wins, losses (of the side to move); p, p_low, p_high,
            score (NaN = undefined); quality; kept (true) and reason (empty), as in a selection. In a book
            without columns counts and ratios are missing.

        Raises:
            FenError: it is no position of the book's game.
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        left_out = () if self.has_columns else _RESULT_KINDS
        kinds = {name: kind for name, kind in _KINDS.items() if name not in left_out}
        moves = MoveTable.of_rows(self.move_rows(here), kinds)
        moves.attrs = {"game": self.game, "fen": here.fen}
        return moves

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` in plain numbers, which take less time than a frame."""
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
    """Return the records of a book as `write_records` takes them, so that written again they are the same.

    A book without columns knows of results only whether there were any: they are counted as 1 each. Its locks
    are 0.
    """
    import numpy as np
    import pyarrow as pa

    table = book.to_arrow()
    names = ("wins", "draws", "losses")
    seen = ("seen_first_win", "seen_draw", "seen_second_win")
    results = [
        table.column(name if book.has_columns else flag).to_numpy().astype(np.uint64)
        for name, flag in zip(names, seen, strict=True)
    ]
    # A usage that has reached its largest value may be below the results, which go further.
    usage = np.maximum(table.column("usage").to_numpy().astype(np.uint64), sum(results))
    lock = table.column("lock") if book.has_columns else pa.array(np.zeros(len(book), np.uint32))
    columns: dict[str, Any] = {
        "key": table.column("key"),
        "lock": lock,
        "usage": pa.array(usage),
        **{name: pa.array(column) for name, column in zip(names, results, strict=True)},
        "quality": table.column("quality"),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def dump_recipe(recipe: Mapping[str, Any]) -> str:
    """Return a recipe as the text that a book stores."""
    return json.dumps(recipe, allow_nan=False)


def write_records(
    path: str | os.PathLike[str],
    records: pa.Table,
    *,
    game: Game,
    fold: bool,
    columns: bool,
    recipe: Mapping[str, Any] | str,
) -> None:
    """Write records as a book, whole or not at all. An existing file is replaced.

    Args:
        path: the file.
        records: key uint64, lock uint32, usage, wins, draws, losses uint64 (the first side's), quality uint8;
            sorted by (key, lock), each once.
        game: the game.
        fold: whether mirrored positions are one.
        columns: whether to store locks and results.
        recipe: how the book was made, or the text that says so.

    Raises:
        BookError: the records are not in order.
        OSError: the file cannot be written.
    """
    from bookbuilder import _core

    remove_drafts(Path(path).absolute().parent, Path(path).name)
    text = recipe if isinstance(recipe, str) else dump_recipe(recipe)
    _core.write_book(os.fspath(path), records, game=game, fold=fold, columns=columns, recipe=text)


def _records(selection: Selection) -> pa.Table:
    """Return the kept rows as the writer takes them, results turned to the first side's view."""
    import numpy as np
    import pyarrow as pa

    kept = selection.kept()
    first_moved = kept.column("side").to_numpy() == 0
    wins, losses = kept.column("wins").to_numpy(), kept.column("losses").to_numpy()
    columns: dict[str, Any] = {
        "key": kept.column("key"),
        "lock": kept.column("lock"),
        "usage": kept.column("reached"),
        "wins": pa.array(np.where(first_moved, wins, losses)),
        "draws": kept.column("draws"),
        "losses": pa.array(np.where(first_moved, losses, wins)),
        "quality": kept.column("quality"),
    }
    return pa.Table.from_arrays(list(columns.values()), names=list(columns))


def _results(record: Record, *, first_moves: bool) -> dict[str, Any]:
    """Return the figures of `Book.moves` that need results; none of a book without columns."""
    if record.wins is None or record.draws is None or record.losses is None:
        return {}
    return result_figures(record.wins, record.draws, record.losses, first_moves=first_moves)
