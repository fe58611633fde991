"""Journals: files of JSON lines that only grow, from which an interrupted run resumes.

The first line, the head, says what the others are about. It is on the disk before anything follows. A killed
run may leave half a line at the end, and a power loss zeros in the place of lines that were not synced. Such
lines are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from bookbuilder.disk import naming, sync_file, write_whole
from bookbuilder.plain_json import json_line
from bookbuilder.system import sync

__all__ = ["add_lines", "begin", "begin_lines", "read_lines"]


def read_lines(path: Path, head: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the lines of a journal, the head first: empty if it is damaged. Other damaged lines are skipped.

    Args:
        path: the file. There are no lines if it does not exist, or if writing its head was interrupted.
        head: the expected head; None = unknown.

    Example:
        >>> read_lines(Path("missing.jsonl"))
        []
    """
    if not path.exists():
        return []
    content = path.read_bytes()
    if _is_interrupted(content, _text(head) if head is not None else bytes(len(content) + 1)):
        return []
    lines = [json_line(line) for line in content.splitlines()]
    return [lines[0] or {}, *(line for line in lines[1:] if line is not None)]


def begin(stream: FileIO, path: Path, head: Mapping[str, Any]) -> None:
    """Write the head of a new journal, or of one whose first write was interrupted, and sync it.

    Args:
        stream: the file, open for reading and writing, without a buffer.
        path: its name.
        head: what the other lines are about.
    """
    text = _text(head)
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if size <= len(text) and _is_interrupted(stream.read(), text):
        _begin_with(path, text)
    stream.seek(0)


def begin_lines(stream: FileIO, path: Path, head: Mapping[str, Any]) -> None:
    """Prepare a journal for more lines: begin it, or end a line that was interrupted.

    Args:
        stream: the file, opened with `ab+` and without a buffer.
        path: its name.
        head: its head, if it is new.
    """
    begin(stream, path, head)
    stream.seek(-1, os.SEEK_END)
    if stream.read(1) != b"\n":
        write_whole(stream, b"\n")


def add_lines(path: Path, head: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]) -> None:
    """Append lines to a journal, all in one write. They are on the disk when this returns.

    Example:
        >>> add_lines(Path("games.jsonl"), {"match": 1}, [{"number": 1}])
        >>> read_lines(Path("games.jsonl"))
        [{'match': 1}, {'number': 1}]
    """
    with path.open("ab+", buffering=0) as stream:
        begin_lines(stream, path, head)
        write_whole(stream, b"".join(map(_text, lines)))
        sync_file(stream)


def _begin_with(path: Path, text: bytes) -> None:
    """Write the first line of a file, durably."""
    with naming(path):
        with path.open("rb+", buffering=0) as stream:
            stream.truncate()
            write_whole(stream, text)
            sync_file(stream)
        sync(path.absolute().parent)


def _text(line: Mapping[str, Any]) -> bytes:
    return json.dumps(line).encode() + b"\n"


def _is_interrupted(content: bytes, text: bytes) -> bool:
    """Return whether a content is what an interrupted write of a text leaves: a part of it, or zeros."""
    if content == text or len(content) > len(text):
        return False
    return all(have in (0, byte) for have, byte in zip(content, text, strict=False))
