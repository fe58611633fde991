"""Errors in, exit codes and one line on stderr out: which error ends with which code stands here alone."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import typer
from typer.core import TyperGroup

from bookbuilder.cli.console import note
from bookbuilder.errors import (
    ArchiveError,
    BookBuilderError,
    BookError,
    EndgameError,
    FormatError,
    OutputExistsError,
    SchemaError,
    StoreError,
)

__all__ = ["Commands", "Exit", "finish"]


class Exit(IntEnum):
    """How a command ended."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    UNREADABLE = 3
    EXISTS = 4
    INTERRUPTED = 130


class Commands(TyperGroup):
    """The group of all commands; turns errors of requests into one line and an exit code."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (the signature of the class above)
        """Run the command that the arguments name."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # Names of files need not be UTF-8, and a terminal need not know every letter.
            sys.stdout.reconfigure(errors="backslashreplace")
        with _told():
            return super().invoke(ctx)


def finish(code: Exit, reason: str) -> typer.Exit:
    """Say why a command ends with this code, and return what is to be raised."""
    note(f"bookbuilder: {reason}")
    return typer.Exit(code)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise finish(Exit.INTERRUPTED, "interrupted; outputs are as they were before") from None
    except MemoryError:
        reason = "not enough memory; outputs are as they were before"
        raise finish(Exit.UNREADABLE, reason) from None
    except (BookBuilderError, OSError) as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            raise  # whoever read stdout has gone: typer ends quietly
        raise finish(_code_of(error), _line_of(error)) from None


def _code_of(error: BookBuilderError | OSError) -> Exit:
    if isinstance(error, FileExistsError | OutputExistsError):
        return Exit.EXISTS
    unreadable = ArchiveError | StoreError | BookError | EndgameError | FormatError | SchemaError
    if isinstance(error, unreadable):
        return Exit.UNREADABLE
    # What is left of our own tree are requests without meaning; what is left of OSError is about files.
    return Exit.USAGE if isinstance(error, BookBuilderError) else Exit.UNREADABLE


def _line_of(error: BookBuilderError | OSError) -> str:
    if isinstance(error, OSError) and not isinstance(error, BookBuilderError) and error.strerror:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror[0].lower()}{error.strerror[1:]}"
    return " ".join(str(error).split())
