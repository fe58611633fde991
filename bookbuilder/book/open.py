"""Open a book of any format.

| format | what is returned | what it has besides moves and weights |
|---|---|---|
| clustered `.book` | `Book` | games, results, qualities, records of positions, the recipe |
| Polyglot `.bin` | `ListedBook` | nothing |
| Arena `.abk` | `ListedBook` | games and results |
| ElephantEye BOOK.DAT | `ListedBook` | nothing |
| OBK `.obk` | `ListedBook` | results |
| `.csv` of a book | `ListedBook` | what the book had that was converted |

A `ListedBook` is read whole, and its moves are looked up by position. A move has the weight that the file
stores, and counts only if the file stores counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bookbuilder._core import BOOK_MAGIC
from bookbuilder.book.book import Book
from bookbuilder.book.formats import CASTLING
from bookbuilder.book.play import RESULT_KINDS, PlayableBook
from bookbuilder.errors import BookError
from bookbuilder.games.position import Game, PositionLike, as_position
from bookbuilder.keywords import require_kind
from bookbuilder.ratios import result_figures
from bookbuilder.tally.moves_at import codes_by_stored
from bookbuilder.temporary import TemporaryFolder

if TYPE_CHECKING:
    import pandas as pd

    from bookbuilder._core import Position
    from bookbuilder.book.formats.moves import MoveBook

_COUNTS: Final = ("games", "wins", "draws", "losses")
_LABELS: Final = {"games": "numbers of games", "wins": "results", "quality": "qualities"}


class ListedBook(PlayableBook):
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
        from bookbuilder.columns import values  # numpy, which clustered books do not wait for

        key = table.column("key")
        self._order = order = key.argsort(kind="stable")
        self._key, self._move = key[order], table.column("move")[order]
        self._lock, self._weight = table.column("lock")[order], table.column("weight")[order]
        self._has_lock = values(table.table.column("lock").is_valid())[order]
        counts = {name: table.table.column(name) for name in (*_COUNTS, "quality")}
        self._known = [name for name, column in counts.items() if column.null_count < len(column)]

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

    @property
    def info(self) -> dict[str, Any]:
        """Facts of the book.

        game, format, moves, bytes, fold, does_not_store, and not_read (what was not read, and
        of how many moves).
        """
        return {
            "game": self.game,
            "format": self.format,
            "moves": len(self),
            "bytes": self.path.stat().st_size,
            "fold": self.fold,
            "does_not_store": list(self.lacks),
            "not_read": dict(self.table.lost),
        }

    def to_pandas(self) -> pd.DataFrame:
        """Return the moves as a frame with the columns of BOOK_MOVES that the file stores."""
        from bookbuilder.schema import signed_counts

        return signed_counts(self.table.table).to_pandas().dropna(axis="columns", how="all")

    def weighted_moves(self, position: Position) -> Sequence[tuple[int, int]]:
        """Return code and weight of each move at a position, the heaviest first."""
        return [(code, weight) for code, _, weight in self._rows_at(position)]

    def _rows_at(self, position: Position) -> list[tuple[int, int, int]]:
        """Return code, row in the book and weight of each legal move at a position, the heaviest first."""
        key, lock = position.stored(self.fold)
        begin, end = (
            int(self._key.searchsorted(self._key.dtype.type(key), side)) for side in ("left", "right")
        )
        if begin == end:
            return []
        legal = codes_by_stored(position, fold=self.fold)
        found = []
        for row in range(begin, end):
            move = int(self._move[row])
            code = legal.get(move, legal.get(CASTLING.get(move, -1)))
            if code is not None and (not self._has_lock[row] or int(self._lock[row]) == lock):
                found.append((code, int(self._order[row]), int(self._weight[row])))
        return sorted(found, key=lambda row: -row[2])

    def _figures(self) -> Iterable[str]:
        kept = {"games": (self.table.basis,), "wins": RESULT_KINDS, "quality": ("quality",)}
        stored = [names for name, names in kept.items() if self.table.has(name)]
        return ("weight", "share", *chain.from_iterable(stored))

    def move_rows(self, position: PositionLike) -> list[dict[str, Any]]:
        """Return the rows of `moves` as dictionaries, which is faster than a frame."""
        here = as_position(position, self.game)
        is_first = here.side == 0
        found = self._rows_at(here)
        total = sum(weight for _, _, weight in found)
        rows = []
        for code, number, weight in found:
            row = {
                "move": here.coordinates(code),
                "san": here.san(code),
                "code": code,
                "weight": weight,
                "share": weight / total if total else float("nan"),
            }
            known = {name: self.table.table.column(name)[number].as_py() for name in self._known}
            if known.get("games") is not None:
                row[self.table.basis] = known["games"]
            if known.get("wins") is not None:
                sides = ("wins", "losses") if is_first else ("losses", "wins")
                first, second = (known[name] for name in sides)
                row |= result_figures(first, known.get("draws") or 0, second, first_moves=is_first)
            if known.get("quality") is not None:
                row["quality"] = known["quality"]
            rows.append({**row, "kept": True, "reason": ""})
        return rows

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


AnyBook: TypeAlias = Book | ListedBook
"""An open book. Both classes have `path`, `game`, `fold`, `format`, `lacks`, `len`, `moves`,
`move_rows` and `pick`."""


def open_book(path: str | os.PathLike[str], *, game: Game | None = None) -> AnyBook:
    """Return the book in a file of any format that can be read.

    The format is recognised by the content, or else by the suffix.

    Args:
        path: the file.
        game: the expected game; None = either.

    Raises:
        BookError: the file is not a sound clustered book, or the book is of the other game.
        FormatError: the file is damaged, or is not a book.
        OptionError: the format is unknown or stores too little to be read.
        OSError: it is missing or cannot be read.

    Example:
        >>> bb.open_book("games.bin").format, bb.open_book("games.book").format
        ('polyglot', 'book')
        >>> bb.open_book("games.bin").pick("1.d4", "best")
        'd7d5'
    """
    require_kind("open_book", path, str | os.PathLike)
    path = Path(path)
    is_clustered = not path.is_file()  # `Book.open` names what is wrong with other paths
    if not is_clustered:
        with path.open("rb") as stream:
            is_clustered = stream.read(len(BOOK_MAGIC)) == BOOK_MAGIC
    if is_clustered:
        return Book.open(path, game=game)
    # The other formats need numpy, which clustered books do not wait for.
    from bookbuilder.book.formats.registry import read_moves, source_format

    name = source_format(path).name
    if name == "book":
        return Book.open(path, game=game)
    book = ListedBook(path, name, read_moves(path, name))
    if game is not None and book.game != game:
        raise BookError(f"{path}: is a book of {book.game}; expected a book of {game}")
    return book
