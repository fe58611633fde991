"""Exit codes of commands, and the line on stderr that explains them. All errors are mapped here."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import typer

from bookbuilder.cli.console import note
from bookbuilder.cli.help import Group
from bookbuilder.cli.usage import UsageError, usage_line
from bookbuilder.errors import (
    ArchiveError,
    BookBuilderError,
    BookError,
    EndgameError,
    EvalsError,
    ExperienceError,
    FormatError,
    OutputExistsError,
    SchemaError,
    StoreError,
)

__all__ = ["Commands", "Exit", "finish"]


class Exit(IntEnum):
    """The exit code of a command."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNREADABLE = 3
    EXISTS = 4
    INTERRUPTED = 130


class Commands(Group):
    """A group of commands that reports expected errors as one line and an exit code."""

    def make_context(self, *given: Any, **settings: Any) -> Any:  # noqa: ANN401 (as in the parent class)
        """Parse the words before the command."""
        with _errors_reported():
            return super().make_context(*given, **settings)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (the signature of the parent class)
        """Run the command of the command line."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # File names may be invalid UTF-8, and a terminal may lack letters.
            sys.stdout.reconfigure(errors="backslashreplace")
        with _errors_reported():
            return super().invoke(ctx)


def finish(code: Exit, reason: str) -> typer.Exit:
    """Print why a command ends with this code, and return the exception to raise."""
    note(f"bookbuilder: {reason}")
    return typer.Exit(code)


@contextmanager
def _errors_reported() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise finish(Exit.INTERRUPTED, "interrupted; outputs are as they were before") from None
    except UsageError as error:
        # The help is its own text.
        if type(error).__name__ == "NoArgsIsHelpError":
            raise
        raise finish(Exit.USAGE, usage_line(error)) from None
    except MemoryError:
        raise finish(Exit.UNREADABLE, "not enough memory; outputs are as they were before") from None
    except (BookBuilderError, OSError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            raise  # the reader of stdout has gone: typer ends quietly
        raise finish(_code_of(error), _line_of(error)) from None


_UNREADABLE: Final = (
    ArchiveError,
    BookError,
    EndgameError,
    EvalsError,
    ExperienceError,
    FormatError,
    SchemaError,
    StoreError,
)


def _code_of(error: BookBuilderError | OSError) -> Exit:
    if isinstance(error, FileExistsError | OutputExistsError):
        return Exit.EXISTS
    if isinstance(error, _UNREADABLE) or not isinstance(error, BookBuilderError):
        return Exit.UNREADABLE
    return Exit.USAGE


def _is_homeless() -> bool:
    """Return whether the working directory has been deleted: a relative path then names nothing."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _line_of(error: BookBuilderError | OSError) -> str:
    if isinstance(error, FileNotFoundError) and error.filename is None and _is_homeless():
        return "the working directory is gone; change to another one, or name files by their whole paths"
    if isinstance(error, OSError) and not isinstance(error, BookBuilderError) and error.strerror:
        file = f"{error.filename}: " if error.filename is not None else ""
        return f"{file}{error.strerror[0].lower()}{error.strerror[1:]}"
    return " ".join(str(error).split())
