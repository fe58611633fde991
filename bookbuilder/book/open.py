"""Open a book of any format.

| format | what is returned | what it has besides moves and weights |
|---|---|---|
| clustered `.book` | `Book` | games, results, qualities, records of positions, the recipe |
| Polyglot `.bin` | `ListedBook` | nothing |
| Arena `.abk` | `ListedBook` | games and results |
| ElephantEye BOOK.DAT | `ListedBook` | nothing |
| OBK `.obk` | `ListedBook` | results |
| `.csv`, `.json`, `.parquet` of a book | `ListedBook` | what the book had that was converted |
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from bookbuilder._core import BOOK_MAGIC
from bookbuilder.book.book import Book
from bookbuilder.errors import BookError
from bookbuilder.games.position import Game

if TYPE_CHECKING:
    from bookbuilder.book.listed_book import ListedBook

__all__ = ["AnyBook", "open_book"]

AnyBook: TypeAlias = "Book | ListedBook"
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
    path = Path(path)
    if not path.exists() or path.is_dir() or _is_clustered(path):
        return Book.open(path, game=game)  # names what is wrong, too
    # The other formats need numpy, which clustered books do not wait for.
    from bookbuilder.book.formats.registry import read_moves, source_format
    from bookbuilder.book.listed_book import ListedBook

    name = source_format(path).name
    if name == "book":
        return Book.open(path, game=game)
    book = ListedBook(path, name, read_moves(path, name))
    if game is not None and book.game != game:
        raise BookError(f"{path}: is a book of {book.game}; expected a book of {game}")
    return book


def _is_clustered(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(BOOK_MAGIC)) == BOOK_MAGIC
