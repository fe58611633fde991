"""Play from a book of any format, or from a tally: the moves at a position with their weights.

| source | moves | weight |
|---|---|---|
| clustered book | legal moves to a record that was used | usage · (quality + 1)³, as in the bundled engine |
| other formats | legal moves with a weight above 0 | as stored |
| tally | moves of its games | games |

The best move is the heaviest. Of equal ones it is the most used and then the smaller code in a clustered book
or tally, and the first of the file in other formats.

Books are also read like `chess.polyglot.MemoryMappedReader`, with boards and moves of python-chess. A program
that reads Polyglot books with python-chess can read books of chess by changing the call that opens them.
"""

from __future__ import annotations

import random as randomness
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    get_args,
)

from bookbuilder.errors import OptionError, StoreError
from bookbuilder.games.position import START_WORD, Game, PositionLike, as_position
from bookbuilder.tally.moves_at import codes_by_stored

if TYPE_CHECKING:
    import chess
    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    from chess.polyglot import Entry

    from bookbuilder._core import Position
    from bookbuilder.tally.memory_rows import RowSource
    from bookbuilder.tally.move_table import MoveTable

_Number = TypeVar("_Number", int, "npt.NDArray[np.float64]")
PickPolicy: TypeAlias = Literal["best", "weighted", "uniform"]
"""How `pick` chooses a move."""

RESULT_KINDS: Final = {
    **dict.fromkeys(("first_wins", "draws", "second_wins", "wins", "losses"), "int64"),
    **dict.fromkeys(("p", "p_low", "p_high", "score"), "float64"),
}
"""Types of the columns of `moves` that only books with results have."""
_COLUMN_KINDS: Final = {
    "move": "str",
    "san": "str",
    "weight": "int64",
    "share": "float64",
    "played": "int64",
    "reached": "int64",
    **RESULT_KINDS,
    "engine": "Int32",
    "quality": "uint8",
    "kept": "bool",
    "reason": "str",
    "code": "uint16",
}
_OF_EVERY_BOOK: Final = ("move", "san", "kept", "reason", "code")


def record_weight(usage: _Number, quality: _Number) -> _Number:
    """Return the weight by which a clustered book draws a record, as `Word::weight` in the core.

    With the third power, weights distinguish moves that are up to 30,000 times as rare as others.
    """
    return usage * (quality + 1) ** 3


class Choice(NamedTuple):
    """A move that a source offers."""

    code: int  # of the move, legal at the position
    weight: int  # above 0


class MoveSource(Protocol):
    """A book or a tally to play from."""

    @property
    def game(self) -> Game:
        """The game."""

    def choices(self, position: Position) -> Sequence[Choice]:
        """Return the moves at a position, the best first."""


class EntryFilters(TypedDict, total=False):
    """The arguments with which `MemoryMappedReader` chooses entries."""

    minimum_weight: int
    exclude_moves: Container[chess.Move]
    random: randomness.Random | None


class BookMoves:
    """The moves of a book at a position: rows, which become a pandas frame when one is asked for.

    Most callers need a few figures of a few moves. A frame costs a hundred times as much as the look-up.

    Attributes:
        rows: one dictionary for each move.
    """

    def __init__(self, book: PlayableBook, position: Position) -> None:
        """Look the moves of a position up."""
        self.rows = book.move_rows(position)
        self._book, self._position = book, position
        self._table: MoveTable | None = None

    @property
    def table(self) -> MoveTable:
        """The moves as a pandas frame. The moves have its methods and columns, too."""
        if self._table is None:
            from bookbuilder.tally.move_table import MoveTable

            self._table = MoveTable.of_rows(self.rows, self._book._column_kinds())
            self._table.attrs = {"game": self._book.game, "fen": self._position.fen}
        return self._table

    def __len__(self) -> int:
        """Return the number of moves."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        """Iterate as a frame does, over the names of the columns."""
        return iter(self._book._column_kinds())

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401 (as of a frame)
        """Return what the frame returns."""
        return self.table[key]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (as of a frame)
        """Return an attribute of the frame."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.table, name)

    def __repr__(self) -> str:
        """Return the frame as text."""
        return repr(self.table)


class PlayableBook(ABC):
    """A book that can be played from. The base class of books.

    `find_all`, `find`, `get`, `choice` and `weighted_choice` do what the methods of these names of
    `chess.polyglot.MemoryMappedReader` do. The heaviest entry comes first; `learn` is 0.

    Example:
        >>> import chess, random
        >>> with bb.Book.open("games.book") as book:
        ...     entry = book.find(chess.Board())
        ...     drawn = book.weighted_choice(chess.Board(), random=random.Random(1))
        >>> entry.move, entry.weight
        (Move.from_uci('e2e4'), 131072)
    """

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game.

        Example:
            >>> bb.open_book("games.bin").game
            'chess'
        """

    @abstractmethod
    def weighted_moves(self, position: Position) -> Sequence[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first.

        Example:
            >>> book, start = bb.open_book("games.bin"), bb.as_position("startpos", "chess")
            >>> [(start.san(code), weight) for code, weight in book.weighted_moves(start)]
            [('e4', 5), ('Nf3', 2), ('d4', 1)]
        """

    @abstractmethod
    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> [(row["san"], row["score"]) for row in book.move_rows("startpos")]
            [('e4', 0.625), ('Nf3', 1.0), ('d4', 0.5)]
        """

    @abstractmethod
    def to_pandas(self) -> pd.DataFrame:
        """Return the whole book as a frame: a record or a move a row, in the order of the file.

        Example:
            >>> list(bb.open_book("games.bin").to_pandas())[:4]
            ['key', 'move', 'weight', 'learn']
        """

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows of `to_pandas`, as named tuples."""
        return iter(self.to_pandas().itertuples(index=False, name="Row"))

    def __contains__(self, position: PositionLike) -> bool:
        """Return whether the book has a move at a position."""
        return bool(self.weighted_moves(as_position(position, self.game)))

    @abstractmethod
    def _figures(self) -> Iterable[str]:
        """Return the columns of `moves` that other books may lack."""

    def _column_kinds(self) -> Mapping[str, str]:
        """Return the type of each column of `moves`."""
        names = {*_OF_EVERY_BOOK, *self._figures()}
        return {name: kind for name, kind in _COLUMN_KINDS.items() if name in names}

    def moves(self, position: PositionLike = START_WORD) -> BookMoves:
        """Return the moves at a position. In a clustered book the most used comes first, else the heaviest.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.

        Returns:
            One row for each move, of two mirrored moves the usual one: move (UCI or ICCS), san; weight
            and share of the weights, except in a clustered book; reached or played (games); first_wins,
            draws, second_wins (by side); wins, losses (of the side to move); p, p_low, p_high, score (NaN =
            undefined); quality; kept (true) and reason (empty), as in a selection; code. Columns that the
            file does not store are missing.

        Raises:
            FenError: the position is not a position of the book's game.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> moves = book.moves("startpos")
            >>> moves["san"].tolist(), moves["reached"].tolist()
            (['e4', 'Nf3', 'd4'], [4, 1, 1])
        """
        return BookMoves(self, as_position(position, self.game))

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position with their weights, the best first; weight 0 is skipped.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> [choice.weight for choice in book.choices(bb.as_position("startpos", "chess"))]
            [131072, 8000, 1000]
        """
        return [Choice(code, weight) for code, weight in self.weighted_moves(position) if weight > 0]

    def pick(
        self, position: PositionLike, how: PickPolicy = "weighted", *, seed: int | None = None
    ) -> str | None:
        """Return a book move at a position, UCI or ICCS; None if there is none.

        Args:
            position: a FEN, moves such as `1.e4 e5`, a `Position` or a `chess.Board`.
            how: `best` = the heaviest move; `weighted` = at random by weight; `uniform` = at random, every
                move equally likely. The bundled engine chooses by the same weight.
            seed: of the random numbers; the same seed gives the same move. None = a new seed each time.

        Raises:
            FenError: the position is not a position of the book's game.
            OptionError: `how` is unknown.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.pick("startpos", "best")
            'e2e4'
            >>> book.pick("startpos", "weighted", seed=1) in ("e2e4", "g1f3", "d2d4")
            True
        """
        if how not in get_args(PickPolicy):
            raise OptionError(f"how is {how}: expected {', '.join(get_args(PickPolicy))}")
        here = as_position(position, self.game)
        chance = randomness.Random(None if seed is None else index(seed)).random()
        code = draw(self.choices(here), how, chance)
        return None if code is None else here.coordinates(code)

    def __enter__(self) -> Self:
        """Return the book."""
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027 (there is nothing to do)
        """Do nothing: the file is closed with the last reference to the book."""

    def find_all(
        self, board: PositionLike, *, minimum_weight: int = 1, exclude_moves: Container[chess.Move] = ()
    ) -> Iterator[Entry]:
        """Yield the entries of a position, the heaviest first.

        Args:
            board: a `chess.Board`, or a position in any other form.
            minimum_weight: minimum weight of an entry.
            exclude_moves: moves to skip.

        Raises:
            FenError: the text is not a position of chess.
            OptionError: the book is one of xiangqi, which python-chess does not have.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> [str(entry.move) for entry in book.find_all(bb.as_board("1.e4"))]
            ['e7e5', 'e7e6', 'c7c5']
        """
        if self.game != "chess":
            raise OptionError(f"a book of {self.game} has no entries of python-chess: use moves or move_rows")
        from chess import Move
        from chess.polyglot import Entry

        here = as_position(board, "chess")
        for code, weight in self.weighted_moves(here):
            move = Move.from_uci(here.coordinates(code))
            if weight >= minimum_weight and move not in exclude_moves:
                yield Entry(here.key, code, weight, 0, move)

    def find(self, board: PositionLike, **filters: Unpack[EntryFilters]) -> Entry:
        """Return the heaviest entry of a position. The arguments are as in `find_all`.

        Raises:
            IndexError: there is none.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.find(bb.as_board("1.e4")).move
            Move.from_uci('e7e5')
        """
        entry: Entry = self._reader().find(self, board, **filters)
        return entry

    def get(
        self, board: PositionLike, default: Entry | None = None, **filters: Unpack[EntryFilters]
    ) -> Entry | None:
        """Return the heaviest entry of a position, or `default`. Other arguments are as in `find_all`.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> book.get(bb.as_board("1.a4")) is None
            True
        """
        entry: Entry | None = self._reader().get(self, board, default, **filters)
        return entry

    def choice(self, board: PositionLike, **filters: Unpack[EntryFilters]) -> Entry:
        """Return an entry at random, each equally likely.

        Args:
            board: as of `find_all`.
            **filters: the filters of `find_all`, and `random`, the source of random numbers.

        Raises:
            IndexError: there is none.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> str(book.choice(bb.as_board("1.d4")).move)
            'd7d5'
        """
        entry: Entry = self._reader().choice(self, board, **filters)
        return entry

    def weighted_choice(self, board: PositionLike, **filters: Unpack[EntryFilters]) -> Entry:
        """Return an entry at random, in proportion to the weights. The arguments are as in `choice`.

        Example:
            >>> book = bb.Book.open("games.book")
            >>> import random
            >>> str(book.weighted_choice(bb.as_board("1.d4"), random=random.Random(1)).move)
            'd7d5'
        """
        entry: Entry = self._reader().weighted_choice(self, board, **filters)
        return entry

    def _reader(self) -> Any:  # noqa: ANN401 (its methods take any object with `find_all`)
        """Return the class of python-chess whose methods these are."""
        from chess.polyglot import MemoryMappedReader

        return MemoryMappedReader


class TallyMoves:
    """The moves of the games of a tally.

    Attributes:
        game: the game.
    """

    def __init__(self, rows: RowSource, game: Game, *, fold: bool) -> None:
        """Play from the rows of a tally; `fold` is that of its options."""
        self.game: Game = game
        self._rows, self._fold = rows, fold

    def choices(self, position: Position) -> list[Choice]:
        """Return the moves at a position, the most played first.

        Raises:
            StoreError: a move is not legal there, so the tally is damaged.
        """
        rows = [row for row in self._rows.rows_at(*position.stored(self._fold)) if row.move and row.games]
        legal = codes_by_stored(position, fold=self._fold) if rows else {}
        for row in rows:
            if row.move not in legal:
                raise StoreError(f"tally is damaged: move code {row.move} is not legal in {position.fen}")
        rows.sort(key=lambda row: (-row.games, row.move))
        return [Choice(legal[row.move], row.games) for row in rows]


def fresh(choices: Sequence[Choice], position: Position, passed: Iterable[Position]) -> list[Choice]:
    """Return the moves that lead to a new position of the game, as the bundled engine plays them only.

    `passed` has the positions of the game so far.
    """
    known = {(each.key, each.lock) for each in passed}
    after = [(choice, position.play(choice.code)) for choice in choices]
    return [choice for choice, next_ in after if (next_.key, next_.lock) not in known]


def draw(choices: Sequence[Choice], how: PickPolicy, chance: float) -> int | None:
    """Return the code of one of the moves; None if there is none.

    Args:
        choices: the moves, the best first.
        how: `best` = the first; `weighted` = in proportion to the weights; `uniform` = each equally likely.
        chance: a random number, 0 ≤ chance < 1. The same number gives the same move.

    Example:
        >>> moves = [Choice(10, 3), Choice(20, 1)]
        >>> draw(moves, "weighted", 0.7), draw(moves, "uniform", 0.7), draw(moves, "best", 0.7)
        (10, 20, 10)
    """
    if not choices:
        return None
    if how == "best":
        return choices[0].code
    weights = [1 if how == "uniform" else choice.weight for choice in choices]
    left = chance * sum(weights)
    for choice, weight in zip(choices, weights, strict=True):
        if left < weight:
            return choice.code
        left -= weight
    return choices[-1].code
