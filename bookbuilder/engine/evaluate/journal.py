"""The journal of an evaluation: one line of JSON for each answer, from which a killed run resumes.

The first line has what must be the same: game, folding, engine and its options. A killed run loses no answer,
a power loss at most those of a second.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa

from bookbuilder.disk import PacedSync, write_whole
from bookbuilder.errors import EvalsError
from bookbuilder.journal_lines import begin_lines, read_lines
from bookbuilder.schema import EVALS
from bookbuilder.system import lock

__all__ = ["Journal", "lock_journal", "read_journal"]

_HEAD: Final = "evaluation"


def read_journal(path: Path, identity: Mapping[str, Any]) -> pa.Table:
    """Return the rows of a journal, schema EVALS; none if the file does not exist.

    Raises:
        EvalsError: it is damaged, or the journal of something else, or of another engine.
    """
    head = {_HEAD: dict(identity)}
    lines = read_lines(path, head)
    if lines and lines[0] != head:
        raise EvalsError(
            f"{path}: the journal of another engine, game or options; finish that run or remove it"
        )
    try:
        return pa.Table.from_pylist(lines[1:], schema=EVALS)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise EvalsError(f"{path}: damaged, a line is not that of a search: {error}") from error


def lock_journal(stream: FileIO, path: Path) -> None:
    """Lock a file that a run appends to until it is closed.

    Raises:
        EvalsError: another run has it; the file is closed.
    """
    try:
        lock(stream.fileno(), wait=False)
    except BlockingIOError:
        stream.close()
        raise EvalsError(
            f"{path}: another run is writing it; wait until that has ended, or work with a copy"
        ) from None


class Journal:
    """A journal to append to."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Open the journal; a new one begins with what must be the same."""
        self.path = path
        self._identity = dict(identity)
        self._stream: FileIO
        self._sync: PacedSync

    def __enter__(self) -> Self:
        """Open the journal.

        Raises:
            EvalsError: another run writes it.
        """
        self._stream = self.path.open("ab+", buffering=0)
        lock_journal(self._stream, self.path)
        begin_lines(self._stream, self.path, {_HEAD: self._identity})
        self._sync = PacedSync(self._stream)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row of EVALS; it is in the file when this returns."""
        write_whole(self._stream, json.dumps(row).encode() + b"\n")
        self._sync.wrote()
