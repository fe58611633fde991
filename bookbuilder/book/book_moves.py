"""The moves of a clustered book at a position: the records to which its legal moves lead."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from bookbuilder import _core
from bookbuilder.book.reader import EntryReader
from bookbuilder.games.position import START_WORD, PositionLike, as_position
from bookbuilder.ratios import result_figures
from bookbuilder.tally.moves_at import codes_by_stored

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position, Record
    from bookbuilder.tally.move_table import MoveTable

__all__ = ["BookMoves", "PickPolicy"]

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


class BookMoves(EntryReader):
    """A book that answers which moves lead to its records. The base of `Book`.

    Attributes:
        native: the book of the core.
    """

    native: _core.Book

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
            only the usual one is listed.

        Raises:
            FenError: the position is not a position of the book's game.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.lines("1.e4 e5", max_ply=2)["san"].tolist()
            ['Nf3', 'Nc6', 'Nf6']
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

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.pick("startpos", "best")
            'e2e4'
            >>> book.pick("startpos", "weighted", seed=1) in ("e2e4", "g1f3", "d2d4")
            True
        """
        rows = self.move_rows(position)
        if not rows:
            return None
        if how == "best":
            here = as_position(position, self.game)
            return here.coordinates(self.weighted_moves(here)[0][0])
        weights = [_weight(row) for row in rows] if how == "weighted" else None
        return str(random.Random(seed).choices([row["move"] for row in rows], weights)[0])

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

    def moves(self, position: PositionLike) -> MoveTable:
        """Return the book moves at a position, the most used first.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

        Returns:
            One row for each legal move that leads to a record, of two mirrored moves the usual one. move (UCI
            or ICCS), san, code; reached; first_wins, draws, second_wins (by side); wins, losses (of the side
            to move); p, p_low, p_high, score (NaN = undefined); quality; kept (true) and reason (empty), as
            in a selection. In a book without columns counts and ratios are missing.

        Raises:
            FenError: the position is not a position of the book's game.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> moves = book.moves("startpos")
            >>> moves["san"].tolist(), moves["reached"].tolist()
            (['e4', 'Nf3', 'd4'], [4, 1, 1])
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        kinds = {
            name: kind
            for name, kind in _KINDS.items()
            if self.native.has_columns or name not in _RESULT_KINDS
        }
        moves = MoveTable.of_rows(self.move_rows(here), kinds)
        moves.attrs = {"game": self.game, "fen": here.fen}
        return moves

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> [(row["san"], row["score"]) for row in book.move_rows("startpos")]
            [('e4', 0.625), ('Nf3', 1.0), ('d4', 0.5)]
        """
        here = as_position(position, self.game)
        codes = codes_by_stored(here, fold=self.native.fold).values()
        found = [(code, self.native.probe_position(here.play(code))) for code in codes]
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
        """Return code and weight of each move at a position, the heaviest first; see `pick`.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> start = bb.as_position("startpos", "chess")
            >>> [(start.san(code), weight) for code, weight in book.weighted_moves(start)]
            [('e4', 128), ('Nf3', 8), ('d4', 1)]
        """
        rows = sorted(self.move_rows(position), key=lambda row: (-_weight(row), -row["reached"], row["code"]))
        return [(row["code"], _weight(row)) for row in rows]


def _weight(row: dict[str, Any]) -> int:
    """Return the weight of a row of `move_rows`, as `Word::weight` in the core."""
    return int(row["reached"]) * (int(row["quality"]) + 1)


def _results(record: Record, *, first_moves: bool) -> dict[str, Any]:
    """Return the columns of `Book.moves` that need results; empty in a book without columns."""
    if record.wins is None or record.draws is None or record.losses is None:
        return {}
    return result_figures(record.wins, record.draws, record.losses, first_moves=first_moves)
