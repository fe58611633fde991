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
    """An option is invalid, or two options contradict each other."""


class FenError(BookBuilderError, ValueError):
    """A FEN breaks a rule of its game; the message says which."""


class MoveError(BookBuilderError, ValueError):
    """A move text is not a legal move, or is ambiguous."""


class SchemaError(BookBuilderError, ValueError):
    """A table does not have the declared columns; the message names column, expected and found."""


class SelectionError(BookBuilderError, ValueError):
    """A selection cannot be made as asked."""


class ArchiveError(BookBuilderError, OSError):
    """An archive is missing, cannot be read, or has an unknown format."""


class StoreError(BookBuilderError, ValueError):
    """A tally store is missing, damaged, of a newer version, or was counted with other options."""


class BookError(BookBuilderError, ValueError):
    """A book file is missing, damaged, truncated, of another kind or of a newer version."""


class FormatError(BookBuilderError, ValueError):
    """A book of another program is damaged, truncated or not of this format; the message says where."""


class EndgameError(BookBuilderError, ValueError):
    """An endgame table cannot be built, is missing, damaged or newer, or lacks the position."""


class OutputExistsError(BookBuilderError, FileExistsError):
    """The output exists already and may not be replaced."""
