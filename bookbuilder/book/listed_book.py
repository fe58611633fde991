"""An open book of another format: Polyglot, Arena, BOOK.DAT, OBK, or a listing as CSV, JSON or Parquet.

It has the methods of `Book` that such a file can answer. The file is read whole, and its moves are looked up
by position. A move has the weight that the file stores, and counts only if the file stores counts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bookbuilder.book.book import Book
from bookbuilder.book.book_moves import PickPolicy
from bookbuilder.book.formats.moves import MoveBook
from bookbuilder.book.play import Choice, ListedMoves, draw
from bookbuilder.book.reader import EntryReader
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_position
from bookbuilder.ratios import result_figures
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    from bookbuilder._core import Position
    from bookbuilder.tally.move_table import MoveTable

__all__ = ["ListedBook"]

_COUNTS: Final = ("games", "wins", "draws", "losses")
_RESULTS: Final = {
    **dict.fromkeys(("first_wins", "draws", "second_wins", "wins", "losses"), "int64"),
    **dict.fromkeys(("p", "p_low", "p_high", "score"), "float64"),
}
_MOVE: Final = {"move": "str", "san": "str", "code": "uint16", "weight": "int64", "share": "float64"}
_VERDICT: Final = {"kept": "bool", "reason": "str"}
_LABELS: Final = {"games": "numbers of games", "wins": "results", "quality": "qualities"}


class ListedBook(EntryReader):
    """A book of moves that was read from a file of another format.

    Attributes:
        path: the file.
        format: the name of its format, such as `polyglot`.
        table: its moves.
    """

    def __init__(self, path: Path, name: str, table: MoveBook) -> None:
        """Wrap moves that were read; `open_book` opens a file."""
        self.path = path
        self.format = name
        self.table = table
        self._moves = ListedMoves(table)

    def __len__(self) -> int:
        """Return the number of moves."""
        return len(self.table)

    def __repr__(self) -> str:
        """Return one line for people."""
        return f"<ListedBook: {self.format}, {self.game}, {len(self):,} moves, {self.path}>"

    @property
    def game(self) -> Game:
        """The game."""
        return self.table.game

    @property
    def fold(self) -> bool:
        """Whether left-right mirrors are one position."""
        return self.table.fold

    @property
    def lacks(self) -> tuple[str, ...]:
        """What the file does not store of a book, in words."""
        missing = [label for name, label in _LABELS.items() if not self.table.has(name)]
        return (*missing, "a recipe")

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position with their weights, the heaviest first; weight 0 is skipped."""
        return self._moves.choices(position)

    def weighted_moves(self, position: Position) -> Sequence[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first."""
        return [(code, weight) for code, _, weight in self._moves.rows_at(position)]

    def pick(
        self, position: PositionLike, how: PickPolicy = "weighted", *, seed: int | None = None
    ) -> str | None:
        """Return a move at a position, UCI or ICCS; None if there is none.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.
            how: `best` = the heaviest move; `weighted` = at random by weight; `uniform` = every move equally.
            seed: of the random numbers; the same seed gives the same move. None = a new seed each time.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        here = as_position(position, self.game)
        code = draw(self.choices(here), how, random.Random(seed).random())
        return None if code is None else here.coordinates(code)

    def moves(self, position: PositionLike = START_WORD) -> MoveTable:
        """Return the moves at a position, the heaviest first.

        Args:
            position: a FEN, `startpos`, a `Position` or (chess) a `chess.Board`.

        Returns:
            One row for each move: move (UCI or ICCS), san, code, weight, share (of the weights), kept (true),
            reason (empty). If the file stores them: played or reached, first_wins, draws, second_wins, wins,
            losses, p, p_low, p_high, score; quality.

        Raises:
            FenError: the position is not a position of the book's game.
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        has_games, has_results, has_quality = (self.table.has(name) for name in _LABELS)
        kinds: dict[str, str] = dict(_MOVE)
        kinds |= {self.table.basis: "int64"} if has_games else {}
        kinds |= _RESULTS if has_results else {}
        kinds |= {"quality": "uint8"} if has_quality else {}
        kinds |= _VERDICT
        moves = MoveTable.of_rows(self.move_rows(here), kinds)
        moves.attrs = {"game": self.game, "fen": here.fen}
        return moves

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame."""
        here = as_position(position, self.game)
        found = self._moves.rows_at(here)
        total = sum(weight for _, _, weight in found)
        return [
            {
                "move": here.coordinates(code),
                "san": here.san(code),
                "code": code,
                "weight": weight,
                "share": weight / total if total else float("nan"),
                **self._counts(row, first_moves=here.side == 0),
                "kept": True,
                "reason": "",
            }
            for code, row, weight in found
        ]

    def _counts(self, row: int, *, first_moves: bool) -> dict[str, Any]:
        """Return the counts of a row that the file stores."""
        known = {name: self.table.table.column(name)[row].as_py() for name in (*_COUNTS, "quality")}
        counts: dict[str, Any] = {}
        if known["games"] is not None:
            counts[self.table.basis] = known["games"]
        if known["wins"] is not None:
            wins, losses = known["wins"], known["losses"]
            first, second = (wins, losses) if first_moves else (losses, wins)
            counts |= result_figures(first, known["draws"] or 0, second, first_moves=first_moves)
        if known["quality"] is not None:
            counts["quality"] = known["quality"]
        return counts

    @contextmanager
    def as_clustered(self) -> Iterator[Book]:
        """Yield a temporary clustered book of the positions that the moves lead to.

        Usage is the number of games, or else the weight. Moves that the start position does not lead to are
        missing.

        Raises:
            FormatError: the start position leads to none of the moves.
        """
        from bookbuilder.book.formats.registry import write_moves

        with TemporaryFolder() as folder:
            target = folder / f"{self.path.name}.book"
            write_moves(target, self.table, "book")
            yield Book.open(target)
