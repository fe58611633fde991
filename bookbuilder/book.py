"""The clustered book: a selection in, a file out; a file in, probes, moves and columns out.

The file's layout is the core's; this room chooses what goes in and names what comes out. A book stores
positions that a move reached, so the moves at a position are found by probing every legal successor:
transpositions come for free.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bookbuilder.errors import BookError, OutputExistsError, SelectionError
from bookbuilder.games import Game, PositionLike, as_game, as_position
from bookbuilder.ratios import score, wilson_bounds, win_ratio
from bookbuilder.selection import Selection

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder import _core

__all__ = ["Book", "Record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a book knows of one position.

    Attributes:
        key: key under which the position is stored.
        usage: games that reached it, at most 16,777,215.
        quality: 0 … 31.
        seen_first_win: whether the first side won a game through it.
        seen_draw: whether a game through it was drawn.
        seen_second_win: whether the second side won a game through it.
        lock: second key; None in a book without columns.
        first_wins: games that the first side won; None in a book without columns.
        draws: games drawn; None in a book without columns.
        second_wins: games that the second side won; None in a book without columns.
    """

    key: int
    usage: int
    quality: int
    seen_first_win: bool
    seen_draw: bool
    seen_second_win: bool
    lock: int | None = None
    first_wins: int | None = None
    draws: int | None = None
    second_wins: int | None = None


class Book:
    """A clustered book, memory-mapped; it opens at once, whatever its size."""

    def __init__(self, native: _core.Book, path: Path) -> None:
        """Take a book that the core has opened; `Book.open` does both."""
        self._native = native
        self.path = path

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, game: Game | None = None) -> Self:
        """Return the book in a file.

        Args:
            path: the file.
            game: the game that it must be of; None = either.

        Raises:
            BookError: it is missing, damaged, truncated, foreign, newer, or of another game.
        """
        from bookbuilder import _core

        try:
            return cls(_core.Book.open(os.fspath(path), game), Path(path))
        except OSError as error:
            raise BookError(f"{path}: cannot be read: {error.strerror or error}") from error

    @classmethod
    def write(
        cls,
        path: str | os.PathLike[str],
        selection: Selection,
        *,
        columns: bool = True,
        force: bool = False,
    ) -> Self:
        """Write the kept positions of a selection as a book, whole or not at all, and return it opened.

        The same selection gives the same bytes. The book's recipe says how the selection was made.

        Args:
            path: the file.
            selection: positions with verdicts.
            columns: store locks and full counts beside the 12-byte records.
            force: replace a file that is there.

        Raises:
            OutputExistsError: the file exists and `force` is not given.
            SelectionError: the selection is of moves.
            BookError: the file cannot be written.
        """
        from bookbuilder import _core

        if selection.shape != "positions":
            raise SelectionError(f"a clustered book stores positions, found a selection of {selection.shape}")
        if not force and Path(path).exists():
            raise OutputExistsError(f"{path}: is there already; replacing it needs force")
        recipe = {"program": f"bookbuilder {_core.CORE_VERSION}", **selection.recipe}
        try:
            _core.write_book(
                os.fspath(path),
                _records(selection.kept()),
                game=selection.game,
                fold=selection.fold,
                columns=columns,
                recipe=json.dumps({**recipe, "columns": columns}, ensure_ascii=False),
            )
        except OSError as error:
            raise BookError(f"{path}: cannot be written: {error.strerror or error}") from error
        return cls.open(path)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self._native)

    def __repr__(self) -> str:
        """Return one line for people."""
        return f"<Book: {self.game}, {len(self):,} records, {self.path}>"

    @property
    def native(self) -> _core.Book:
        """The core's book, as the engine takes it."""
        return self._native

    @property
    def game(self) -> Game:
        """The game."""
        return as_game(self._native.game)

    @property
    def fold(self) -> bool:
        """Whether left-right mirrors are one position."""
        return self._native.fold

    @property
    def recipe(self) -> Mapping[str, Any]:
        """How the book was made: program, sources with digests, options of tally and selection."""
        recipe: Mapping[str, Any] = json.loads(self._native.recipe)
        return recipe

    @property
    def info(self) -> dict[str, Any]:
        """Facts of the file: game, records, clusters_used, bytes, fold, columns, recipe and more."""
        return {**self._native.info, "recipe": self.recipe}

    def verify(self) -> None:
        """Check checksum, order and index of the whole file.

        Raises:
            BookError: something is wrong; the message names the first thing found.
        """
        self._native.verify()

    def probe(self, position: PositionLike) -> Record | None:
        """Return what the book knows of a position, or None.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

        Raises:
            FenError: the position is not one of the book's game.
        """
        found = self._native.probe(*as_position(position, self.game).stored(self.fold))
        if found is None:
            return None
        counts = {"first_wins": found.pop("wins"), "second_wins": found.pop("losses")}
        return Record(**found, **counts)

    def moves(self, position: PositionLike) -> pd.DataFrame:
        """Return the book's moves at a position: the legal moves that lead to one of its records.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

        Returns:
            One row per move, most used first. move (UCI or ICCS), san, code, reached, quality; in a book with
            columns also first_wins, draws, second_wins, p, p_low, p_high, score (of the side to move, NaN =
            undefined).

        Raises:
            FenError: the position is not one of the book's game.
        """
        import pandas as pd

        here = as_position(position, self.game)
        known = [(code, self.probe(here.play(code))) for code in here.moves()]
        found = [(code, record) for code, record in known if record is not None]
        frame = pd.DataFrame(
            {
                "move": pd.Series([here.coordinates(code) for code, _ in found], dtype="str"),
                "san": pd.Series([here.san(code) for code, _ in found], dtype="str"),
                "code": np.array([code for code, _ in found], dtype=np.uint16),
                "reached": np.array([record.usage for _, record in found], dtype=np.uint64),
                "quality": np.array([record.quality for _, record in found], dtype=np.uint8),
                **(_results([record for _, record in found], here.side) if self._native.has_columns else {}),
            }
        )
        return frame.sort_values(
            ["reached", "quality", "code"], ascending=[False, False, True], ignore_index=True
        )

    def to_arrow(self) -> pa.Table:
        """Return all records in the order of their keys; wins and losses are the first side's.

        Lock and counts share the file's pages; they are left out in a book without columns.
        """
        return pa.table(self._native.records())

    def to_pandas(self) -> pd.DataFrame:
        """Return all records as a frame; columns as in `to_arrow`."""
        return self.to_arrow().to_pandas(split_blocks=True)

    def cluster_sizes(self) -> npt.NDArray[np.uint32]:
        """Return how many records each of the 32,768 clusters has."""
        return pa.array(self._native.cluster_sizes(), pa.uint32()).to_numpy()


def _records(kept: pa.Table) -> pa.Table:
    """Return the columns that the core writes; counts turn from the mover's view to the first side's."""
    is_first = kept.column("side").to_numpy() == 0
    wins, losses = (kept.column(name).to_numpy() for name in ("wins", "losses"))
    return (
        kept.select(["key", "lock", "reached", "draws", "quality"])
        .rename_columns({"reached": "usage"})
        .append_column("wins", pa.array(np.where(is_first, wins, losses)))
        .append_column("losses", pa.array(np.where(is_first, losses, wins)))
    )


def _results(records: list[Record], side: int) -> dict[str, Any]:
    first, draws, second = (
        np.array([getattr(record, name) for record in records], dtype=np.uint64)
        for name in ("first_wins", "draws", "second_wins")
    )
    wins, losses = (first, second) if side == 0 else (second, first)
    low, high = wilson_bounds(wins, losses)
    return {
        "first_wins": first,
        "draws": draws,
        "second_wins": second,
        "p": win_ratio(wins, losses),
        "p_low": low,
        "p_high": high,
        "score": score(wins, draws, losses),
    }
