"""What a tally answers about positions: moves with their figures, and the tree of lines as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt
import pyarrow as pa

from bookbuilder.games.position import START_WORD, Game, PositionLike, as_position
from bookbuilder.tally.moves_at import KINDS, played_rows
from bookbuilder.tally.options import TallyOptions

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position
    from bookbuilder.tally.memory_rows import RowSource
    from bookbuilder.tally.move_table import MoveTable
    from bookbuilder.tally.rows import TallyRow


class PositionTable:
    """Rows of a tally that can be asked for positions and moves; the base of `Tally`.

    Attributes:
        options: what was counted.
    """

    options: TallyOptions
    _source: RowSource

    @property
    def game(self) -> Game:
        """The game.

        Example:
            >>> bb.Tally.from_archives("games.pgn").game
            'chess'
        """
        return self.options.game

    @property
    def source(self) -> RowSource:
        """Where the rows and games come from: tables in memory, or an open store.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> len(tally.source) == len(tally)
            True
        """
        return self._source

    def to_arrow(self) -> pa.Table:
        """Return the rows, schema TALLY, sorted by (key, lock, move); repeated calls copy nothing.

        Example:
            >>> bb.Tally.from_archives("games.pgn").to_arrow().column_names[:3]
            ['key', 'lock', 'move']
        """
        return self._source.table

    @property
    def games(self) -> pa.Table:
        """The games, schema GAMES, one row per game used.

        Example:
            >>> bb.Tally.from_archives("games.pgn").games.column("plies").to_pylist()
            [6, 4, 6, 4, 4, 4]
        """
        return self._source.games

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a frame: the columns of TALLY, with numpy types of the same width.

        Example:
            >>> frame = bb.Tally.from_archives("games.pgn").to_pandas()
            >>> int(frame.groupby(["key", "lock"])["games"].sum().max())
            6
        """
        return self.to_arrow().to_pandas()

    def tree(
        self,
        position: PositionLike = START_WORD,
        *,
        max_ply: int | None = 12,
        min_games: int = 2,
        notation: str | None = None,
    ) -> pd.DataFrame:
        """Return the moves from a position on as a frame to explore: lines, names, positions, signed counts.

        Args:
            position: where the lines begin, as of `moves`.
            max_ply: maximum plies of a line; None = no limit.
            min_games: minimum number of games that played a move.
            notation: of `san` and `line`: `san`, `uci`; in xiangqi `iccs`, `wxf`, `chinese`, `uci`.

        Returns:
            One row per move, by ply, then by the line to it. ply (from 1), parent (row of the move before, -1
            = none), side (who made it, categorical), line, move (UCI or ICCS), san, fen (after the move), eco
            and opening (the last named position of the line; missing = none), share (of the games that moved
            on from the position), reached, and the figures of `moves`; years are nullable. is_again: another
            row leads to the same position, and the lines go on there.

        Raises:
            FenError: the position is not one of the tally's game.
            OptionError: the notation is unknown, or `max_ply` is less than 1.

        Example:
            >>> from bookbuilder import Tally
            >>> tree = Tally.from_archives("games.pgn").tree(min_games=2)
            >>> tree["line"].tolist()
            ['1. e4', '1. e4 e5', '1. e4 e5 2. Nf3', '1. e4 e5 2. Nf3 Nc6']
            >>> tree.loc[1, "opening"], int(tree.loc[1, "wins"] - tree.loc[1, "losses"])
            ('Open Game', 0)
        """
        from bookbuilder.tally.tree import tally_tree

        limits = {"fold": self.options.fold, "max_ply": max_ply, "min_games": min_games, "notation": notation}
        return tally_tree(self._source, as_position(position, self.game), **limits)  # type: ignore[arg-type]

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column of TALLY as an array; of a store only this column is read.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> tally.column("games").size == len(tally)
            True
        """
        return self._source.column(name)

    def reached(self, position: PositionLike) -> int:
        """Return the number of games that reached the position, by any order of moves.

        Example:
            >>> bb.Tally.from_archives("games.pgn").reached("1.Nf3 e5 2.e4")
            3
        """
        return self._counts_at([as_position(position, self.game)])[0][0]

    def moves(self, position: PositionLike, *, basis: Literal["reached", "played"] = "played") -> MoveTable:
        """Return the moves played from a position, most played first; notebooks show them with bars.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
            basis: where results are counted: `played`, in the games that played this move here; `reached`, in
                all games that reached the position after it.

        Returns:
            One row per move. move (UCI or ICCS), san; played, reached; first_wins, draws, second_wins
            (by side); wins, losses (of the side to move); p, p_low, p_high, score (NaN = undefined); rating
            (mean of the movers' known ratings, NaN = unknown), year_min, year_max (0 = unknown), marks; of
            the games that played the move here and have a result and both ratings: paired (their number),
            performance (score of the side to move in them, corrected for the ratings; NaN = unknown). code:
            the move as TALLY has it.

        Raises:
            FenError: the position is not one of the tally's game.
            StoreError: a row's move is not legal there, so the tally is damaged.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> moves = tally.moves("startpos")
            >>> moves["san"].tolist(), moves["played"].tolist(), moves["score"].tolist()
            (['e4', 'Nf3', 'd4'], [4, 1, 1], [0.625, 1.0, 0.5])
        """
        from bookbuilder.tally.move_table import MoveTable

        here = as_position(position, self.game)
        moves = MoveTable.of_rows(self.move_rows(here, basis=basis), KINDS)
        moves.attrs = {"game": self.game, "fen": here.fen, "played": int(moves["played"].sum())}
        return moves

    def move_rows(
        self, position: PositionLike, *, basis: Literal["reached", "played"] = "played"
    ) -> list[dict[str, Any]]:
        """Return the rows of `moves` as plain numbers, which is faster than a frame.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> [(row["san"], row["wins"], row["losses"]) for row in tally.move_rows("1.e4")]
            [('e5', 1, 1), ('c5', 0, 1), ('e6', 0, 0)]
        """
        here = as_position(position, self.game)
        rows = self.rows_at(here)
        return played_rows(here, rows, self._counts_at, fold=self.options.fold, basis=basis)

    def rows_at(self, position: PositionLike) -> list[TallyRow]:
        """Return the rows of a position, by move.

        Example:
            >>> tally = bb.Tally.from_archives("games.pgn")
            >>> len(tally.rows_at("startpos"))
            3
        """
        return self._source.rows_at(*as_position(position, self.game).stored(self.options.fold))

    def _counts_at(self, positions: Sequence[Position]) -> list[list[int]]:
        """Return games, first_wins, draws and second_wins of positions."""
        return self._source.counts_at([position.stored(self.options.fold) for position in positions])
