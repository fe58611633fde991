"""Journals: files of JSON lines that only grow, from which an interrupted run resumes.

The first line, the head, says what the others are about. Each line ends with the CRC-32 of its number and
text, so a changed, missing or moved line is noticed, and refused by its number. A killed run may leave half a
line at the end, and a power loss zeros in the place of lines that were not synced. Such an end is cut off,
and `note` says so.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from bookbuilder.disk import PacedSync, naming, sync_file, write_whole
from bookbuilder.errors import EvalsError
from bookbuilder.system import lock, sync

_SUM: Final = b', "crc32": "'
_LINE: Final = re.compile(rb'(\{.+), "crc32": "([0-9a-f]{8})"\}')
# Up to this number of bytes is not synced, and a disk loses it in blocks.
_UNSYNCED_BYTES: Final = 1 << 16
_BLOCK: Final = 512


class JournalLines(NamedTuple):
    """The content of a journal."""

    # Its first line; None: the file does not exist, or writing its head was interrupted.
    head: dict[str, Any] | None
    rows: list[dict[str, Any]]  # the other lines
    size: int  # the bytes of these lines; what follows was torn
    note: str  # what was lost at the end; empty: nothing


def read_journal(path: Path, head: Mapping[str, Any] | None = None) -> JournalLines:
    """Return the content of a journal; the file stays as it is.

    The expected head tells a journal whose first write was interrupted.

    Raises:
        EvalsError: the file is not a journal, or a line is damaged.
        OSError: it cannot be read.

    Example:
        >>> read_journal(Path("missing.jsonl")).rows
        []
    """
    content = path.read_bytes() if path.exists() else b""
    first = content if head is None else _line({**head}, 0)
    if not content.strip(b"\0") or (len(content) <= len(first) and _is_part(content, first)):
        return JournalLines(None, [], 0, "")
    lines: list[dict[str, Any]] = []
    size = 0
    while size < len(content):
        end = content.find(b"\n", size)
        line = content[size:] if end < 0 else content[size:end]
        found = _LINE.fullmatch(line)
        is_sound = found is not None and int(found[2], 16) == _sum(found[1], len(lines))
        if end < 0 or found is None or not is_sound:
            if lines and (end < 0 or _is_lost(content, size)):
                what = f"{path}: its end was lost ({len(content) - size:,} bytes after line {len(lines):,})"
                return JournalLines(lines[0], lines[1:], size, what)
            if not lines:
                raise EvalsError(f"{path}: is not a journal of this program, or its first line is damaged")
            raise EvalsError(f"{path}: line {len(lines) + 1:,} is damaged; the run cannot be resumed")
        lines.append(json.loads(found[1] + b"}"))
        size = end + 1
    return JournalLines(lines[0], lines[1:], size, "")


def _sum(text: bytes, number: int) -> int:
    return zlib.crc32(text, zlib.crc32(str(number).encode()))


def _line(row: Mapping[str, Any], number: int) -> bytes:
    text = json.dumps(row).encode()[:-1]
    return text + _SUM + f'{_sum(text, number):08x}"}}\n'.encode()


def _is_part(content: bytes, text: bytes) -> bool:
    """Return whether a content is what an interrupted write of a text leaves: a part of it, or zeros."""
    return content != text and all(have in (0, byte) for have, byte in zip(content, text, strict=False))


def _is_lost(content: bytes, begin: int) -> bool:
    """Return whether the end of a file, from a line on, has zeros as a power loss leaves them.

    They fill blocks of the disk, except at the ends of what was written.
    """
    found = re.search(rb"\0+", content[begin:])
    if found is None or len(content) - begin > 2 * _UNSYNCED_BYTES:
        return False
    first, end = begin + found.start(), begin + found.end()
    return first == begin or end == len(content) or first % _BLOCK == 0 or end % _BLOCK == 0


class Journal:
    """A journal to append to; as a context it is open, and no other run can write it.

    Attributes:
        path: the file.
        rows: the lines that it had when it was opened.
        note: what was lost at its end; empty: nothing.

    Example:
        >>> with Journal(Path("games.jsonl"), {"match": 1}) as journal:
        ...     journal.append({"number": 1})
        >>> read_journal(Path("games.jsonl")).rows
        [{'number': 1}]
    """

    def __init__(self, path: Path, head: Mapping[str, Any], *, is_exact: bool = False) -> None:
        """Name the file.

        A file with another head is refused. With `is_exact`, a row is on the disk when `append` returns, not
        only within a second.
        """
        self.path, self._head, self._is_exact = path, dict(head), is_exact
        self.rows: list[dict[str, Any]] = []
        self.note = ""

    def __enter__(self) -> Self:
        """Open the file, or begin it, and cut a torn end off.

        Raises:
            EvalsError: it is the journal of something else, is damaged, or another run writes it.
        """
        # Not `touch`, which would change the date of a file that is refused below.
        self._stream: FileIO = open(self.path, "rb+", buffering=0, opener=_create)
        with ExitStack() as until_begun:
            until_begun.enter_context(self._stream)
            self._begin()
            until_begun.pop_all()
        return self

    def _begin(self) -> None:
        try:
            lock(self._stream.fileno(), wait=False)
        except BlockingIOError:
            message = "another run is writing it; wait until that has ended, or work with a copy"
            raise EvalsError(f"{self.path}: {message}") from None
        found = read_journal(self.path, self._head)
        # Through JSON, which has no tuples.
        expected = json.loads(json.dumps(self._head))
        if found.head is not None and found.head != expected:
            if found.rows or found.head.keys() != expected.keys():
                raise EvalsError(f"{self.path}: {_difference(found.head, expected)}")
            found = JournalLines(None, [], 0, "")  # the other run has written nothing
        self.rows, self.note, self._unsynced = found.rows, found.note, 0
        self._sync = PacedSync(self._stream)
        with naming(self.path):
            if found.size < self.path.stat().st_size:
                # On the disk too: what is cut must not come back among new lines.
                self._stream.truncate(found.size)
                sync_file(self._stream)
            self._stream.seek(0, os.SEEK_END)
        self._count = len(self.rows) + 1
        if found.head is None:
            write_whole(self._stream, _line(self._head, 0))
            sync_file(self._stream)
            with naming(self.path):
                sync(self.path.absolute().parent)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stream:
            if kind is None and self._unsynced:
                sync_file(self._stream)

    def append(self, *rows: Mapping[str, Any]) -> None:
        """Write rows, all at once. A killed run does not lose them any more."""
        data = b"".join(_line(row, number) for number, row in enumerate(rows, self._count))
        if self._unsynced + len(data) > _UNSYNCED_BYTES:
            sync_file(self._stream)
            self._unsynced = 0
        write_whole(self._stream, data)
        self._count += len(rows)
        if self._is_exact:
            sync_file(self._stream)
        else:
            self._unsynced = 0 if self._sync.wrote() else self._unsynced + len(data)


def _create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _difference(found: Mapping[str, Any], expected: Mapping[str, Any]) -> str:
    """Return how the head of a journal differs from the expected one."""
    [kind] = expected
    if found.keys() != expected.keys():
        return f"is not the journal of this kind ({kind}); give another name"
    known, wanted = found[kind], expected[kind]
    if not isinstance(known, dict) or not isinstance(wanted, dict):
        return "is the journal of another run; give another name"
    names = sorted(name for name in {*known, *wanted} if known.get(name) != wanted.get(name))
    return f"was begun with other options ({', '.join(names)}); use the same, or give another name"
