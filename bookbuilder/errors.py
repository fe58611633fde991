"""The errors of invalid requests. A bad *game* is not an error but data: a row of REJECTS.

```
BookBuilderError                       every error below
├── OptionError          ValueError    an option is invalid, or two contradict each other
├── FenError             ValueError    a FEN breaks a rule of its game
├── MoveError            ValueError    a move text is not exactly one legal move
├── SchemaError          ValueError    a table does not have the declared columns
├── SelectionError       ValueError    a selection cannot be made as asked
├── StoreError           ValueError    a tally store is missing, damaged, newer, or has other options
├── EndgameError         ValueError    an endgame table is impossible, missing, damaged or newer
├── EvalsError           ValueError    a file of evaluations is damaged, foreign, or of another game
├── BookError            ValueError    a book is missing, damaged, truncated, foreign or newer
├── FormatError          ValueError    a book of another program's format is damaged, truncated or foreign
├── ArchiveError         OSError       an archive is missing, unreadable or of an unknown format
└── OutputExistsError    FileExistsError  the output exists and may not be replaced
```

The native core raises the classes of this module, so there is one tree. Every message names the thing, the
place and what was expected.
"""

from __future__ import annotations

__all__ = [
    "ArchiveError",
    "BookBuilderError",
    "BookError",
    "EndgameError",
    "EvalsError",
    "FenError",
    "FormatError",
    "MoveError",
    "OptionError",
    "OutputExistsError",
    "SchemaError",
    "SelectionError",
    "StoreError",
]


class BookBuilderError(Exception):
    """Base of every error that bookbuilder raises on purpose.

    Example:
        >>> issubclass(FenError, BookBuilderError) and issubclass(FenError, ValueError)
        True
    """


class OptionError(BookBuilderError, ValueError):
    """An option is invalid, or two options contradict each other.

    Example:
        >>> bb.as_position(42, "chess")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.OptionError: int is not a position: expected a FEN, a Position or a chess.Board
    """


class FenError(BookBuilderError, ValueError):
    """A FEN breaks a rule of its game; the message says which.

    Example:
        >>> bb.as_position("8/8/8/8/8/8/8/8 w - - 0 1", "chess")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.FenError: bad chess FEN "8/8/8/8/8/8/8/8 w - - 0 1": ...
    """


class MoveError(BookBuilderError, ValueError):
    """A move text is not a legal move, or is ambiguous.

    Example:
        >>> bb.as_position("1.e4 e4", "chess")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.MoveError: move 2: "e4" is not legal here (position ...)
    """


class SchemaError(BookBuilderError, ValueError):
    """A table does not have the declared columns; the message names column, expected and found.

    Example:
        >>> bb.schema.check(bb.schema.empty(bb.schema.GAMES), bb.schema.TALLY)
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SchemaError: table is not TALLY: column "key" is missing (expected uint64)
    """


class SelectionError(BookBuilderError, ValueError):
    """A selection cannot be made as asked.

    Example:
        >>> bb.preset("strong")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.SelectionError: preset strong: expected engine, broad, ...
    """


class ArchiveError(BookBuilderError, OSError):
    """An archive is missing, cannot be read, or has an unknown format.

    Example:
        >>> bb.Tally.from_archives("missing.pgn")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.ArchiveError: missing.pgn: no such file or directory
    """


class StoreError(BookBuilderError, ValueError):
    """A tally store is missing, damaged, of a newer version, or was counted with other options.

    Example:
        >>> bb.Tally.open("missing.store")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.StoreError: missing.store: is not a tally store, there is no such directory
    """


class BookError(BookBuilderError, ValueError):
    """A book file is missing, damaged, truncated, of another kind or of a newer version.

    Example:
        >>> bb.Book.open("games.pgn")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.BookError: games.pgn: is an archive of chess games; expected a book. ...
    """


class FormatError(BookBuilderError, ValueError):
    """A book of another program is damaged, truncated or not of this format; the message says where.

    Example:
        >>> open("empty.bin", "w").close()
        >>> bb.open_book("empty.bin")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.FormatError: empty.bin: 0 bytes, expected a Polyglot book: ...
    """


class EndgameError(BookBuilderError, ValueError):
    """An endgame table cannot be built, is missing, damaged or newer, or lacks the position.

    Example:
        >>> bb.table_stats(".", "KRvK")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.EndgameError: .: there is no table of KRvK by dtm; build it first
    """


class EvalsError(BookBuilderError, ValueError):
    """A file of evaluations is damaged, of another kind, of another game, or has keys of another scheme.

    Example:
        >>> bb.Evals.read("games.pgn")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.EvalsError: games.pgn: not a file of evaluations; ...
    """


class OutputExistsError(BookBuilderError, FileExistsError):
    """The output exists already and may not be replaced.

    Example:
        >>> bb.build("games.pgn", "games.book")
        Traceback (most recent call last):
        ...
        bookbuilder.errors.OutputExistsError: games.book: exists already; give another name or force=True
    """
