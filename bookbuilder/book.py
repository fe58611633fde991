"""The clustered book: a selection in, a `.book` file out; a position in, its record or its book moves out.

The file is written, mapped, probed and verified by the core, which draws its layout byte for byte
(`core/src/book/layout.rs`). A record is about a position: the moves of a book at a position are the legal
moves that lead to a record, so transpositions come for free.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bookbuilder.errors import BookError, SelectionError
from bookbuilder.games import Game, PositionLike, as_game, as_position
from bookbuilder.schema import from_native

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from bookbuilder import _core
    from bookbuilder.selection import Selection

__all__ = ["Book", "Record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a book knows of one position; results are the first side's, mirrored positions are folded.

    Attributes:
        key: 64-bit key under which the position is stored.
        lock: second, independent key; None in a book without columns.
        usage: games that reached the position, at most 16,777,215.
        seen_first_win: whether the first side won a counted game through it.
        seen_draw: whether one was drawn.
        seen_second_win: whether the second side won one.
        quality: 0 … 31.
        wins: games that the first side won; None in a book without columns.
        draws: games drawn; None in a book without columns.
        losses: games that the first side lost; None in a book without columns.
    """

    key: int
    lock: int | None
    usage: int
    seen_first_win: bool
    seen_draw: bool
    seen_second_win: bool
    quality: int
    wins: int | None
    draws: int | None
    losses: int | None


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
        _core.write_book(
            os.fspath(path),
            _records(selection),
            game=selection.game,
            fold=selection.fold,
            columns=columns,
            recipe=json.dumps(recipe, allow_nan=False),
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
        return self._probe(as_position(position, self.game))

    def moves(self, position: PositionLike) -> pd.DataFrame:
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
        import pandas as pd

        here = as_position(position, self.game)
        found = [(code, self._probe(here.play(code))) for code in here.moves()]
        records = [(code, record) for code, record in found if record is not None]
        records.sort(key=lambda row: (-row[1].usage, row[0]))
        codes = [code for code, _ in records]
        frame = pd.DataFrame(
            {
                "move": pd.Series([here.coordinates(code) for code in codes], dtype="str"),
                "san": pd.Series([here.san(code) for code in codes], dtype="str"),
                "code": pd.Series(codes, dtype="uint16"),
                "reached": pd.Series([record.usage for _, record in records], dtype="uint64"),
            }
        )
        if self.has_columns:
            frame = frame.assign(**_results([record for _, record in records], first_moves=here.side == 0))
        return frame.assign(
            quality=pd.Series([record.quality for _, record in records], dtype="uint8"), kept=True, reason=""
        )

    def to_arrow(self) -> pa.Table:
        """Return all records, sorted by (key, lock).

        key uint64, lock uint32, usage uint32, seen_first_win, seen_draw, seen_second_win bool, quality uint8,
        wins, draws, losses uint32 (the first side's). A book without columns lacks lock, wins, draws, losses.
        Lock and results are read from the mapped file itself, without a copy.
        """
        return from_native(self.native.records())

    def to_pandas(self) -> pd.DataFrame:
        """Return all records as a frame with the columns of `to_arrow`; copies keys and flags only."""
        return self.to_arrow().to_pandas(split_blocks=True)

    def _probe(self, position: _core.Position) -> Record | None:
        found = self.native.probe(*position.stored(self.fold))
        return None if found is None else Record(**found)


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


def _results(records: list[Record], *, first_moves: bool) -> dict[str, Any]:
    """Return the columns of `Book.moves` that need results."""
    import numpy as np

    from bookbuilder.ratios import result_columns

    first, draws, second = (
        np.array([getattr(record, name) for record in records], dtype=np.uint64)
        for name in ("wins", "draws", "losses")
    )
    return result_columns(first, draws, second, first_moves=first_moves)
