"""What can go wrong with a request. A bad *game* is data (a row of REJECTS); a bad *request* is one of these.

```
BookBuilderError                       every error below
├── OptionError          ValueError    an option has no meaning, or two contradict each other
├── FenError             ValueError    a FEN breaks a rule of its game
├── MoveError            ValueError    a move text names no one legal move
├── SchemaError          ValueError    a table does not have the declared columns
├── SelectionError       ValueError    a selection cannot be made as asked
├── StoreError           ValueError    a tally store is missing, damaged, newer, or of other options
├── EndgameError         ValueError    an endgame table is impossible, missing, damaged or newer
├── BookError            ValueError    a book is missing, damaged, truncated, foreign or newer
├── FormatError          ValueError    a book of another program's format is damaged, truncated or foreign
├── ArchiveError         OSError       an archive is missing, unreadable or of no known format
└── OutputExistsError    FileExistsError  the output exists and replacing it was not asked for
```

The native core raises these very classes: it looks them up in this module when it has an error to report,
so there is one tree. Every message names the thing, the place and what was expected.
"""

from __future__ import annotations

__all__ = [
    "ArchiveError",
    "BookBuilderError",
    "BookError",
    "EndgameError",
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
    """An option has no meaning, or two options contradict each other."""


class FenError(BookBuilderError, ValueError):
    """A FEN breaks a rule of its game; the message says which."""


class MoveError(BookBuilderError, ValueError):
    """A move text names no legal move, or more than one."""


class SchemaError(BookBuilderError, ValueError):
    """A table does not have the declared columns; the message names column, expected and found."""


class SelectionError(BookBuilderError, ValueError):
    """A selection cannot be made as asked."""


class ArchiveError(BookBuilderError, OSError):
    """An archive is missing, cannot be read, or is of no known format."""


class StoreError(BookBuilderError, ValueError):
    """A tally store is missing, damaged, of a newer version, or made with other options."""


class BookError(BookBuilderError, ValueError):
    """A book file is missing, damaged, truncated, of another kind or of a newer version."""


class FormatError(BookBuilderError, ValueError):
    """A book in a format of other programs is damaged, truncated or no such book; the message says where."""


class EndgameError(BookBuilderError, ValueError):
    """An endgame table cannot be made, is missing, damaged or newer, or does not hold the position."""


class OutputExistsError(BookBuilderError, FileExistsError):
    """The output exists already and replacing it was not asked for."""
